// A course at a glance, as data: who has not started, who is stuck, how each step progresses, which mistakes grow. A pure
// function of outcomes.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "service/glance/outcomes.hpp"

namespace warpgrade::service {

/// So often the same in a row, and a student counts as stuck.
inline constexpr int stuck_after = 3;

struct StudentAtStep {
  int runs = 0, submissions = 0;
  bool accepted = false;  ///< ever, in the workspace or in a submission
  bool accepted_as_submitted = false;
  std::int64_t latest = 0;  ///< 0: never
  double points = 0;        ///< the most of a submission
};

struct Stuck {
  std::string student, step;
  Outcome latest;
  int times = 0;  ///< in a row
  std::int64_t since = 0;
};

struct StepProgress {
  std::string step;
  int started = 0, accepted = 0;  ///< students
  /// Students whose first accepted result came by then; ascending.
  std::vector<std::pair<std::int64_t, int>> over_time;
};

struct GrowingCause {
  std::string step, rule, said;
  int students = 0;            ///< in all
  int lately = 0, before = 0;  ///< students who had it within the latest span, and within the one before
};

struct Glance {
  std::map<std::string, std::map<std::string, StudentAtStep>> students;  ///< everybody on the roster; by step
  std::set<std::string> not_started, submitted;
  std::vector<Stuck> stuck;          ///< most times first
  std::vector<StepProgress> steps;   ///< as the assignment has them
  std::vector<GrowingCause> causes;  ///< those that grew most first
};

/// outcomes: of one assignment, the earliest first. students: who counts, others (staff) do not. writing: who has saved a draft,
/// and therefore has started. span: seconds over which causes are compared.
Glance glance_at(const std::vector<Outcome> &outcomes, const std::vector<std::string> &students,
                 const std::set<std::string> &writing, const std::vector<std::string> &steps,
                 std::int64_t now, std::int64_t span);

}  // namespace warpgrade::service
