// Whether a problem can be trusted to judge: what `gradebook lint` tries on it without running any kernel.
#pragma once

#include <string>
#include <vector>

#include "problem/problem.hpp"

namespace warpgrade::authoring {

/// What is wrong with a problem at these cases, each as a sentence. The inputs must be a function of the seed
/// and different from each other; the reference must agree with itself and accept itself; and a result that
/// is perturbed (one element, one step beyond the bound, NaN, two exchanged, the end missing, all zero, an
/// input changed) must be refused.
std::vector<std::string> mistakes_in_problem(const problem::Problem &, const std::vector<problem::Case> &,
                                             double tolerance);

/// Whether correct results in floats or doubles, rounded to half precision, pass in every case where that
/// changes them: then the tolerance says nothing about the single precision that is wanted.
bool accepts_half_precision(const problem::Problem &, const std::vector<problem::Case> &, double tolerance);

}  // namespace warpgrade::authoring
