#include "service/glance/glance.hpp"

#include <algorithm>
#include <tuple>

namespace warpgrade::service {

namespace {

/// The end of what somebody did at a step: one cause again and again.
struct Row {
  Outcome latest;
  int times = 0;
  std::int64_t since = 0;

  void add(const Outcome &o) {
    if (!o.accepted && o.rule.empty()) return;                          // the grader failed
    if (times > 0 && !o.file.empty() && o.file == latest.file) return;  // handed in again as it was
    if (times > 0 && o.same_cause(latest))
      ++times;
    else
      times = o.rule.empty() ? 0 : 1, since = o.at;
    latest = o;
  }
};

struct CauseCount {
  std::string said;
  std::set<std::string> all, lately, before;
};

}  // namespace

Glance glance_at(const std::vector<Outcome> &outcomes, const std::vector<std::string> &students,
                 const std::set<std::string> &writing, const std::vector<std::string> &steps,
                 std::int64_t now, std::int64_t span) {
  Glance g;
  for (const std::string &student : students) {
    g.students[student];
    if (!writing.contains(student)) g.not_started.insert(student);
  }
  std::map<std::pair<std::string, std::string>, Row> rows;
  std::map<std::string, StepProgress> progress;
  std::map<std::tuple<std::string, std::string, std::string>, CauseCount> causes;
  for (const Outcome &o : outcomes) {
    const auto student = g.students.find(o.student);
    if (student == g.students.end()) continue;
    g.not_started.erase(o.student);
    StudentAtStep &at = student->second[o.step];
    const bool handed_in = o.of == Outcome::Of::submission;
    ++(handed_in ? at.submissions : at.runs);
    if (handed_in) g.submitted.insert(o.student), at.points = std::max(at.points, o.points);
    at.latest = o.at;
    if (o.accepted && !at.accepted) {
      StepProgress &p = progress[o.step];
      p.over_time.emplace_back(o.at, ++p.accepted);
    }
    at.accepted = at.accepted || o.accepted;
    at.accepted_as_submitted = at.accepted_as_submitted || (o.accepted && handed_in);
    rows[{o.student, o.step}].add(o);
    if (o.rule.empty()) continue;
    CauseCount &count = causes[{o.step, o.rule, o.gist}];
    count.said = o.said;
    count.all.insert(o.student);
    if (o.at > now - span)
      count.lately.insert(o.student);
    else if (o.at > now - 2 * span)
      count.before.insert(o.student);
  }
  for (const auto &[who, row] : rows)
    if (row.times >= stuck_after)
      g.stuck.push_back({who.first, who.second, row.latest, row.times, row.since});
  std::stable_sort(g.stuck.begin(), g.stuck.end(),
                   [](const Stuck &a, const Stuck &b) { return a.times > b.times; });
  for (const std::string &step : steps) {
    StepProgress p = progress[step];
    p.step = step;
    for (const auto &[student, at] : g.students) p.started += at.contains(step);
    g.steps.push_back(std::move(p));
  }
  for (const auto &[cause, count] : causes)
    g.causes.push_back({std::get<0>(cause), std::get<1>(cause), count.said,
                        static_cast<int>(count.all.size()), static_cast<int>(count.lately.size()),
                        static_cast<int>(count.before.size())});
  std::stable_sort(g.causes.begin(), g.causes.end(), [](const GrowingCause &a, const GrowingCause &b) {
    return std::tuple(b.lately - b.before, b.students) < std::tuple(a.lately - a.before, a.students);
  });
  return g;
}

}  // namespace warpgrade::service
