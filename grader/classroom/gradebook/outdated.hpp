// What of a class does not follow from the YAML files as they are now: results under earlier conditions, and
// points.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <vector>

#include "batch/store.hpp"
#include "gradebook/class_run.hpp"

namespace warpgrade::gradebook {

/// Files of one step with results under other conditions than `now`.
struct OutdatedStep {
  std::string step;
  std::string difference;          ///< "cases, tolerance"
  std::set<std::string> students;  ///< whose files these are
};
/// For files of a variant, by its name; empty: the files as they are.
using ConditionsOfStep = std::function<batch::Grading(const course::Step &, const std::string &variant)>;
/// With what grades now. It must live as long.
ConditionsOfStep conditions_of(const ClassGrader &);
std::vector<OutdatedStep> outdated_steps(const batch::Store &, const course::Assignment &,
                                         const ConditionsOfStep &now);

/// With the YAML files of now, and the compiler, version and device that graded before.
ConditionsOfStep conditions_of_yaml(const batch::Store &, const ClassCourse &, const course::Thresholds &);

/// "6 students were" and "1 student was".
std::string students_were(std::size_t);

/// What regrading `students` leaves to other commands, on standard error: results under earlier conditions
/// and changed points of everybody else.
void say_what_stays(const batch::Store &, const ClassCourse &, const batch::RulesOf &,
                    const ConditionsOfStep &now, const std::set<std::string> &students);

}  // namespace warpgrade::gradebook
