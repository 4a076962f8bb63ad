#include "score/score.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/statistics.hpp"
#include "judge/speed.hpp"
#include "score/without_gpu.hpp"

namespace warpgrade::score {

namespace {

/// Resolves the thresholds and decides what counts.
void hold_against(Performance &p, const course::StepThresholds &t, const problem::Problem &problem,
                  const grading::PerformanceRecord &record) {
  const double work = problem.work(p.size);
  const judge::Rate rate = judge::rate_of(work, record.seconds);
  const auto library = record.library_seconds.empty()
                           ? std::nullopt
                           : std::optional(judge::rate_of(work, record.library_seconds));
  if (const auto bar = judge::bar_of(t.pass, library)) {
    p.pass = bar->value;
    p.counts_as = judge::benefit_of_doubt(rate, *bar);
  }
  if (const auto bar = judge::bar_of(t.full, library)) {
    p.full = bar->value;
    p.counts_as = std::max(p.counts_as, judge::benefit_of_doubt(rate, *bar));
  }
}

}  // namespace

Performance performance_of(const problem::Problem &problem, const grading::PerformanceRecord &record,
                           const std::optional<double> &peak) {
  Performance p;
  p.size = record.size;
  p.unit = problem.rate_unit();
  p.library = problem.library();
  const double work = problem.work(p.size);
  const judge::Rate rate = judge::rate_of(work, record.seconds);
  p.gflops = p.counts_as = rate.median;
  p.low_gflops = rate.low;
  p.high_gflops = rate.high;
  p.median_ms = quantile(record.seconds, 0.5) * 1e3;
  p.p10_ms = quantile(record.seconds, 0.1) * 1e3;
  p.p90_ms = quantile(record.seconds, 0.9) * 1e3;
  p.samples = static_cast<int>(record.seconds.size());
  if (!record.library_seconds.empty()) {
    p.library_rate = judge::rate_of(work, record.library_seconds).median;
    p.of_library = p.gflops / *p.library_rate;
  }
  if (peak) p.of_peak = p.gflops / (*peak * problem.devices(p.size));
  return p;
}

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

/// near  at another size, called `at`; may be null
CounterScore score_counter(const course::CounterCheck &check, const judge::Counted &counted,
                           const judge::Counted *near, const std::string &at) {
  CounterScore s;
  s.check = check;
  s.value = judge::value_of(check.measure, counted);
  s.passed = s.value && check.holds(*s.value);
  if (s.passed && near)
    if (const auto there = judge::value_of(check.measure, *near); !there || !check.holds(*there)) {
      s.value = there;
      s.passed = false;
      s.at = at;
    }
  if (s.passed) return s;
  if (const auto line = judge::costliest_line(check.measure, counted)) {
    s.file = line->file;
    s.line = line->line;
  }
  return s;
}

}  // namespace

std::vector<CounterScore> score_counters(const course::Step &step, const judge::Counted &counted,
                                         const grading::CounterRecord *near) {
  std::vector<CounterScore> scores;
  const std::string at = near ? step.problem->case_name(near->on) : "";
  for (const course::CounterCheck &check : step.counter_checks)
    scores.push_back(score_counter(check, counted, near, at));
  return scores;
}

namespace {

void add_counter_points(StepScore &s, const course::Step &step, const grading::StepRecord &record) {
  if (step.counter_checks.empty()) return;
  if (!record.counters) return leave_ungraded(s, step.points.counters, record.why_no_counters);
  s.counters =
      score_counters(step, *record.counters, record.counters_near ? &*record.counters_near : nullptr);
  for (const CounterScore &c : s.counters)
    if (c.passed) s.points += c.check.points;
}

void add_proof_points(StepScore &s, const course::Step &step, const grading::StepRecord &record) {
  for (const course::ProofPoints &one : step.proof) {
    const auto found = std::find_if(record.properties.begin(), record.properties.end(),
                                    [&](const auto &p) { return p.property == one.property; });
    if (found == record.properties.end())
      leave_ungraded(s, one.points, "nothing was proved when it was graded");
    else if (found->result == "proved")
      s.points += one.points;
    else if (found->open)
      leave_ungraded(s, one.points, fmt::format("the proof did not end here: {}", found->why));
  }
}

void add_performance_points(StepScore &s, const course::Step &step, const course::Thresholds &thresholds,
                            const grading::StepRecord &record, course::WithoutGpu policy) {
  if (step.points.fast == 0) return;
  const course::StepThresholds *const t = thresholds.find(step.id);
  if (policy == course::WithoutGpu::rescale && step.points.fast < step.points.total())
    return rescale(s, step);
  if (policy == course::WithoutGpu::predicted) {
    const std::string why = add_predicted_points(s, step, thresholds, record);
    return why.empty() ? void() : leave_ungraded(s, step.points.fast, why);
  }
  if (s.performance && s.performance->pass && s.performance->full) {
    s.points += performance_points(step.points.fast, s.performance->counts_as, *s.performance->pass,
                                   *s.performance->full);
    return;
  }
  leave_ungraded(
      s, step.points.fast,
      !record.performance ? record.why_no_performance
      : !t                ? "no threshold for this step"
      : !s.performance
          ? fmt::format("it was timed at {}, and the threshold is for {}",
                        step.problem->case_name(record.performance->size), step.problem->case_name(t->size))
          : fmt::format("{} could not be measured: {}", problem::name_of(step.problem->library()),
                        record.performance->why_no_library));
}

}  // namespace

