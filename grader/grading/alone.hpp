// Inputs that are 0 but for a few elements, which are 1: with these, a person can follow a wrong term by hand.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "grading/grading.hpp"
#include "grading/influence.hpp"
#include "problem/problem.hpp"

namespace warpgrade::grading {

/// The type of the elements of an input, if it is a number of which all values are allowed.
std::optional<problem::Type> free_type(const problem::Problem &, const problem::Case &,
                                       const std::vector<run::HostBuffer> &inputs, std::size_t buffer);

/// "A[0, 5]"
std::string name_of(const problem::Problem &, const problem::Case &, std::size_t buffer,
                    std::uint64_t element);

/// "A[0][5]" and "A[0, 5]" are the same.
bool same_element(const std::string &, const std::string &);
double value_at(const std::vector<run::HostBuffer> &outputs, const problem::Problem::Place &);

/// The same inputs with 1 in the named elements ("A[0][5]" or "A[0, 5]"), and 0 in all others that may have any value.
/// Throws std::invalid_argument if there is no such element, or if it may not have any value.
std::vector<run::HostBuffer> alone(const problem::Problem &, const problem::Case &,
                                   std::vector<run::HostBuffer> inputs,
                                   const std::vector<std::string> &names);

/// Elements that show alone that result `number` is wrong: one of the suspects, which are elements of an input with a wrong
/// part in it, and what it is multiplied by. Empty if a few runs find none.
std::vector<std::string> wrong_alone(const problem::Problem &, const problem::Case &,
                                     const std::vector<run::HostBuffer> &inputs, std::size_t buffer,
                                     const std::vector<std::uint64_t> &suspects, std::size_t number,
                                     const RunAgain &run_again);

/// The inputs of a case, as the options say.
std::vector<run::HostBuffer> inputs_for(const Options &, const problem::Problem &, const problem::Case &,
                                        std::uint64_t seed);

/// "A[0][5],B[5][3]" in its parts.
std::vector<std::string> split_elements(const std::string &);

}  // namespace warpgrade::grading
