#include <fmt/format.h>

#include "grading/array_trial.hpp"
#include "grading/step_grader.hpp"
#include "judge/speed.hpp"

namespace warpgrade::grading {

namespace {

gpu::TimingOptions timing_options(const course::Timing &t, const Environment &environment,
                                  const problem::Problem &problem, const Options &wanted) {
  constexpr int longer_in_doubt = 4;
  gpu::TimingOptions options;
  options.least_samples = t.least_samples;
  options.most_samples = t.most_samples;
  options.most_in_doubt = longer_in_doubt * t.most_samples;
  options.interval = t.interval;
  options.max_seconds = t.seconds;
  options.energy_seconds = wanted.energy_seconds;
  options.energy_of_library = wanted.energy_of_library;
  options.lock_directory = environment.lock_directory;
  options.lock_wait_seconds = environment.gpu_wait_seconds;
  if (!problem.is_product()) {
    // See HostTrial: what is twice as fast at every other place is known to a third, and nobody else is at
    // work.
    options.unstable = 0.5;
    options.settled_within = 0.1;
    options.most_warmup = options.least_warmup;
  }
  return options;
}

/// Whether these times leave open on which side of a threshold the result lies.
bool in_doubt(const gpu::Measurement &m, double work, const course::StepThresholds &thresholds) {
  const judge::Rate rate = judge::rate_of(work, m.seconds());
  const std::vector<double> reference = m.library_seconds();
  const auto library = reference.empty() ? std::nullopt : std::optional(judge::rate_of(work, reference));
  for (const course::Threshold &t : {thresholds.pass, thresholds.full})
    if (const auto bar = judge::bar_of(t, library); bar && judge::in_doubt(rate, *bar)) return true;
  return false;
}

PerformanceRecord record_of(const problem::Case &size, const gpu::Measurement &m) {
  PerformanceRecord r{size,      m.seconds(), m.library_seconds(),    m.why_no_library,
                      {},        m.throttled, m.throttled_throughout, m.cut_short,
                      m.settled, m.energy,    m.library_energy};
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

std::unique_ptr<gpu::Trial> trial_of(const problem::Problem &p, const problem::Case &size,
                                     const plan::LaunchPlan &plan, gpu::Replay &replay,
                                     Timekeeping &timekeeping, double tolerance) {
  if (const auto product = p.product(size))
    return std::make_unique<gpu::DealtTrial>(replay, timekeeping.referee, plan, *product, tolerance);
  return std::make_unique<ArrayTrial>(replay, timekeeping.referee, plan, p, size, tolerance);
}

}  // namespace

Timing time_step(const course::Assignment &a, const course::Step &step, const Environment &environment,
                 const problem::Case &size, const plan::LaunchPlan &plan, gpu::Replay &replay,
                 Timekeeping &timekeeping, const course::StepThresholds *thresholds, const Options &options) {
  const problem::Problem &p = *step.problem;
  const std::lock_guard alone(timekeeping.mutex);
  const std::unique_ptr<gpu::Trial> trial = trial_of(p, size, plan, replay, timekeeping, a.tolerance);
  const auto doubtful = [&](const gpu::Measurement &m) {
    return thresholds != nullptr && in_doubt(m, p.work(size), *thresholds);
  };
  const gpu::Measurement m = gpu::measure_alone(replay.devices(), *trial,
                                                timing_options(a.timing, environment, p, options), doubtful);

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
  std::optional<double> peak =
      environment.thresholds ? environment.thresholds->highest_rate(p.rate_unit()) : std::nullopt;
  if (peak && p.rate_unit() == "GFLOPS") *peak *= p.over_half_precision();
  if (peak) *peak *= p.devices(size);
  const judge::Rate rate = judge::rate_of(p.work(size), m.seconds());
  if (std::string why = judge::impossible_rate(rate.median, p.rate_unit(), peak); !why.empty())
    return ended(judge::Verdict::grader_error, std::move(why));
  Timing timing;
  timing.performance = record_of(size, m);
  return timing;
}

}  // namespace warpgrade::grading
