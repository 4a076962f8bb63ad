#include "grading/exam.hpp"

#include <fmt/format.h>

namespace warpgrade::grading {

namespace {

StepRecord of_exam(const course::Step &step) {
  StepRecord r;
  r.id = step.id;
  r.title = step.title;
  r.verdict = judge::Verdict::accepted;
  r.build.why_no_registers = r.why_no_counters = r.why_no_performance = "this step is an exam";
  return r;
}

}  // namespace

StepRecord exam_to_come(const course::Step &step) {
  StepRecord r = of_exam(step);
  judge::CaseVerdict waits;
  waits.name = "questions";
  waits.left_to_course = true;
  waits.reason = "waits for the exam";
  r.cases.push_back(std::move(waits));
  return r;
}

StepRecord exam_taken(const course::Step &step, const std::vector<ExamAnswer> &answers) {
  StepRecord r = of_exam(step);
  std::size_t right = 0;
  for (const ExamAnswer &a : answers) {
    judge::CaseVerdict c;
    c.name = fmt::format("question {}", r.cases.size() + 1);
    c.verdict = a.right ? judge::Verdict::accepted : judge::Verdict::wrong_answer;
    if (!a.right)
      c.reason = fmt::format("{} ({}): {}", c.name, a.topic, a.answered ? "wrong" : "not answered");
    right += a.right;
    r.cases.push_back(std::move(c));
  }
  if (right < answers.size()) {
    r.verdict = judge::Verdict::wrong_answer;
    r.reason = fmt::format("{} of {} questions answered correctly", right, answers.size());
  }
  return r;
}

}  // namespace warpgrade::grading
