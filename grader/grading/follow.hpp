// Which elements of an input a result changes with, and which it should: for problems that are no sums, such as a
// softmax or a sort. Values are replaced by others, a range at a time, and the program runs again.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "grading/influence.hpp"
#include "problem/terms.hpp"

namespace warpgrade::grading {

/// Of result `number`, which is called `element`; a time of 0 means that it does not change with these. Nothing where
/// the result changes with what it should, where no input has floats of any value, where the case is large, and where
/// most_runs runs do not suffice.
std::optional<problem::Terms> followed(const problem::Problem &, const problem::Case &,
                                       const std::vector<run::HostBuffer> &inputs, std::size_t number,
                                       const std::string &element, const RunAgain &run_again,
                                       std::size_t most_runs);

}  // namespace warpgrade::grading
