// Grading a class of a service again: what that would change, and changing it.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <ctime>
#include <map>
#include <set>

#include "base/text.hpp"
#include "base/usage.hpp"
#include "gradebook/class_files.hpp"
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

void ClassBook::begin_preview(const std::vector<std::string> &students, const std::string &actor, bool again,
                              const std::string &begun) {
  const course::Assignment &a = grader_.course.assignment;
  std::vector<std::string> readable;
  for (const std::string &student : students)
    if (!is_held(student)) readable.push_back(student);
  if (readable.empty() && !students.empty())
    throw UsageError("the variants of these students cannot be read at the moment; the page Staff says why");
  store_.begin_preview(
      {actor, course_as_read_, a.without_gpu, WARPGRADE_VERSION, begun},
      gradebook::files_to_preview(store_, a, gradebook::conditions_of(grader_), readable, again), true);
}

void ClassBook::renew_preview() {
  const std::optional<batch::Preview> preview = store_.preview();
  if (!preview) return;
  // What somebody has seen and decided about stays that preview, if it still says the same.
  const std::string begun =
      gradebook::changed_since_preview(store_, grader_.course, course_as_read_).empty() ? preview->begun : "";
  std::set<std::string> once, again;
  for (const batch::PreviewFile &f : store_.preview_files()) (f.again ? again : once).insert(f.student);
  for (const std::string &student : again) once.erase(student);
  for (const auto &[students, anew] : {std::pair(&once, false), {&again, true}}) {
    std::erase_if(*students, [this](const std::string &student) { return is_held(student); });
    begin_preview({students->begin(), students->end()}, preview->actor, anew, begun);
  }
}

bool ClassBook::replace_results(const std::string &student) {
  bool other = false;
  for (const batch::Task &task : tasks_of(student)) {
    const std::optional<grading::StepRecord> record = store_.result_that_counts(student, task);
    if (!record || !why_file_is_held(task.file).empty()) continue;
    const bool ours = record->verdict == judge::Verdict::grader_error;
    // What no longer is a result under the conditions of now may not be copied for somebody else.
    const std::string conditions = ours                            ? ""
                                   : store_.result(task) == record ? fingerprint_
                                                                   : "earlier conditions";
    other |= jobs_.replace_result(grader_.course.assignment.name, student, task.step, task.file,
                                  grading::to_json(*record), points_of(*record, task.file), conditions);
  }
  return other;
}

void ClassBook::agree(const std::vector<std::string> &students) {
  for (const std::string &student : students) {
    replace_results(student);
    changed = true;
    recount(student);
  }
}

void ClassBook::agree() {
  for (const std::string &student : store_.students())
    if (replace_results(student)) recount(student);
}

std::size_t ClassBook::compute_points(const std::function<bool()> &stop) {
  std::map<std::string, batch::ScoreRow> before;
  for (const std::string &student : store_.students())
    if (auto score = store_.score(student)) before[student] = std::move(*score);
  gradebook::write_all(store_, grader_.course.assignment, rules_, stop);
  std::size_t changed_scores = 0;
  for (const auto &[student, was] : before) {
    const std::optional<batch::ScoreRow> now = store_.score(student);
    changed_scores += now && (now->points != was.points || now->max_points != was.max_points);
  }
  return changed_scores;
}

void ClassBook::use_present_conditions() {
  const course::Assignment &a = grader_.course.assignment;
  store_.change_only({}, batch::steps_of(a), [&] {
    const gradebook::ConditionsOfStep now = gradebook::conditions_of(grader_);
    for (const course::Step &step : a.steps)
      if (!step.beyond) store_.grade_with(now(step, ""));
    gradebook::announce_variants(store_, grader_, true);
  });
}

AuditEntry ClassBook::decide(const Order &o) {
  const std::string order = fmt::format("{} {}", o.id, o.step);
  AuditEntry came{std::time(nullptr), o.student, "", grader_.course.assignment.name, ""};
  const std::optional<batch::Preview> preview = store_.preview();
  const bool other = !preview || preview->begun != o.step;
  try {
    if (o.kind == Order::Kind::discard) {
      if (preview && other) throw UsageError("there is another preview by now. Nothing was discarded");
      store_.end_preview();
      came.what = "regrade discarded";
    } else if (o.kind == Order::Kind::apply) {
      came.what = "regrade applied";
      if (const auto before = store_.regrading_by(order)) {
        agree(store_.students_of_regrading(before->id));
        came.detail = before->detail;
      } else if (other) {
        throw UsageError(
            "the preview was applied or discarded, or there is another one. Nothing was applied");
      } else {
        came.detail = apply_preview(lines_of(o.reason), o.student, order);
      }
    } else {
      came.what = "regrade undone";
      const auto latest = store_.latest_regrading();
      const auto before = store_.regrading(whole_number(o.step).value_or(0));
      if (before && before->undone && before->undone_by == order) {
        use_present_conditions();
        agree(store_.students_of_regrading(before->id));
        came.detail = fmt::format("of {} at {} UTC ({})", before->actor, before->at, before->detail);
      } else if (!before || before->undone || !latest || latest->id != before->id) {
        throw UsageError(before && before->undone ? "this was undone already. Nothing was changed"
                                                  : "something else was applied since. Nothing was undone");
      } else {
        came.detail = undo_regrading(order);
      }
    }
  } catch (const UsageError &e) {
    came.what = "regrade refused";
    came.detail = e.what();
  } catch (const variants::UnreadableVariant &e) {
    came.what = "regrade refused";
    came.detail = for_terminal(e.what());
  }
  return came;
}

std::string ClassBook::apply_preview(const std::vector<std::string> &students, const std::string &actor,
                                     const std::string &order) {
  const gradebook::Applied done =
      gradebook::apply_preview(store_, grader_.course, rules_, students, actor, order);
  agree(done.students);
  std::string detail = done.detail;
  for (const auto &[who, why] : {std::pair(&done.list.newer, "handed in or graded otherwise since"),
                                 {&done.list.failed, "the grader failed"}})
    if (students.empty() && !who->empty())
      detail += fmt::format("; left out, {}: {}", why, fmt::join(*who, ", "));
  return detail;
}

std::string ClassBook::undo_regrading(const std::string &order) {
  const gradebook::Undone done = gradebook::undo_regrading(store_, grader_.course, rules_, order);
  use_present_conditions();
  agree(done.students);
  std::string detail =
      fmt::format("of {} at {} UTC ({}): {} student{}", done.what.actor, done.what.at, done.what.detail,
                  done.students.size(), done.students.size() == 1 ? "" : "s");
  if (!done.kept.empty())
    detail += fmt::format("; graded again since, which stays: {}", fmt::join(done.kept, ", "));
  return detail;
}

}  // namespace warpgrade::service
