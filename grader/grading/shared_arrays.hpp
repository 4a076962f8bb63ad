// What a student's file declares in shared memory.
#pragma once

#include <string_view>
#include <vector>

#include "score/step_record.hpp"

namespace warpgrade::grading {

/// The arrays of at least two dimensions whose type and dimensions are plain: numbers, constants that the file
/// defines, and products, sums, differences and quotients of these. A name that is declared with two row
/// lengths is left out.
std::vector<SharedArray> shared_arrays_in(std::string_view source);

}  // namespace warpgrade::grading
