#include <fmt/format.h>

#include "gpu/measure.hpp"
#include "grading/step_grader.hpp"
#include "judge/speed.hpp"

namespace warpgrade::grading {

namespace {

gpu::TimingOptions timing_options(const course::Timing &t, const Environment &environment) {
  constexpr int longer_in_doubt = 4;
  gpu::TimingOptions options;
  options.least_samples = t.least_samples;
  options.most_samples = t.most_samples;
  options.most_in_doubt = longer_in_doubt * t.most_samples;
  options.interval = t.interval;
  options.max_seconds = t.seconds;
  options.lock_directory = environment.lock_directory;
  return options;
}

/// Whether these times leave open on which side of a threshold the result lies.
bool in_doubt(const gpu::Measurement &m, double flops, const course::StepThresholds &thresholds) {
  const judge::Rate rate = judge::rate_of(flops, m.seconds());
  const std::vector<double> reference = m.cublas_seconds();
  const auto cublas = reference.empty() ? std::nullopt : std::optional(judge::rate_of(flops, reference));
  for (const course::Threshold &t : {thresholds.pass, thresholds.full})
    if (const auto bar = judge::bar_of(t, cublas); bar && judge::in_doubt(rate, *bar)) return true;
  return false;
}

PerformanceRecord record_of(const problem::Case &size, const gpu::Measurement &m) {
  PerformanceRecord r{size,     m.seconds(), m.cublas_seconds(),     m.why_no_cublas,
                      {},       m.throttled, m.throttled_throughout, m.cut_short,
                      m.settled};
  for (const gpu::TimedSample &s : m.samples)
    if (s.state) r.states.push_back(*s.state);
  return r;
}

Timing ended(judge::Verdict verdict, std::string why_not) {
  Timing timing;
  timing.verdict = verdict;
  timing.why_not = std::move(why_not);
  return timing;
}

}  // namespace

Timing time_step(const course::Assignment &a, const course::Step &step, const Environment &environment,
                 const problem::Case &size, const plan::LaunchPlan &plan, gpu::Replay &replay,
                 Timekeeping &timekeeping, const course::StepThresholds *thresholds) {
  const problem::Problem &p = *step.problem;
  const auto product = p.product(size);
  if (!product)
    return ended(judge::Verdict::grader_error, fmt::format("the problem {} cannot be timed", p.name()));
  const std::lock_guard alone(timekeeping.mutex);
  gpu::DealtTrial trial(replay, timekeeping.referee, plan, *product, a.tolerance);
  const auto doubtful = [&](const gpu::Measurement &m) {
    return thresholds != nullptr && in_doubt(m, p.flops(size), *thresholds);
  };
  const gpu::Measurement m =
      gpu::measure_alone(*environment.gpu, trial, timing_options(a.timing, environment), doubtful);

  if (m.failed) {
    run::Run failed = *m.failed;
    std::optional<problem::Comparison> unknown;
    if (failed.end == run::End::completed) unknown.emplace().checked = 1;  // it was the guards that spoke
    const judge::RunVerdict verdict = judge::judge_run(failed, unknown);
    return ended(verdict.verdict,
                 fmt::format("while it was timed at {}: {}", p.case_name(size), verdict.reason));
  }
  if (m.wrong_run)
    return ended(m.input_changed ? judge::Verdict::input_changed : judge::Verdict::wrong_answer,
                 fmt::format("timed run {} at {} gave a wrong result: {}", *m.wrong_run + 1,
                             p.case_name(size), m.why));
  if (!m.ok) return ended(judge::Verdict::grader_error, m.why);
  const std::optional<double> peak =
      environment.thresholds ? environment.thresholds->peak_gflops : std::nullopt;
  if (std::string why = judge::impossible_rate(judge::rate_of(p.flops(size), m.seconds()).median, peak);
      !why.empty())
    return ended(judge::Verdict::grader_error, std::move(why));
  Timing timing;
  timing.performance = record_of(size, m);
  return timing;
}

}  // namespace warpgrade::grading
