// ./gradebook regrade DIR ID...: grades again what was graded.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <map>
#include <set>

#include "apps/class_files.hpp"
#include "apps/class_run.hpp"
#include "apps/class_slurm.hpp"
#include "apps/command_line.hpp"
#include "apps/gradebook_commands.hpp"
#include "base/csv.hpp"
#include "base/text.hpp"

namespace warpgrade::apps {

namespace {

std::vector<batch::Task> tasks_of(const batch::Store &store, const course::Assignment &a,
                                  const std::vector<std::string> &students) {
  std::vector<batch::Task> tasks;
  const std::vector<std::string> known = store.students();
  for (const std::string &id : students) {
    if (!std::binary_search(known.begin(), known.end(), id))
      throw UsageError(fmt::format("there is no student '{}' in {}", id, store.folder().string()));
    const batch::Student student = store.student(id);
    for (const auto &[step, file] : batch::steps_of(a))
      if (const std::string *hash = student.hash_of(file)) tasks.push_back({step, *hash});
  }
  return tasks;
}

/// Whose scores may change as well, since they handed in the same file.
std::size_t others_with(const batch::Store &store, const course::Assignment &a,
                        const std::vector<batch::Task> &tasks, const std::vector<std::string> &named) {
  std::set<std::string> others;
  for (const batch::Task &task : tasks)
    for (const std::string &student : store.students_with(find_step(a, task.step).path().string(), task.file))
      if (std::find(named.begin(), named.end(), student) == named.end()) others.insert(student);
  return others.size();
}

}  // namespace

int gradebook_regrade(const std::vector<std::string> &words) {
  GradingWords w;
  std::string folder;
  std::vector<std::string> ids;
  bool failed = false, all = false;
  CLI::App app(
      "Grades the handins of these students again, from the copies in the class's store. Until the new "
      "results are "
      "there,\nthe old ones count; points given by hand stay.",
      "gradebook regrade");
  app.add_option("folder", folder, "of the class: what --out named")->required();
  app.add_option("id", ids, "of students");
  app.add_flag("--failed", failed, "every file that the grader failed on");
  app.add_flag("--all", all, "everybody");
  add_grading_options(app, w);
  if (const auto status = parse(app, words)) return *status;
  if (ids.empty() && !failed && !all)
    throw UsageError("regrade whom? Name students, or say --failed or --all");

  batch::Store store(folder, batch::Store::Access::change);
  remove_unfinished(store.folder());
  ClassCourse course = course_of(store);
  if (all) ids = store.students();
  std::vector<batch::Task> tasks = tasks_of(store, course.assignment, ids);
  if (failed)
    for (batch::Task &task :
         store.with_verdict(batch::steps_of(course.assignment), judge::Verdict::grader_error))
      tasks.push_back(std::move(task));
  const Interruption interruption;
  const auto interrupted = [&interruption] {
    fmt::print(stderr, "interrupted; the same command continues, and so does 'gradebook run'\n");
    return 128 + interruption.signal().value_or(2);
  };
  const std::optional<ClassGrader> prepared = prepare(store, std::move(course), w, interruption);
  if (!prepared) return interrupted();
  const ClassGrader &grader = *prepared;
  announce(store, grader);
  if (w.executor == "slurm") forget_slurm_results(store, grader, tasks);
  store.want_again(tasks);
  if (const std::size_t others = failed || all ? 0 : others_with(store, grader.course.assignment, tasks, ids))
    fmt::print(stderr,
               "{} other student{} handed in some of the same files: the new results are theirs as well\n",
               others, others == 1 ? "" : "s");
  std::map<std::string, std::optional<batch::ScoreRow>> before;
  if (!all)
    for (const std::string &id : ids) before[id] = store.score(id);
  if (!grade_pending(store, grader, interruption)) return interrupted();
  for (const auto &[id, row] : before) {
    if (row && row->status != batch::pending)
      fmt::print("{}: {}/{} before, now:\n", for_terminal(id), points(row->points), points(row->max_points));
    print_student(store, grader.course, grader.thresholds, id);
  }
  return conclude_class(store, grader.course);
}

}  // namespace warpgrade::apps
