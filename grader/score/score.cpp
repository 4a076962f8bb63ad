#include "score/score.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "judge/speed.hpp"
#include "run/statistics.hpp"

namespace warpgrade::score {

namespace {

Performance performance_of(const course::Assignment &a, const course::StepThresholds &t,
                           const course::Thresholds &gpu, const grading::PerformanceRecord &p) {
  Performance result;
  result.size = p.size;
  const double flops = a.problem->flops(p.size);
  const judge::Rate rate = judge::rate_of(flops, p.seconds);
  result.gflops = rate.median;
  result.low_gflops = rate.low;
  result.high_gflops = rate.high;
  result.median_ms = run::quantile(p.seconds, 0.5) * 1e3;
  result.p10_ms = run::quantile(p.seconds, 0.1) * 1e3;
  result.p90_ms = run::quantile(p.seconds, 0.9) * 1e3;
  result.samples = static_cast<int>(p.seconds.size());
  std::optional<judge::Rate> cublas;
  if (!p.cublas_seconds.empty()) {
    cublas = judge::rate_of(flops, p.cublas_seconds);
    result.cublas_gflops = cublas->median;
    result.of_cublas = result.gflops / cublas->median;
  }
  if (gpu.peak_gflops) result.of_peak = result.gflops / *gpu.peak_gflops;
  result.counts_as = rate.median;
  if (const auto bar = judge::bar_of(t.pass, cublas)) {
    result.pass = bar->value;
    result.counts_as = judge::benefit_of_doubt(rate, *bar);
  }
  if (const auto bar = judge::bar_of(t.full, cublas)) {
    result.full = bar->value;
    result.counts_as = std::max(result.counts_as, judge::benefit_of_doubt(rate, *bar));
  }
  return result;
}

}  // namespace

double round_points(double points) {
  return std::floor(points * 100.0 + 0.5) / 100.0;
}

double performance_points(double points, double gflops, double pass, double full) {
  return points * std::clamp((gflops - pass) / (full - pass), 0.0, 1.0);
}

namespace {

void leave_ungraded(StepScore &s, double points, const std::string &why) {
  s.ungraded_points += points;
  if (s.why_ungraded == why) return;
  s.why_ungraded += (s.why_ungraded.empty() ? "" : "; ") + why;
}

CounterScore score_counter(const course::CounterCheck &check, const judge::Counted &counted) {
  CounterScore s;
  s.check = check;
  s.value = judge::value_of(check.measure, counted);
  s.passed = s.value && check.holds(*s.value);
  if (s.passed) return s;
  if (const auto line = judge::costliest_line(check.measure, counted.counts)) {
    s.file = line->file;
    s.line = line->line;
  }
  return s;
}

}  // namespace

std::vector<CounterScore> score_counters(const course::Step &step, const judge::Counted &counted) {
  std::vector<CounterScore> scores;
  for (const course::CounterCheck &check : step.counter_checks)
    scores.push_back(score_counter(check, counted));
  return scores;
}

namespace {

void add_counter_points(StepScore &s, const course::Step &step, const grading::StepRecord &record) {
  if (step.counter_checks.empty()) return;
  if (!record.counters) return leave_ungraded(s, step.points.counters, record.why_no_counters);
  s.counters = score_counters(step, *record.counters);
  for (const CounterScore &c : s.counters)
    if (c.passed) s.points += c.check.points;
}

void add_performance_points(StepScore &s, const course::Step &step, const grading::StepRecord &record) {
  if (step.points.fast == 0) return;
  if (s.performance && s.performance->pass && s.performance->full) {
    s.points += performance_points(step.points.fast, s.performance->counts_as, *s.performance->pass,
                                   *s.performance->full);
    return;
  }
  leave_ungraded(s, step.points.fast,
                 !record.performance ? record.why_no_performance
                 : !s.performance    ? "no threshold for this step"
                                     : "cuBLAS could not be measured: " + record.performance->why_no_cublas);
}

}  // namespace

StepScore score_step(const course::Assignment &a, const course::Step &step,
                     const course::Thresholds &thresholds, const grading::StepRecord &record) {
  StepScore s;
  s.id = step.id;
  s.extra_credit = step.extra_credit;
  s.max_points = step.points.total();
  s.wrong = record.verdict != judge::Verdict::accepted && record.verdict != judge::Verdict::grader_error;
  if (record.verdict == judge::Verdict::grader_error) {
    leave_ungraded(s, s.max_points, record.reason);
    return s;
  }
  const course::StepThresholds *t = thresholds.find(step.id);
  if (record.performance && t && !record.performance->seconds.empty())
    s.performance = performance_of(a, *t, thresholds, *record.performance);
  if (record.verdict != judge::Verdict::accepted) return s;
  s.points = step.points.correct;
  add_counter_points(s, step, record);
  add_performance_points(s, step, record);
  s.points = round_points(s.points);
  return s;
}

bool Score::full() const {
  return std::all_of(steps.begin(), steps.end(), [](const StepScore &s) {
    return !s.wrong && s.points + s.ungraded_points >= s.max_points - 1e-9;
  });
}

Score score(const course::Assignment &a, const course::Thresholds &thresholds,
            const grading::SubmissionRecord &record) {
  Score total;
  double ordinary = 0, all = 0;
  bool any_ordinary = false;
  for (const grading::StepRecord &r : record.steps) {
    const auto step =
        std::find_if(a.steps.begin(), a.steps.end(), [&](const course::Step &s) { return s.id == r.id; });
    if (step == a.steps.end()) continue;
    StepScore s = score_step(a, *step, thresholds, r);
    total.points += s.points;
    total.ungraded_points += s.ungraded_points;
    all += s.max_points;
    if (s.extra_credit)
      total.extra_credit += s.points;
    else
      ordinary += s.max_points, any_ordinary = true;
    total.steps.push_back(std::move(s));
  }
  total.max_points = any_ordinary ? ordinary : all;
  total.points = round_points(total.points);
  total.extra_credit = round_points(total.extra_credit);
  return total;
}

}  // namespace warpgrade::score
