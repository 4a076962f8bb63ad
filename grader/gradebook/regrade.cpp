#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/csv.hpp"
#include "base/text.hpp"
#include "gradebook/class_files.hpp"
#include "gradebook/class_run.hpp"
#include "gradebook/class_slurm.hpp"
#include "gradebook/gradebook.hpp"
#include "setup/selection.hpp"

namespace warpgrade::gradebook {

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

int regrade(RegradeOptions w) {
  if (w.students.empty() && !w.failed && !w.all)
    throw UsageError("regrade whom? Name students, or say --failed or --all");

  batch::Store store(w.folder, batch::Store::Access::change);
  remove_unfinished(store.folder());
  ClassCourse course = course_of(store);
  if (w.all) w.students = store.students();
  std::vector<batch::Task> tasks = tasks_of(store, course.assignment, w.students);
  if (w.failed)
    for (batch::Task &task :
         store.with_verdict(batch::steps_of(course.assignment), judge::Verdict::grader_error))
      tasks.push_back(std::move(task));
  const Interruption interruption;
  const auto interrupted = [&interruption] {
    fmt::print(stderr, "interrupted; the same command continues, and so does 'gradebook run'\n");
    return 128 + interruption.signal().value_or(2);
  };
  const std::optional<ClassGrader> prepared = prepare(store, std::move(course), w.grading, interruption);
  if (!prepared) return interrupted();
  const ClassGrader &grader = *prepared;
  announce(store, grader);
  if (w.grading.executor == "slurm") forget_slurm_results(store, grader, tasks);
  store.want_again(tasks);
  if (const std::size_t others =
          w.failed || w.all ? 0 : others_with(store, grader.course.assignment, tasks, w.students))
    fmt::print(stderr,
               "{} other student{} handed in some of the same files: the new results are theirs as well\n",
               others, others == 1 ? "" : "s");
  std::map<std::string, std::optional<batch::ScoreRow>> before;
  if (!w.all)
    for (const std::string &id : w.students) before[id] = store.score(id);
  if (!grade_pending(store, grader, interruption)) return interrupted();
  for (const auto &[id, row] : before) {
    if (row && row->status != batch::pending)
      fmt::print("{}: {}/{} before, now:\n", for_terminal(id), points(row->points), points(row->max_points));
    print_student(store, grader.course, grader.thresholds, id);
  }
  return conclude_class(store, grader.course);
}

}  // namespace warpgrade::gradebook