namespace {

/// Of a hunt: each answer has points of its own, whatever becomes of the fix.
void add_hunt_points(StepScore &s, const course::Hunt &hunt, const grading::StepRecord &record) {
  for (const judge::CaseVerdict &c : record.answers) {
    const double points = c.name == "line" ? hunt.line_points : hunt.cause_points;
    if (c.left_to_course)
      leave_ungraded(s, points, "graded by your course");
    else if (c.verdict == judge::Verdict::grader_error)
      leave_ungraded(s, points, c.reason);
    else if (c.verdict == judge::Verdict::accepted)
      s.points += points;
  }
  s.points = round_points(s.points);
}

/// Every right answer counts; what could not be judged is not lost.
void add_answer_points(StepScore &s, const course::Step &step, const grading::StepRecord &record) {
  for (const course::Question &q : step.questions)
    for (const judge::CaseVerdict &c : record.cases) {
      if (c.name != q.id) continue;
      if (!c.ran())
        leave_ungraded(s, q.points, "graded by your course");
      else if (c.verdict == judge::Verdict::accepted)
        s.points += q.points;
      else if (c.verdict == judge::Verdict::grader_error)
        leave_ungraded(s, q.points, c.reason);
    }
  s.points = round_points(s.points);
}

/// Of an exam: the share of right answers.
void add_exam_points(StepScore &s, const grading::StepRecord &record) {
  std::size_t right = 0;
  for (const judge::CaseVerdict &c : record.cases) {
    if (!c.ran()) return leave_ungraded(s, s.max_points, c.reason);
    right += c.verdict == judge::Verdict::accepted;
  }
  s.points =
      round_points(s.max_points * static_cast<double>(right) / static_cast<double>(record.cases.size()));
}

}  // namespace

StepScore score_step(const course::Step &step, const course::Thresholds &thresholds,
                     const grading::StepRecord &record, course::WithoutGpu policy) {
  StepScore s;
  s.id = step.id;
  s.extra_credit = step.extra_credit;
  s.exam = step.viva.has_value();
  s.max_points = step.points.total();
  s.wrong = record.verdict != judge::Verdict::accepted && record.verdict != judge::Verdict::grader_error;
  if (!step.has_kernel() && !record.cases.empty()) {
    step.viva ? add_exam_points(s, record) : add_answer_points(s, step, record);
    return s;
  }
  if (step.hunt) add_hunt_points(s, *step.hunt, record);
  if (record.verdict == judge::Verdict::grader_error) {
    leave_ungraded(s, s.max_points - (record.answers.empty() ? 0 : step.points.answers), record.reason);
    return s;
  }
  const course::StepThresholds *t = thresholds.find(step.id);
  const bool timed = record.performance && t && !record.performance->seconds.empty();
  if (timed && record.performance->size == t->size) {
    s.performance =
        performance_of(*step.problem, *record.performance, thresholds.peak(step.problem->rate_unit()));
    hold_against(*s.performance, *t, *step.problem, *record.performance);
  }
  if (record.verdict != judge::Verdict::accepted) return s;
  s.points += step.points.correct;
  add_counter_points(s, step, record);
  add_proof_points(s, step, record);
  add_performance_points(s, step, thresholds, record, policy);
  s.points = round_points(s.points);
  return s;
}

bool Score::full() const {
  return std::all_of(steps.begin(), steps.end(), [](const StepScore &s) {
    return !s.wrong && s.points + s.ungraded_points >= s.max_points - 1e-9;
  });
}

namespace {

void add_up(Score &total) {
  double ordinary = 0, all = 0;
  bool any_ordinary = false;
  total.points = total.ungraded_points = total.extra_credit = 0;
  for (const StepScore &s : total.steps) {
    total.points += s.points;
    total.ungraded_points += s.ungraded_points;
    all += s.max_points;
    if (s.extra_credit)
      total.extra_credit += s.points;
    else
      ordinary += s.max_points, any_ordinary = true;
  }
  total.max_points = any_ordinary ? ordinary : all;
  total.points = round_points(total.points);
  total.extra_credit = round_points(total.extra_credit);
}

}  // namespace

Score score(const course::Assignment &a, const course::Thresholds &thresholds,
            const grading::SubmissionRecord &record) {
  Score total;
  const bool gpu = record.device.gpu;
  bool timed = false;
  for (const grading::StepRecord &r : record.steps) {
    const course::Step *const step = a.find_step(r.id);
    if (!step) continue;
    total.steps.push_back(score_step(*step, thresholds, r, gpu ? course::WithoutGpu::leave : a.without_gpu));
    timed |= step->points.fast > 0;
  }
  if (timed) total.without_gpu = sentence_without_gpu(a, thresholds, gpu);
  add_up(total);
  return total;
}

Score with_overrides(Score total, const std::vector<Override> &overrides) {
  for (const Override &o : overrides)
    for (StepScore &s : total.steps) {
      if (s.id != o.step) continue;
      s.by_hand = o;
      s.computed_points = s.points;
      s.points = round_points(o.points);
      s.ungraded_points = 0;
      s.why_ungraded.clear();
      s.in_place.reset();
      s.wrong = s.points < s.max_points;
    }
  add_up(total);
  return total;
}

Score with_lateness(Score total, const std::optional<Late> &late) {
  total.late = late;
  if (!late) return total;
  double all = 0, extra = 0;
  for (const StepScore &s : total.steps) {
    if (s.by_hand || s.exam) continue;
    all += s.points;
    if (s.extra_credit) extra += s.points;
  }
  total.late->points_off = round_points(late->share * all);
  total.points = round_points(total.points - total.late->points_off);
  total.extra_credit = round_points(total.extra_credit - late->share * extra);
  return total;
}

}  // namespace warpgrade::score
