// ./gradebook regrade --preview, --apply, --discard and --undo.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/csv.hpp"
#include "base/files.hpp"
#include "base/text.hpp"
#include "gradebook/class_files.hpp"
#include "gradebook/class_policy.hpp"
#include "gradebook/class_run.hpp"
#include "gradebook/gradebook.hpp"
#include "gradebook/preview.hpp"
#include "gradebook/variant_rules.hpp"
#include "setup/selection.hpp"

namespace warpgrade::gradebook {

namespace {

/// Whose files a preview takes.
std::vector<std::string> previewed_students(const batch::Store &store, const RegradeOptions &w) {
  if (w.all) return store.students();
  std::set<std::string> ids(w.students.begin(), w.students.end());
  const std::vector<std::string> known = store.students();
  for (const std::string &id : ids)
    if (!std::binary_search(known.begin(), known.end(), id))
      throw UsageError(fmt::format("there is no student '{}' in {}", id, w.folder));
  if (ids.empty() && !w.failed)
    for (const batch::PreviewFile &f : store.preview_files()) ids.insert(f.student);
  return {ids.begin(), ids.end()};
}

std::vector<batch::PreviewFile> files_wanted(const batch::Store &store, const ClassGrader &grader,
                                             const RegradeOptions &w) {
  const course::Assignment &a = grader.course.assignment;
  const ConditionsOfStep now = conditions_of(grader);
  std::vector<batch::PreviewFile> files =
      files_to_preview(store, a, now, previewed_students(store, w), !w.students.empty());
  if (w.students.empty() && !w.all && !w.failed) {  // as the earlier preview has them
    const std::vector<batch::PreviewFile> before = store.preview_files();
    for (batch::PreviewFile &f : files)
      f.again |= std::any_of(before.begin(), before.end(), [&](const batch::PreviewFile &b) {
        return b.student == f.student && b.task == f.task && b.again;
      });
  }
  if (!w.failed) return files;
  std::vector<batch::PreviewFile> failed = files_to_preview(store, a, now, store.students(), false);
  for (batch::PreviewFile &f : failed) {
    const auto same = [&](const batch::PreviewFile &b) { return b.student == f.student; };
    if (!w.all && std::any_of(files.begin(), files.end(), same)) continue;
    // All steps of who has a failure, so that the points are whole; only what failed is run.
    if (std::any_of(failed.begin(), failed.end(),
                    [&](const batch::PreviewFile &b) { return b.student == f.student && b.again; }))
      files.push_back(f);
  }
  return files;
}

void print_changes(const PreviewList &list) {
  for (const StudentChange &c : list.changes) {
    fmt::print("{}{}: {}/{} -> {}/{}{}\n", for_terminal(c.student),
               c.name.empty() ? "" : fmt::format(" ({})", for_terminal(c.name)), points(c.before),
               points(c.max_before), points(c.now), points(c.max_now), c.why.empty() ? "" : "   " + c.why);
    for (const StepChange &s : c.steps)
      fmt::print("  {:<10} {:<20} -> {:<20} {:>6} -> {:<6} {}{}\n", s.step,
                 s.verdict_before.empty() ? "-" : s.verdict_before, s.verdict_now, points(s.points_before),
                 points(s.points_now), s.why, s.by_hand ? "; points by hand stay" : "");
  }
}

void print_left_out(const char *why, const std::vector<std::string> &students) {
  if (!students.empty())
    fmt::print("{}: {}\n", why, for_terminal(fmt::format("{}", fmt::join(students, ", "))));
}

/// The course, counting as the class would after the preview is applied.
ClassCourse course_of_preview(const batch::Store &store) {
  ClassCourse course = course_of(store);
  if (const auto preview = store.preview()) course.assignment.without_gpu = preview->without_gpu;
  return course;
}

}  // namespace

int preview_regrade(RegradeOptions w) {
  batch::Store store(w.folder, batch::Store::Access::change);
  if (w.students.empty() && !w.failed && !w.all && !store.preview())
    throw UsageError("preview whom? Name students, or use --failed or --all");
  remove_unfinished(store.folder());
  ClassCourse course = course_of(store);
  const Interruption interruption;
  const auto interrupted = [&] {
    fmt::print(stderr, "interrupted; the same command continues, and nothing that counts has changed\n");
    return 128 + interruption.signal().value_or(2);
  };
  const std::string as_it_is = hash_of_course(course.folder);
  const std::optional<ClassGrader> prepared = prepare(store, std::move(course), w.grading, interruption);
  if (!prepared) return interrupted();
  const ClassGrader &grader = *prepared;
  demand_same_device(store, grader);
  const std::vector<batch::PreviewFile> files = files_wanted(store, grader, w);
  if (files.empty())
    throw UsageError("there is nothing to preview: none of these students has a result that counts");
  std::set<std::string> dropped, kept;
  for (const batch::PreviewFile &f : files) kept.insert(f.student);
  for (const batch::PreviewFile &f : store.preview_files())
    if (!kept.contains(f.student)) dropped.insert(f.student);
  if (!dropped.empty())
    fmt::print(stderr, "this takes the place of the earlier preview, and leaves out {} student{} of it\n",
               dropped.size(), dropped.size() == 1 ? "" : "s");
  store.begin_preview({w.actor, as_it_is, grader.course.assignment.without_gpu, WARPGRADE_VERSION}, files,
                      false);
  const std::size_t to_run = store.to_preview().size();
  fmt::print(stderr, "{} file{} to run; nothing that counts changes\n", to_run, to_run == 1 ? "" : "s");
  if (!grade_preview(store, grader, interruption)) return interrupted();
  const batch::RulesOf rules = rules_of(grader.course, grader.thresholds);
  const PreviewList list = list_preview(store, rules);
  print_changes(list);
  fmt::print("{}\n", summary_of(list));
  print_left_out("Left out, since the grader failed on a file; --preview tries again", list.failed);
  print_left_out("Left out, since there is no score yet; 'gradebook run' makes it", list.newer);
  if (!w.csv.empty()) write_whole(w.csv, csv_of(list));
  const std::string folder = shell_word(w.folder);
  fmt::print(
      "Nothing counts yet. 'gradebook regrade {0} --apply' gives all of them these results, 'gradebook "
      "regrade {0} "
      "--apply STUDENT...' some, and 'gradebook regrade {0} --discard' throws them away.\n",
      folder);
  return full_score;
}

int apply_regrade(const RegradeOptions &w, std::string &detail) {
  batch::Store store(w.folder, batch::Store::Access::change);
  remove_unfinished(store.folder());
  const ClassCourse course = course_of_preview(store);
  const batch::RulesOf rules = rules_of(store, course);
  const Applied done = apply_preview(store, course, rules, w.students, w.actor);
  detail = done.detail;
  fmt::print("Applied to {}.\n", done.detail);
  if (w.students.empty()) {
    print_left_out("Left out, since they handed in something since, or were graded otherwise",
                   done.list.newer);
    print_left_out("Left out, since the grader failed on a file in the preview", done.list.failed);
  }
  fmt::print("'gradebook regrade {} --undo' returns what counted before.\n", shell_word(w.folder));
  return full_score;
}

int discard_regrade(const RegradeOptions &w) {
  batch::Store store(w.folder, batch::Store::Access::change);
  if (!store.preview()) throw UsageError("there is no preview to discard");
  store.end_preview();
  fmt::print("The preview is gone; what counts is as it was.\n");
  return full_score;
}

int undo_regrade(const RegradeOptions &w, std::string &detail) {
  batch::Store store(w.folder, batch::Store::Access::change);
  remove_unfinished(store.folder());
  ClassCourse course = course_of(store);
  if (const auto what = store.latest_regrading(); what && what->without_gpu)
    course.assignment.without_gpu = *what->without_gpu;
  const batch::RulesOf rules = rules_of(store, course);
  const Undone done = undo_regrading(store, course, rules);
  detail = fmt::format("of {}: {}", done.what.at, done.what.detail);
  fmt::print("Undone: what {} changed at {} UTC ({}).\n", for_terminal(done.what.actor), done.what.at,
             for_terminal(done.what.detail));
  fmt::print("What counted before counts again for {} student{}.\n", done.students.size(),
             done.students.size() == 1 ? "" : "s");
  print_left_out(
      "Points computed again, since there are points by hand, a new submission or other rules since",
      done.recomputed);
  print_left_out("Graded again since, which stays", done.kept);
  return full_score;
}

}  // namespace warpgrade::gradebook
