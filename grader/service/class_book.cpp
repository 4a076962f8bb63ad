#include "service/class_book.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/text.hpp"
#include "base/usage.hpp"
#include "batch/scoring.hpp"
#include "gradebook/class_files.hpp"
#include "grading/record_json.hpp"
#include "score/late.hpp"
#include "score/score.hpp"
#include "setup/selection.hpp"

namespace warpgrade::service {

namespace {

constexpr const char *what_counts = "submissions to the service";

std::string source_of(std::int64_t submission) {
  return fmt::format("submission {}", submission);
}

}  // namespace

double ClassBook::points_of(const grading::StepRecord &record, const std::string &file) {
  const gradebook::VariantCourse *own = nullptr;
  if (!grader_.course.assignment.variants.empty())
    if (const std::string variant = jobs_.variant_of(file); !variant.empty())
      own = &variants_->named(store_, variant);
  const course::Assignment &a = own ? own->assignment : grader_.course.assignment;
  const course::WithoutGpu policy = grader_.device.gpu ? course::WithoutGpu::leave : a.without_gpu;
  return score::score_step(find_step(a, record.id), own ? own->thresholds : thresholds_, record, policy)
      .points;
}

const std::string &ClassBook::why_held(const std::string &variant) {
  static const std::string nothing;
  if (variant.empty()) return nothing;
  const auto [known, fresh] = held_.try_emplace(variant);
  if (!fresh) return known->second;
  try {
    (void)variants_->named(store_, variant);
    std::vector<batch::Grading> conditions;
    for (const course::Step &step : grader_.course.assignment.steps)
      if (!step.beyond) conditions.push_back(conditions_.of(grader_.setup(), step, variant));
    outdated = outdated || course_changed();
    if (!outdated)
      for (const batch::Grading &g : conditions) store_.grade_with(g);
  } catch (const variants::UnreadableVariant &e) {
    known->second = e.what();
    fmt::print(stderr, "{}: {}. Its students wait; others are graded.\n", grader_.course.assignment.name,
               for_terminal(e.what()));
  }
  return known->second;
}

std::string ClassBook::why_file_is_held(const std::string &file) {
  return grader_.course.assignment.variants.empty() ? "" : why_held(jobs_.variant_of(file));
}

bool ClassBook::mended() const {
  return std::any_of(held_.begin(), held_.end(), [this](const auto &one) {
    if (one.second.empty()) return false;
    try {
      const gradebook::ClassCourse &c = grader_.course;
      const auto all = variants::demand_variants(c.folder, c.assignment.name);
      (void)variants::WrittenCourse(c.root, all, one.first,
                                    grader_.device.gpu ? grader_.device.name : "none");
      return true;
    } catch (const course::ConfigError &) {
      return false;
    } catch (const UsageError &) {
      return false;
    }
  });
}

bool ClassBook::variant_changed(const batch::Task &task, const std::string &conditions) {
  const std::string variant = jobs_.variant_of(task.file);
  try {
    return gradebook::variant_has_changed(grader_, task.step, variant, conditions);
  } catch (const variants::UnreadableVariant &e) {
    held_[variant] = e.what();
    return false;
  } catch (const course::ConfigError &) {
    return true;  // the next process says what is wrong
  } catch (const UsageError &) {
    return true;
  }
}

bool ClassBook::take_in(const std::string &student, const std::string &source, std::int64_t time,
                        const std::vector<Part> &parts, bool counts) {
  batch::Handin handin;
  handin.student = student;
  handin.source = source;
  handin.handed_in = time;
  handin.time_known = true;
  bool readable = true;
  for (const Part &part : parts) {
    std::string content = jobs_.content(part.file), variant = variants::unmarked(content).variant;
    readable = why_held(variant).empty() && readable;
    handin.files.push_back({find_step(grader_.course.assignment, part.step).path().string(),
                            std::move(content), std::move(variant)});
  }
  std::sort(handin.files.begin(), handin.files.end(),
            [](const batch::HandedFile &a, const batch::HandedFile &b) { return a.name < b.name; });
  if (!counts) handin.superseded_by = what_counts;
  store_.take_in(handin);
  store_.finish_taking_in();
  return readable;
}

void ClassBook::take_in_new() {
  const std::string &assignment = grader_.course.assignment.name;
  std::set<std::string> students;
  for (const std::int64_t id : jobs_.untaken(assignment)) {
    const std::optional<Submission> s = jobs_.submission(id);
    if (!s) continue;
    take_in(s->student, source_of(id), s->received, s->parts, false);
    // A copied result is the class's own, but for a class whose store was put back from an older backup.
    for (const Part &part : s->parts) {
      const batch::Task task{part.step, part.file};
      if (part.state != State::done) continue;
      if (const auto result = store_.result(task)) {
        store_.follow(s->student, task);
        // Of several under these conditions, the class's counts, not the one that the queue happened to copy.
        if (result->verdict != judge::Verdict::grader_error && why_file_is_held(part.file).empty())
          jobs_.replace_result(assignment, s->student, part.step, part.file, grading::to_json(*result),
                               points_of(*result, part.file), fingerprint_);
      } else if (!keep_known(task))
        jobs_.queue_again(assignment, part.step, part.file, s->student);
    }
    recount(s->student);
    jobs_.taken(id);
  }
}

void ClassBook::take_in_lost() {
  jobs_.take_in_again(grader_.course.assignment.name, [this](std::int64_t id, const std::string &student) {
    return store_.knows(student, source_of(id));
  });
  take_in_new();
}

bool ClassBook::keep_known(const batch::Task &task) {
  if (store_.was_undone(task)) return false;
  if (!why_file_is_held(task.file).empty()) return false;
  const std::optional<StepResult> known =
      jobs_.result_of(grader_.course.assignment.name, task.step, task.file, fingerprint_);
  if (known) store_.keep(task, grading::step_record_of(known->record), known->seconds);
  return known.has_value();
}

void ClassBook::rescore(course::Thresholds thresholds) {
  thresholds_ = std::move(thresholds);
  rules_ = gradebook::rules_of(grader_.course, thresholds_);
  variants_.emplace(grader_.course);
  const course::Assignment &a = grader_.course.assignment;
  jobs_.score_again(a.name,
                    [this](const std::string &record, const std::string &file) -> std::optional<double> {
                      if (!why_file_is_held(file).empty()) return std::nullopt;
                      return points_of(grading::step_record_of(record), file);
                    });
  for (const std::string &student : store_.students()) {
    recount(student);  // another submission may be the best one now
    if (is_held(student)) continue;
    const batch::Scored scored = batch::score_student(store_, rules_, student);
    if (scored.complete) gradebook::write_report(store_, scored);
  }
  changed = true;
}

void ClassBook::carry_out(const Order &o) {
  if (o.kind == Order::Kind::points)
    store_.override_points(o.student, {o.step, o.points, o.reason});
  else
    store_.withdraw_override(o.student, o.step);
  recount(o.student);
}

bool ClassBook::keep_exam(const Sitting &s) {
  const course::Step *step = grader_.course.assignment.find_step(s.step);
  const std::vector<std::string> known = store_.students();
  if (!step || !step->viva || !std::binary_search(known.begin(), known.end(), s.student)) return false;
  store_.keep_exam(s.student, s.step, viva::exam_row(*step, s.exam, s.sheet(), s.chosen, "the service"));
  recount(s.student);
  return true;
}

std::vector<batch::Task> ClassBook::tasks_of(const std::string &student) const {
  std::vector<batch::Task> tasks;
  const batch::Student s = store_.student(student);
  for (const auto &[step, file] : batch::steps_of(grader_.course.assignment))
    if (const std::string *hash = s.hash_of(file)) tasks.push_back({step, *hash});
  return tasks;
}

bool ClassBook::is_held(const std::string &student) {
  const std::vector<batch::Task> tasks = tasks_of(student);
  return std::any_of(tasks.begin(), tasks.end(),
                     [this](const batch::Task &task) { return !why_file_is_held(task.file).empty(); });
}

void ClassBook::recount(const std::string &student) {
  const course::Assignment &a = grader_.course.assignment;
  struct Choice {
    Part part;
    std::int64_t received = 0;
    double worth = 0;
  };
  std::map<std::string, Choice> chosen;
  for (const auto &[part, received] : jobs_.parts_of(student, a.name)) {  // the latest first
    const std::optional<score::Late> late = score::lateness(a.late, student, {false, received});
    const double worth =
        part.state == State::done ? part.points * (1 - (late ? late->share : 0)) : -1;  // not yet known
    const auto [place, fresh] = chosen.emplace(part.step, Choice{part, received, worth});
    if (!fresh && policy_.best_counts && worth > place->second.worth) place->second = {part, received, worth};
  }
  if (chosen.empty()) return;
  std::vector<Part> parts;
  std::int64_t time = 0;
  for (auto &[step, choice] : chosen) {
    parts.push_back(std::move(choice.part));
    time = std::max(time, choice.received);
  }
  if (!take_in(student, what_counts, time, parts, true)) return;
  const batch::Scored scored = batch::score_student(store_, rules_, student);
  if (!scored.damaged && store_.score(student) != scored.row) {
    store_.keep_score(scored.row);
    changed = true;
  }
  if (scored.complete && changed) gradebook::write_report(store_, scored);
}

}  // namespace warpgrade::service
