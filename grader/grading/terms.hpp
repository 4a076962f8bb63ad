// Why one element is wrong: which terms are in it and which are not, how often. Inputs are replaced by coded ones
// where the result should be linear in them, and the program runs again: each run asks one question about many
// terms.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "grading/influence.hpp"
#include "problem/terms.hpp"

namespace warpgrade::grading {

/// What the element of that name is made of. Nothing where the problem is not linear in an input whose elements
/// may have any value, where the case is large, where most_runs runs do not suffice, and where nothing is found that
/// is wrong. What is found is held against further random inputs; a program that is not linear is said to be so.
std::optional<problem::Terms> terms_of(const problem::Problem &, const problem::Case &,
                                       const std::vector<run::HostBuffer> &inputs, const std::string &element,
                                       const RunAgain &run_again, std::size_t most_runs);

/// "never", "once", "three times", "with weight 0.5"
std::string times_in_words(double times);

}  // namespace warpgrade::grading
