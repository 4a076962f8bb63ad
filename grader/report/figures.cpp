#include "report/figures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/text.hpp"

namespace warpgrade::report {

namespace {

using course::Measure;

CounterRow row_of(Measure measure, const grading::CounterRecord &counters) {
  CounterRow row;
  row.what = judge::in_words(measure);
  row.measured = judge::value_of(measure, counters);
  row.ideal = judge::ideal_of(measure, counters);
  return row;
}

}  // namespace

std::vector<CounterRow> counter_rows(const grading::StepRecord &s, const score::StepScore &score) {
  std::vector<CounterRow> rows;
  if (!s.counters) return rows;
  for (const score::CounterScore &c : score.counters) {
    CounterRow row = row_of(c.check.measure, *s.counters);
    row.measured = c.value;
    if (!c.at.empty()) row.what += " at " + c.at;
    row.limit = fmt::format("{} {}", c.check.at_least ? ">=" : "<=", figure(c.check.limit));
    row.points = fmt::format("{}/{}", points(c.passed ? c.check.points : 0), points(c.check.points));
    row.lost = !c.passed;
    row.file = c.file;
    row.line = c.line;
    rows.push_back(std::move(row));
  }
  std::vector<Measure> more = {Measure::sectors_per_load, Measure::sectors_per_store};
  if (s.counters->counts.shared_requests() > 0) more.push_back(Measure::wavefronts_over_ideal);
  more.push_back(Measure::requested_bytes_per_flop);
  if (s.counters->counts.local_accesses > 0) more.push_back(Measure::local_accesses);
  if (s.counters->counts.lane_efficiency() < 0.9) more.push_back(Measure::lane_efficiency);
  if (s.counters->links)
    more.insert(more.end(), {Measure::busiest_link_bytes, Measure::overlap, Measure::idle_share});
  for (const Measure m : more) {
    const bool shown = std::any_of(score.counters.begin(), score.counters.end(),
                                   [&](const score::CounterScore &c) { return c.check.measure == m; });
    if (CounterRow row = row_of(m, *s.counters); !shown && row.measured) rows.push_back(std::move(row));
  }
  return rows;
}

std::optional<SpeedPoints> speed_points(const course::Assignment &a, const score::StepScore &score) {
  if (!score.performance || !score.performance->pass || !score.performance->full) return std::nullopt;
  const auto step =
      std::find_if(a.steps.begin(), a.steps.end(), [&](const course::Step &s) { return s.id == score.id; });
  if (step == a.steps.end() || step->points.fast == 0) return std::nullopt;
  const score::Performance &p = *score.performance;
  return SpeedPoints{
      score::round_points(score::performance_points(step->points.fast, p.counts_as, *p.pass, *p.full)),
      step->points.fast};
}

std::string_view why_no_verdict(const judge::CaseVerdict &c) {
  return c.waits_for_gpu    ? "waits for a GPU"
         : c.left_to_course ? c.reason.empty() ? "graded by your course" : std::string_view(c.reason)
         : c.advisory ? "not run: it gives a warning to steps that are accepted"
         : c.skipped        ? "not run after the failures before it"
                            : "";
}

CaseCount count_cases(const grading::StepRecord &s) {
  return count_cases(s.cases);
}

CaseCount count_cases(const std::vector<judge::CaseVerdict> &all) {
  CaseCount count;
  for (const judge::CaseVerdict &c : all) {
    if (c.advisory) continue;
    count.wait_for_gpu += c.waits_for_gpu;
    count.skipped += c.skipped;
    count.left_to_course += c.left_to_course;
    if (c.left_to_course) count.waits = c.reason;
    if (!c.ran()) continue;
    ++count.ran;
    count.open += c.verdict == judge::Verdict::not_implemented;
    count.right += c.verdict == judge::Verdict::accepted;
    if (c.comparison && std::isfinite(c.comparison->max_error))
      count.largest_error = std::max(count.largest_error, c.comparison->max_error);
  }
  if (const judge::HiddenCount n = judge::count_hidden(all); n.ran > 0)
    count.hidden = fmt::format(" ({} of {} hidden)", n.passed, n.all);
  return count;
}

std::string answers_in_words(const CaseCount &n) {
  if (!n.waits.empty()) return n.waits;
  if (n.left_to_course == 0) return fmt::format("{} of {} right", n.right, n.ran);
  const std::size_t all = n.ran + n.left_to_course, checked = n.ran - n.open;
  std::string text =
      fmt::format("{} of {} answered; your course grades {}", all - n.open, all, n.left_to_course);
  if (checked > 0) text += fmt::format("; checked here: {} of {} right", n.right, checked);
  return text;
}

}  // namespace warpgrade::report
