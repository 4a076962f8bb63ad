#include <fmt/format.h>

#include <cmath>

#include "base/csv.hpp"
#include "base/text.hpp"
#include "gradebook/class_files.hpp"
#include "gradebook/class_policy.hpp"
#include "gradebook/class_run.hpp"
#include "gradebook/damage.hpp"
#include "gradebook/gradebook.hpp"
#include "gradebook/outdated.hpp"
#include "gradebook/variant_rules.hpp"
#include "setup/selection.hpp"

namespace warpgrade::gradebook {

namespace {

/// What was changed in the YAML that only a run can show.
void warn_of_conditions(const batch::Store &store, const ClassCourse &course,
                        const course::Thresholds &thresholds) {
  for (const OutdatedStep &o :
       outdated_steps(store, course.assignment, conditions_of_yaml(store, course, thresholds)))
    fmt::print(
        stderr, "{}: {} changed since {} graded; that shows only when 'gradebook run' grades {} again\n",
        o.step, o.difference, students_were(o.students.size()), o.students.size() == 1 ? "it" : "them");
}

std::string signed_points(double difference) {
  return (difference > 0 ? "+" : "") + points(difference);
}

/// "step3 20 -> 23.5, step4 0 -> 5"
std::string steps_that_changed(const batch::ScoreRow &before, const batch::ScoreRow &after) {
  std::vector<std::string> changes;
  for (const batch::ScoreRow::Step &now : after.steps) {
    const auto old = std::find_if(before.steps.begin(), before.steps.end(),
                                  [&](const batch::ScoreRow::Step &s) { return s.id == now.id; });
    const double was = old == before.steps.end() ? 0 : old->points.value_or(0);
    if (was != now.points.value_or(0))
      changes.push_back(fmt::format("{} {} -> {}", now.id, points(was), points(now.points.value_or(0))));
  }
  return fmt::format("{}", fmt::join(changes, ", "));
}

struct Summary {
  std::size_t students = 0, up = 0, down = 0, waiting = 0;
  double sum = 0;
};

void print_change(const batch::ScoreRow &before, const batch::ScoreRow &after, Summary &summary) {
  const double difference = after.points - before.points;
  const std::string steps = steps_that_changed(before, after);
  if (difference == 0 && steps.empty() && before.max_points == after.max_points) return;
  summary.up += difference > 0;
  summary.down += difference < 0;
  summary.sum += difference;
  std::string line =
      fmt::format("{:<16} {:>7} -> {:<7} {:>7}   {}", for_terminal(after.student), points(before.points),
                  points(after.points), signed_points(difference), steps);
  if (before.max_points != after.max_points)
    line += fmt::format("{}of {} -> of {}", steps.empty() ? "" : ", ", points(before.max_points),
                        points(after.max_points));
  fmt::print("{}\n", line);
}

}  // namespace

int rescore(const std::string &folder, bool dry_run, const std::string &without_gpu) {
  batch::Store store(folder, dry_run ? batch::Store::Access::read : batch::Store::Access::change);
  ClassCourse course = course_of(store);
  const bool new_policy = settle_policy(store, course, without_gpu);
  const course::Thresholds thresholds = thresholds_of(store, course.folder, course.assignment);
  warn_of_conditions(store, course, thresholds);
  if (new_policy && !dry_run)
    store.begin({course.assignment.name, store.info()->seed, course.assignment.without_gpu});
  const batch::RulesOf rules = rules_of(course, thresholds);
  Summary summary;
  const Interruption interruption;
  for (const std::string &id : store.students()) {
    if (interruption.signal()) break;
    ++summary.students;
    const batch::Scored scored = batch::score_student(store, rules, id);
    const std::optional<batch::ScoreRow> before = store.score(id);
    if (scored.damaged) continue;  // named in the end
    if (!scored.complete || !before) {
      ++summary.waiting;
      continue;
    }
    print_change(*before, scored.row, summary);
    if (dry_run) continue;
    store.keep_score(scored.row);
    write_report(store, scored);
  }
  if (!dry_run) write_grades(store, course.assignment);
  if (const auto signal = interruption.signal()) {
    fmt::print(stderr, "interrupted; what was computed is kept, and the same command continues\n");
    return 128 + *signal;
  }
  fmt::print("{} student{}: {} up, {} down, {} as before; {} points in all\n", summary.students,
             summary.students == 1 ? "" : "s", summary.up, summary.down,
             summary.students - summary.up - summary.down - summary.waiting, signed_points(summary.sum));
  if (summary.waiting > 0) fmt::print("{} not graded yet: 'gradebook run' grades them\n", summary.waiting);
  if (dry_run) fmt::print("Nothing was written.\n");
  return conclude_with_damage(store, course.assignment, full_score);
}

}  // namespace warpgrade::gradebook
