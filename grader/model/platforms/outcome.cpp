#include "platforms/outcome.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text.hpp"

namespace warpgrade::platforms {

Json number(double v) {
  return std::isfinite(v) ? Json(v) : Json(nullptr);
}

std::string outcome(const StepGrade &step) {
  if (step.by_hand) return "points given by hand: " + *step.by_hand;
  if (step.verdict.empty()) return "not graded yet";
  std::string text = step.verdict;
  if (!step.explanation().empty()) text += ": " + step.explanation();
  if (step.verdict == "grader_error")
    text += "; the grader failed here, which costs no points: a person will look at it";
  else if (step.ungraded_points > 0)
    text += fmt::format("; {} of {} points wait for a measurement", points(step.ungraded_points),
                        points(step.max_points));
  return text;
}

double share_of(const StudentGrades &s) {
  const double share = s.max_points > 0 ? s.points / s.max_points : 0;
  return std::isfinite(share) ? std::clamp(share, 0.0, 1.0) : 0;
}

std::string points_of(const StudentGrades &s) {
  std::string text = fmt::format("{} of {} points", points(s.points), points(s.max_points));
  if (s.ungraded_points > 0) text += fmt::format(", {} not yet decided", points(s.ungraded_points));
  return text;
}

std::string title_of(const StepGrade &step) {
  return step.id + (step.title.empty() ? "" : ": " + step.title) +
         (step.extra_credit ? " (extra credit)" : "");
}

}  // namespace warpgrade::platforms
