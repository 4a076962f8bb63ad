// The elements of a buffer that a failing case gets wrong, in words and as a picture. Decides nothing.
#pragma once

#include <string>

#include "score/step_record.hpp"

namespace warpgrade::report {

/// "x has 37 elements. Outside it: x[37] to x[63] (block (1, 0))."
std::string region_in_words(const std::string &property, const grading::RegionRecord &);

/// The buffer with these elements, row by row; a large one scaled.
/// name   part of the picture's ids, so that several fit on one page
std::string region_to_svg(const std::string &name, const std::string &property,
                          const grading::RegionRecord &);

}  // namespace warpgrade::report
