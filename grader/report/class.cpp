#include "report/class.hpp"

#include <algorithm>
#include <set>

#include "report/figures.hpp"

namespace warpgrade::report {

namespace {

std::string line_of(const std::string &source, int number) {
  std::size_t at = 0;
  for (int n = 1; n < number; ++n) {
    at = source.find('\n', at);
    if (at == std::string::npos) return {};
    ++at;
  }
  const std::string line = source.substr(at, std::min(source.find('\n', at), source.size()) - at);
  const std::size_t first = line.find_first_not_of(" \t\r"), last = line.find_last_not_of(" \t\r");
  return first == std::string::npos ? "" : line.substr(first, std::min<std::size_t>(last - first + 1, 120));
}

ClassStep class_step(const Report &r, const grading::StepRecord &record, const score::StepScore &score) {
  ClassStep step;
  step.id = record.id;
  step.verdict = record.verdict;
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
    std::set<std::pair<std::string, int>> seen;
    for (const judge::Finding &f : record.findings) {
      if (f.severity != "error" || f.follows || !seen.insert({f.code, f.line}).second) continue;
      const bool own = f.line > 0 && f.file == record.file && source != sources.end();
      student.diagnostics.push_back(
          {record.id, f.code, f.file, f.line, own ? line_of(source->second, f.line) : ""});
    }
    if (record.verdict == judge::Verdict::build_error)
      student.diagnostics.push_back({record.id, "build_error", record.file, 0, ""});
  }
  return student;
}

}  // namespace warpgrade::report
