#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "base/csv.hpp"
#include "base/text.hpp"
#include "gradebook/class_files.hpp"
#include "gradebook/class_policy.hpp"
#include "gradebook/class_run.hpp"
#include "gradebook/class_slurm.hpp"
#include "gradebook/gradebook.hpp"
#include "gradebook/outdated.hpp"
#include "gradebook/preview.hpp"
#include "gradebook/variant_rules.hpp"
#include "setup/selection.hpp"

namespace warpgrade::gradebook {

namespace {

/// What is graded again for these students.
std::vector<WantedAgain> files_of_named(const batch::Store &store, const course::Assignment &a,
                                        const std::vector<std::string> &students) {
  std::vector<WantedAgain> wanted;
  const std::vector<std::string> known = store.students();
  for (const std::string &id : students) {
    if (!std::binary_search(known.begin(), known.end(), id))
      throw UsageError(fmt::format("there is no student '{}' in {}", id, store.folder().string()));
    const batch::Student student = store.student(id);
    for (const auto &[step, file] : batch::steps_of(a))
      if (const std::string *hash = student.hash_of(file)) wanted.push_back({{step, *hash}, {id}});
  }
  return wanted;
}

/// Students, each with the steps that are graded again.
using StepsOfStudents = std::map<std::string, std::vector<std::string>>;
StepsOfStudents steps_of_students(const std::vector<WantedAgain> &wanted) {
  StepsOfStudents all;
  for (const WantedAgain &one : wanted)
    for (const std::string &student : one.whom) all[student].push_back(one.task.step);
  return all;
}

std::vector<WantedAgain> files_to_grade(const batch::Store &store, const course::Assignment &a,
                                        const RegradeOptions &w) {
  std::vector<WantedAgain> wanted = files_of_named(store, a, w.students);
  if (w.failed)
    for (batch::Task &task : store.with_verdict(batch::steps_of(a), judge::Verdict::grader_error)) {
      std::vector<std::string> whom = store.students_with_verdict(task, judge::Verdict::grader_error);
      wanted.push_back({std::move(task), std::move(whom)});
    }
  std::vector<WantedAgain> once;  // students may have handed in the same
  for (WantedAgain &one : wanted) {
    const auto same = std::find_if(once.begin(), once.end(),
                                   [&](const WantedAgain &other) { return other.task == one.task; });
    if (same == once.end()) {
      once.push_back(std::move(one));
      continue;
    }
    for (std::string &student : one.whom)
      if (std::find(same->whom.begin(), same->whom.end(), student) == same->whom.end())
        same->whom.push_back(std::move(student));
  }
  return once;
}

}  // namespace

void demand_same_device(const batch::Store &store, const ClassGrader &grader) {
  const std::string before = batch::device_of(store, grader.course.assignment).name;
  if (!before.empty() && before != grader.device.name)
    throw UsageError(
        fmt::format("this class was graded on {}, and here it would be {}: regrade --all, without --preview, "
                    "grades everybody "
                    "here",
                    before, grader.device.name));
}

namespace {

/// "step0, step1 (cases changed)"
std::string words_of_steps(const std::vector<std::string> &steps, const std::string &student,
                           const std::vector<OutdatedStep> &outdated) {
  std::vector<std::string> words;
  for (const std::string &step : steps) {
    const auto changed = std::find_if(outdated.begin(), outdated.end(), [&](const OutdatedStep &o) {
      return o.step == step && o.students.contains(student);
    });
    words.push_back(changed == outdated.end() ? step
                                              : fmt::format("{} ({} changed)", step, changed->difference));
  }
  return fmt::format("{}", fmt::join(words, ", "));
}

void show_who_would_change(const batch::Store &store, const ClassGrader &grader,
                           const StepsOfStudents &students, const std::set<std::string> &named,
                           const ConditionsOfStep &now) {
  const std::vector<OutdatedStep> outdated = outdated_steps(store, grader.course.assignment, now);
  const batch::RulesOf rules = rules_of(grader.course, grader.thresholds);
  fmt::print("Would be graded again:\n");
  for (const auto &[id, steps] : students) {
    const auto before = store.score(id);
    const batch::Scored scored = batch::score_student(store, rules, id);
    fmt::print("  {}: {}", for_terminal(id), words_of_steps(steps, id, outdated));
    if (before) fmt::print("; {}/{} now", points(before->points), points(before->max_points));
    if (before && scored.complete && scored.row != *before)
      fmt::print(", {}/{} with the current YAML files", points(scored.row.points),
                 points(scored.row.max_points));
    fmt::print("\n");
  }
  for (const std::string &id : named)
    if (!students.contains(id))
      fmt::print("  {}: nothing, without a file of the assignment\n", for_terminal(id));
}

/// Who keeps a result although it is of a file that is graded again.
void say_who_shares(const batch::Store &store, const course::Assignment &a,
                    const std::vector<WantedAgain> &wanted) {
  StepsOfStudents others;
  for (const WantedAgain &one : wanted)
    for (const std::string &id :
         store.students_with(find_step(a, one.task.step).path().string(), one.task.file))
      if (std::find(one.whom.begin(), one.whom.end(), id) == one.whom.end())
        others[id].push_back(one.task.step);
  std::vector<std::string> words;
  for (const auto &[id, steps] : others)
    words.push_back(fmt::format("{} ({})", for_terminal(id), fmt::join(steps, ", ")));
  if (!words.empty())
    fmt::print(stderr, "Students who handed in the same file keep their results: {}\n",
               fmt::join(words, ", "));
}

using ScoresBefore = std::map<std::string, std::optional<batch::ScoreRow>>;

void print_before_and_now(const batch::Store &store, const ClassGrader &grader, const ScoresBefore &before) {
  const batch::RulesOf rules = rules_of(grader.course, grader.thresholds);
  for (const auto &[id, row] : before) {
    if (row && row->status != batch::pending)
      fmt::print("{}: {}/{} before, now:\n", for_terminal(id), points(row->points), points(row->max_points));
    print_student(store, rules, id);
  }
}

int interrupted(const Interruption &interruption) {
  fmt::print(stderr, "interrupted; the same command continues, and so does 'gradebook run'\n");
  return 128 + interruption.signal().value_or(2);
}

int regrade_everybody(batch::Store &store, const ClassGrader &grader, const std::vector<WantedAgain> &wanted,
                      const Interruption &interruption) {
  std::vector<batch::Task> tasks;
  for (const WantedAgain &one : wanted) tasks.push_back(one.task);
  announce(store, grader);
  if (grader.words.executor == "slurm") forget_slurm_results(store, grader, tasks);
  store.want_again(tasks);
  if (!grade_pending(store, grader, interruption)) return interrupted(interruption);
  return conclude_class(store, grader.course);
}

}  // namespace

int regrade(RegradeOptions w) {
  if (w.students.empty() && !w.failed && !w.all)
    throw UsageError("regrade whom? Name students, or use --failed or --all");
  using Access = batch::Store::Access;
  batch::Store store(w.folder, w.dry_run ? Access::read : Access::change);
  if (!w.dry_run) remove_unfinished(store.folder());
  ClassCourse course = course_of(store);
  if (!w.all && settle_policy(store, course, w.grading.without_gpu))
    throw UsageError(
        "--without-gpu: the points of a class change for everybody: use regrade --all, or rescore");
  if (w.all) w.students = store.students();
  const std::vector<WantedAgain> wanted = files_to_grade(store, course.assignment, w);
  const Interruption interruption;
  const std::optional<ClassGrader> prepared = prepare(store, std::move(course), w.grading, interruption);
  if (!prepared) return interrupted(interruption);
  const ClassGrader &grader = *prepared;
  const course::Assignment &a = grader.course.assignment;
  if (!w.all) demand_same_device(store, grader);
  const ConditionsOfStep now = conditions_of(grader);
  const StepsOfStudents students = steps_of_students(wanted);
  const std::set<std::string> named(w.students.begin(), w.students.end());
  std::set<std::string> touched = named;
  for (const auto &[id, steps] : students) touched.insert(id);
  if (w.dry_run) {
    show_who_would_change(store, grader, students, touched, now);
    if (!w.all) say_who_shares(store, a, wanted);
    say_what_stays(store, grader.course, rules_of(grader.course, grader.thresholds), now, touched);
    fmt::print("Nothing was graded or written.\n");
    return full_score;
  }
  if (w.all) return regrade_everybody(store, grader, wanted, interruption);
  say_who_shares(store, a, wanted);
  ScoresBefore before;
  for (const std::string &id : w.students) before[id] = store.score(id);
  bool finished = false;
  store.note_regrading(
      batch::steps_of(a), {0, w.actor, fmt::format("regrade {}", fmt::join(touched, ", ")), ""},
      [&](const std::string &id) { return score_before(store, a, id); }, {touched.begin(), touched.end()},
      [&] { finished = grade_again(store, grader, wanted, interruption); });
  if (!finished) return interrupted(interruption);
  print_before_and_now(store, grader, before);
  say_what_stays(store, grader.course, rules_of(grader.course, grader.thresholds), now, touched);
  return conclude_class(store, grader.course);
}

}  // namespace warpgrade::gradebook
