#include "report/class.hpp"

#include <utility>

#include "report/figures.hpp"

namespace warpgrade::report {

namespace {

ClassStep class_step(const Report &r, const grading::StepRecord &record, const score::StepScore &score) {
  ClassStep step;
  step.id = record.id;
  if (count_cases(record).waits.empty() || score.by_hand) step.verdict = record.verdict;
  step.points = score.points;
  step.max_points = score.max_points;
  step.ungraded_points = score.ungraded_points;
  step.other_points = score.points;
  step.by_hand = score.by_hand.has_value();
  if (record.counters) step.counters = score.counters;
  if (const auto speed = speed_points(r.assignment, score))
    step.other_points = score::round_points(score.points - speed->points);
  if (record.performance && score.performance) {
    const double work = r.assignment.problem_of(record.id).work(record.performance->size);
    step.rate = judge::rate_of(work, record.performance->seconds);
    if (!record.performance->library_seconds.empty())
      step.library = judge::rate_of(work, record.performance->library_seconds);
  }
  return step;
}

}  // namespace

ClassStudent class_student(const ClassPerson &person, const Report &r,
                           const std::map<std::string, std::string> &sources) {
  ClassStudent student;
  student.id = person.id;
  student.name = person.name;
  student.pseudonym = person.pseudonym;
  student.link = person.link;
  student.status = person.status;
  student.points = r.score.points;
  student.max_points = r.score.max_points;
  student.ungraded_points = r.score.ungraded_points;
  if (r.score.late) student.late_days = r.score.late->days, student.late_share = r.score.late->share;
  for (std::size_t i = 0; i < r.record.steps.size(); ++i) {
    const grading::StepRecord &record = r.record.steps[i];
    student.steps.push_back(class_step(r, record, r.score.steps.at(i)));
    const auto source = sources.find(record.id);
    for (ClassDiagnostic &d : diagnostics_of(record, source == sources.end() ? nullptr : &source->second))
      student.diagnostics.push_back(std::move(d));
  }
  return student;
}

}  // namespace warpgrade::report
