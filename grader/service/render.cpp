#include "service/render.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "batch/bundle.hpp"
#include "batch/store.hpp"
#include "grading/record_fields.hpp"
#include "grading/record_json.hpp"
#include "report/html.hpp"
#include "score/late.hpp"
#include "setup/course_root.hpp"
#include "setup/html_extras.hpp"
#include "variants/variants.hpp"

namespace warpgrade::service {

Rendered::Rendered(const ServedCourse &course, const Submission &s, const std::string &device,
                   bool reveal_hidden, const std::vector<score::Override> &by_hand)
    : course_(course), reveal_hidden_(reveal_hidden) {
  record_.submission = s.id > 0 ? fmt::format("submission {}", s.id) : "a run in the workspace";
  if (!device.empty()) record_.device = json::read<grading::DeviceRecord>(json::Json::parse(device));
  const std::string gpu = record_.device.gpu ? record_.device.name : "none";
  own_ = course.own_of(s.variant, gpu);
  const course::Assignment &a = assignment();
  record_.assignment = a.name;
  for (const Part &part : s.parts) {
    record_.steps.push_back(grading::step_record_of(part.record));
    if (const course::Step *step = a.find_step(part.step)) record_.steps.back().title = step->title;
    // Each file has a seed of its own, and its cases say it.
    if (const auto &cases = record_.steps.back().cases; record_.seed == 0 && !cases.empty())
      record_.seed = cases.front().seed;
  }
  thresholds_ = own_ ? own_->thresholds : course::read_thresholds(course.folder, a, gpu);
  score_ = score::with_lateness(score::with_overrides(score::score(a, thresholds_, record_), by_hand),
                                score::lateness(a.late, s.student, {false, s.received}));
  if (!score_.without_gpu.empty()) record_.notes.push_back(score_.without_gpu);
  if (score_.late) record_.notes.push_back(score::sentence(*score_.late));
}

int Rendered::exit_status() const {
  const bool ours = std::any_of(record_.steps.begin(), record_.steps.end(), [](const grading::StepRecord &s) {
    return s.verdict == judge::Verdict::grader_error;
  });
  return ours ? grader_failed : score_.full() ? full_score : below;
}

std::vector<report::Fault> Rendered::faults() const {
  const report::Report r{assignment(), thresholds_, record_, score_, "./grade {step}", reveal_hidden_, ""};
  return report::faults_of(report::Discreet(r));
}

report::TellingCase Rendered::telling_case(const std::string &step) const {
  const report::Report r{assignment(), thresholds_, record_, score_, "./grade {step}", true, ""};
  const report::Discreet whole(r);
  for (const grading::StepRecord &s : record_.steps)
    if (s.id == step) return report::telling_case_of(whole, s);
  return {};
}

void Rendered::remark(const std::vector<std::string> &sentences) {
  record_.notes.insert(record_.notes.end(), sentences.begin(), sentences.end());
}

std::string Rendered::as(const std::string &format, const report::Style &style,
                         const std::map<std::string, std::string> &sources, const std::string &pseudonym,
                         const std::string &disputes) const {
  grading::SubmissionRecord record = record_;
  if (format == "text")  // the other formats say it beside the step
    for (const score::StepScore &s : score_.steps)
      if (s.by_hand)
        record.notes.push_back(fmt::format("{}: {} points were given by hand, in place of {}: {}", s.id,
                                           points(s.points), points(s.computed_points),
                                           for_terminal(s.by_hand->reason)));
  const report::Report r{assignment(), thresholds_, record, score_, "./grade {step}", reveal_hidden_, ""};
  if (format == "json") return report::to_json(r);
  if (format == "junit") return report::to_junit(r);
  if (format == "html")
    return report::to_html(r, {sources,
                               {},
                               roof_of(course_.folder, course_.assignment, thresholds_, record_.device),
                               pseudonym,
                               {},
                               disputes});
  return report::to_terminal(r, style);
}

std::map<std::string, std::string> sources_of(const ServedCourse &course, const Submission &s, Jobs &jobs) {
  std::map<std::string, std::string> sources;
  for (const Part &part : s.parts)
    if (const course::Step *step = course.assignment.find_step(part.step))
      for (auto &[name, text] : batch::unbundle(*step, variants::unmarked(jobs.content(part.file)).content))
        if (name == step->file) sources[part.step] = std::move(text);
  return sources;
}

std::vector<score::Override> points_by_hand(const std::filesystem::path &service,
                                            const std::string &assignment, const std::string &student) {
  try {
    return batch::Store(service / assignment, batch::Store::Access::read).overrides(student);
  } catch (const batch::StoreError &e) {
    if (e.kind != batch::StoreError::Kind::unusable) throw;
    return {};  // nothing of this class is graded yet
  }
}

std::string device_of(Jobs &jobs, const std::string &assignment) {
  for (const GraderState &g : jobs.graders())
    if (g.assignment == assignment) return g.device;
  return "";
}

bool reveals_hidden(const ServedCourse &course, const Person &person, std::int64_t now) {
  if (person.role != Role::student) return true;
  const auto &late = course.assignment.late;
  if (!course.policy().reveal_hidden_after_due || !late || !late->due) return false;
  return now > *late->due + std::int64_t{86400} * late->days;
}

}  // namespace warpgrade::service
