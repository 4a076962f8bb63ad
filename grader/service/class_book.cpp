#include "service/class_book.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

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

void ClassBook::announce(const std::string &variant) {
  if (variant.empty() || !announced_.insert(variant).second) return;
  for (const course::Step &step : grader_.course.assignment.steps)
    if (!step.beyond) store_.grade_with(conditions_.of(grader_.setup(), step, variant));
}

void ClassBook::take_in(const std::string &student, const std::string &source, std::int64_t time,
                        const std::vector<Part> &parts, bool counts) {
  batch::Handin handin;
  handin.student = student;
  handin.source = source;
  handin.handed_in = time;
  handin.time_known = true;
  for (const Part &part : parts) {
    std::string content = jobs_.content(part.file), variant = variants::unmarked(content).variant;
    announce(variant);
    handin.files.push_back({find_step(grader_.course.assignment, part.step).path().string(),
                            std::move(content), std::move(variant)});
  }
  std::sort(handin.files.begin(), handin.files.end(),
            [](const batch::HandedFile &a, const batch::HandedFile &b) { return a.name < b.name; });
  if (!counts) handin.superseded_by = what_counts;
  store_.take_in(handin);
  store_.finish_taking_in();
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
        if (result->verdict != judge::Verdict::grader_error)
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
  jobs_.score_again(a.name, [this](const std::string &record, const std::string &file) {
    return points_of(grading::step_record_of(record), file);
  });
  for (const std::string &student : store_.students()) {
    recount(student);  // another submission may be the best one now
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
  take_in(student, what_counts, time, parts, true);
  const batch::Scored scored = batch::score_student(store_, rules_, student);
  if (!scored.damaged && store_.score(student) != scored.row) {
    store_.keep_score(scored.row);
    changed = true;
  }
  if (scored.complete && changed) gradebook::write_report(store_, scored);
}

}  // namespace warpgrade::service
