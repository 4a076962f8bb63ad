// Answers of students against what the simulator counted. Pure functions of both.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "course/assignment.hpp"
#include "judge/verdict.hpp"
#include "simt/counters.hpp"

namespace warpgrade::judge {

/// What is true: the value of a Fact. None where the kernel has no such access.
/// threads  of all launches of the call
/// source   the kernel's file, line by line, for AccessFilter::mark
std::optional<std::string> fact_of(const course::Question &, const simt::Counters &, std::uint64_t threads,
                                   const std::vector<std::string> &source);

/// What a formula may be made of in a case: every integer of the problem, spelt as it is and in capitals.
problem::Formula::Variables variables_of(const problem::Problem &, const problem::Case &);

/// A verdict for each question of the step, in their order: accepted, wrong_answer, not_implemented where
/// there is no answer yet, grader_error where nothing is known that an answer could be held against.
std::vector<CaseVerdict> judge_answers(const course::Assignment &, const course::Step &,
                                       const std::map<std::string, std::string> &answers);

}  // namespace warpgrade::judge
