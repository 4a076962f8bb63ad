// Grading a class of a service again: what that would change, and changing it.
#include <fmt/format.h>

#include <set>

#include "base/text.hpp"
#include "gradebook/preview.hpp"
#include "grading/record_json.hpp"
#include "service/class_book.hpp"
#include "setup/selection.hpp"

namespace warpgrade::service {

bool ClassBook::course_changed() const {
  return gradebook::hash_of_course(grader_.course.folder) != course_as_read_;
}

std::string ClassBook::why_not_the_files_of_now() const {
  if (!course_changed()) return "";
  try {
    const course::Assignment a = course::read_assignment(grader_.course.folder);
    (void)course::read_thresholds(grader_.course.folder, a,
                                  grader_.device.gpu ? grader_.device.name : "none");
    return a.without_gpu == grader_.course.without_gpu_now
               ? ""
               : "assignment.yaml names another 'without_gpu'; stop the service, and change the class with "
                 "'gradebook rescore --without-gpu'";
  } catch (const course::ConfigError &e) {
    return for_terminal(e.what());
  }
}

void ClassBook::begin_preview(const std::vector<std::string> &students, const std::string &actor,
                              bool again) {
  const course::Assignment &a = grader_.course.assignment;
  store_.begin_preview(
      {actor, course_as_read_, a.without_gpu, WARPGRADE_VERSION},
      gradebook::files_to_preview(store_, a, gradebook::conditions_of(grader_), students, again), true);
}

void ClassBook::renew_preview() {
  const std::optional<batch::Preview> preview = store_.preview();
  if (!preview) return;
  std::set<std::string> once, again;
  for (const batch::PreviewFile &f : store_.preview_files()) (f.again ? again : once).insert(f.student);
  for (const std::string &student : again) once.erase(student);
  begin_preview({once.begin(), once.end()}, preview->actor, false);
  begin_preview({again.begin(), again.end()}, preview->actor, true);
}

void ClassBook::agree(const std::vector<std::string> &students) {
  for (const std::string &student : students) {
    for (const batch::Task &task : tasks_of(student)) {
      const std::optional<grading::StepRecord> record = store_.result_that_counts(student, task);
      if (!record) continue;
      const bool of_now = store_.result(task) == record && record->verdict != judge::Verdict::grader_error;
      // What no longer is a result under the conditions of now may not be copied for somebody else.
      jobs_.replace_result(grader_.course.assignment.name, student, task.step, task.file,
                           grading::to_json(*record), points_of(*record, task.file),
                           of_now ? fingerprint_ : "earlier conditions");
    }
    changed = true;
    recount(student);
  }
}

std::string ClassBook::apply_preview(const std::vector<std::string> &students, const std::string &actor) {
  const gradebook::Applied done = gradebook::apply_preview(store_, grader_.course, rules_, students, actor);
  agree(done.students);
  std::string detail = done.detail;
  for (const auto &[who, why] : {std::pair(&done.list.newer, "handed in or graded otherwise since"),
                                 {&done.list.failed, "the grader failed"}})
    if (students.empty() && !who->empty())
      detail += fmt::format("; left out, {}: {}", why, fmt::join(*who, ", "));
  return detail;
}

std::string ClassBook::undo_regrading() {
  const gradebook::Undone done = gradebook::undo_regrading(store_, grader_.course, rules_);
  agree(done.students);
  std::string detail =
      fmt::format("of {} at {} UTC ({}): {} student{}", done.what.actor, done.what.at, done.what.detail,
                  done.students.size(), done.students.size() == 1 ? "" : "s");
  if (!done.kept.empty())
    detail += fmt::format("; graded again since, which stays: {}", fmt::join(done.kept, ", "));
  return detail;
}

}  // namespace warpgrade::service
