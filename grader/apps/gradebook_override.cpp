// ./gradebook override DIR ID STEP POINTS --reason "...": points that a person gives.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <optional>

#include "apps/class_files.hpp"
#include "apps/class_run.hpp"
#include "apps/command_line.hpp"
#include "apps/gradebook_commands.hpp"
#include "base/csv.hpp"
#include "base/text.hpp"

namespace warpgrade::apps {

int gradebook_override(const std::vector<std::string> &words) {
  std::string folder, id, step_id, reason;
  std::optional<double> points;
  bool withdraw = false;
  CLI::App app(
      "Gives a student's step these points in place of the computed ones, until they are withdrawn: grading "
      "and "
      "scoring\nagain leave them. They and the reason are shown in the student's score.json.",
      "gradebook override");
  app.add_option("folder", folder, "of the class: what --out of 'gradebook run' named")->required();
  app.add_option("id", id, "of the student")->required();
  app.add_option("step", step_id, "such as step3")->required();
  app.add_option("points", points, "from 0 to the step's most");
  app.add_option("--reason", reason, "why; the student reads it");
  app.add_flag("--withdraw", withdraw, "let the computed points count again");
  if (const auto status = parse(app, words)) return *status;

  batch::Store store(folder, batch::Store::Access::change);
  const ClassCourse course = course_of(store);
  const course::Step &step = find_step(course.assignment, step_id);
  if (step.beyond) throw UsageError(fmt::format("{} carries no points", step.id));
  const std::vector<std::string> known = store.students();
  if (!std::binary_search(known.begin(), known.end(), id))
    throw UsageError(fmt::format("there is no student '{}' in {}", id, folder));
  if (withdraw) {
    if (points || !reason.empty()) throw UsageError("--withdraw takes neither points nor a reason");
    if (!store.withdraw_override(id, step.id))
      throw UsageError(fmt::format("{} has no points by hand for {}", id, step.id));
  } else {
    if (!points) throw UsageError("how many points?");
    if (!(*points >= 0 && *points <= step.points.total()))
      throw UsageError(
          fmt::format("{} has from 0 to {} points", step.id, warpgrade::points(step.points.total())));
    if (reason.empty()) throw UsageError("say why: --reason \"...\"");
    store.override_points(id, {step.id, *points, reason});
  }
  const course::Thresholds thresholds = thresholds_of(store, course.folder, course.assignment);
  const batch::Scored scored = batch::score_student(store, course.assignment, thresholds, id);
  if (!scored.complete) {
    fmt::print("Noted; it counts as soon as the other steps of {} are graded.\n", for_terminal(id));
    return full_score;
  }
  const std::optional<batch::ScoreRow> before = store.score(id);
  store.keep_score(scored.row);
  write_report(store, course.assignment, thresholds, scored);
  write_grades(store, course.assignment);
  fmt::print("{}: {} -> {}\n", for_terminal(id), before ? warpgrade::points(before->points) : "-",
             warpgrade::points(scored.row.points));
  return full_score;
}

}  // namespace warpgrade::apps
