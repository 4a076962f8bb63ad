// Students' answers compared with what the simulator counted. Pure functions of both.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "counters/counters.hpp"
#include "course/assignment.hpp"
#include "judge/verdict.hpp"

namespace warpgrade::judge {

/// What is true: the value of a Fact. None where the kernel has no such access.
/// threads  of all launches of the call
/// source   the kernel's file, line by line, for AccessFilter::mark
std::optional<std::string> fact_of(const course::Question &, const simt::Counters &, std::uint64_t threads,
                                   const std::vector<std::string> &source);

/// What a formula may be made of in a case: every integer of the problem, spelt as it is and in capitals.
problem::Formula::Variables variables_of(const problem::Problem &, const problem::Case &);

/// The hash by which a kit recognises the right answer; `salt` as for seal(). Throws std::invalid_argument if
/// facts are missing.
std::string sealed_fact(const course::Question &, std::string_view salt);

/// A verdict for each question of the step, in their order: accepted; wrong_answer; not_implemented if there
/// is not an answer yet; grader_error if facts.yaml should have the answer and does not. In a kit, an answer
/// that could be right and for which the kit has no hash is left to the course.
std::vector<CaseVerdict> judge_answers(const course::Assignment &, const course::Step &,
                                       const std::map<std::string, std::string> &answers);

}  // namespace warpgrade::judge
