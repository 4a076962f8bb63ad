#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/csv.hpp"
#include "base/text.hpp"
#include "gradebook/class_files.hpp"
#include "gradebook/class_run.hpp"
#include "gradebook/gradebook.hpp"
#include "setup/selection.hpp"

namespace warpgrade::gradebook {

int override_points(const OverrideOptions &w) {
  batch::Store store(w.folder, batch::Store::Access::change);
  const ClassCourse course = course_of(store);
  const course::Step &step = find_step(course.assignment, w.step);
  if (step.beyond) throw UsageError(fmt::format("{} carries no points", step.id));
  const std::vector<std::string> known = store.students();
  if (!std::binary_search(known.begin(), known.end(), w.student))
    throw UsageError(fmt::format("there is no student '{}' in {}", w.student, w.folder));
  if (w.withdraw) {
    if (w.points || !w.reason.empty()) throw UsageError("--withdraw takes neither points nor a reason");
    if (!store.withdraw_override(w.student, step.id))
      throw UsageError(fmt::format("{} has no points by hand for {}", w.student, step.id));
  } else {
    if (!w.points) throw UsageError("how many points?");
    if (!(*w.points >= 0 && *w.points <= step.points.total()))
      throw UsageError(
          fmt::format("{} has from 0 to {} points", step.id, warpgrade::points(step.points.total())));
    if (w.reason.empty()) throw UsageError("say why: --reason \"...\"");
    store.override_points(w.student, {step.id, *w.points, w.reason});
  }
  const course::Thresholds thresholds = thresholds_of(store, course.folder, course.assignment);
  const batch::Scored scored = batch::score_student(store, course.assignment, thresholds, w.student);
  if (!scored.complete) {
    fmt::print("Noted; it counts as soon as the other steps of {} are graded.\n", for_terminal(w.student));
    return full_score;
  }
  const std::optional<batch::ScoreRow> before = store.score(w.student);
  store.keep_score(scored.row);
  write_report(store, course.assignment, thresholds, scored);
  write_grades(store, course.assignment);
  fmt::print("{}: {} -> {}\n", for_terminal(w.student), before ? warpgrade::points(before->points) : "-",
             warpgrade::points(scored.row.points));
  return full_score;
}

}  // namespace warpgrade::gradebook
