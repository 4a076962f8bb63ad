#include <fmt/format.h>

#include <random>

#include "gpu/measure.hpp"
#include "grading/step_grader.hpp"
#include "judge/speed.hpp"

namespace warpgrade::grading {

namespace {

gpu::TimingOptions timing_options(const course::Timing &t, const Environment &environment,
                                  const problem::Problem &problem) {
  constexpr int longer_in_doubt = 4;
  gpu::TimingOptions options;
  options.least_samples = t.least_samples;
  options.most_samples = t.most_samples;
  options.most_in_doubt = longer_in_doubt * t.most_samples;
  options.interval = t.interval;
  options.max_seconds = t.seconds;
  options.lock_directory = environment.lock_directory;
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
  const std::vector<double> reference = m.cublas_seconds();
  const auto cublas = reference.empty() ? std::nullopt : std::optional(judge::rate_of(work, reference));
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

/// The trial of a problem other than a matrix product: the host draws the inputs, and looks at every element
/// that a run leaves. There is no reference to run beside it.
///
/// A sample is the mean of several runs, each on fresh numbers at another place. Where a small output lies
/// decides which part of the L2 cache serves its atomics, and on an H200 one half of the places takes twice
/// as long as the other: single runs would be of two kinds, and their median that of whichever was drawn
/// oftener.
class HostTrial : public gpu::Trial {
 public:
  HostTrial(gpu::Replay &replay, const plan::LaunchPlan &plan, const problem::Problem &problem,
            const problem::Case &size, double tolerance)
      : replay_(replay), plan_(plan), problem_(problem), size_(size), tolerance_(tolerance) {}

  gpu::Timed run() override {
    run::Sample sum;
    bool all_seen = true;  // by the host's clock
    gpu::Timed timed;
    for (int place = 0; place < places; ++place) {
      timed = run_once();
      if (timed.run.end != run::End::completed || !timed.run.guards_written.empty()) return timed;
      if (!checked_.finding.empty()) return timed;
      sum.seconds += timed.sample.seconds / places;
      sum.outer_seconds += timed.sample.outer_seconds / places;
      sum.host_seconds += timed.sample.host_seconds / places;
      all_seen = all_seen && timed.sample.host_seconds > 0;
    }
    if (!all_seen) sum.host_seconds = 0;
    timed.sample = sum;
    return timed;
  }

  gpu::Checked check() override { return checked_; }

  gpu::CublasTime cublas() override { return {fmt::format("cuBLAS has no {}", problem_.name()), {}}; }

 private:
  static constexpr int places = 4;

  gpu::Timed run_once() {
    // From the operating system: nothing that ran before can know the numbers of this run.
    std::random_device device;
    const auto inputs = problem_.inputs(size_, (std::uint64_t{device()} << 32) | device());
    gpu::Timed timed = replay_.time_once(plan_, inputs, {});
    if (timed.run.end == run::End::completed) check(inputs, timed.run.buffers);
    timed.run.buffers.clear();
    return timed;
  }

  void check(const std::vector<run::HostBuffer> &inputs, const std::vector<run::HostBuffer> &outputs) {
    const problem::Comparison c =
        problem_.compare(size_, inputs, problem_.reference(size_, inputs), outputs, tolerance_);
    checked_.input_changed = !c.changed_inputs.empty();
    if (checked_.input_changed) checked_.finding = c.changed_inputs.front() + " was changed";
    if (c.wrong > 0)
      checked_.finding =
          fmt::format("{} of {} elements of {} are wrong: {} is {:g}, should be {:g}", c.wrong, c.checked,
                      c.output, c.first.front().where, c.first.front().got, c.first.front().want);
  }

  gpu::Replay &replay_;
  const plan::LaunchPlan &plan_;
  const problem::Problem &problem_;
  const problem::Case &size_;
  double tolerance_;
  gpu::Checked checked_;  ///< of the run before
};

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
  return std::make_unique<HostTrial>(replay, plan, p, size, tolerance);
}

}  // namespace

Timing time_step(const course::Assignment &a, const course::Step &step, const Environment &environment,
                 const problem::Case &size, const plan::LaunchPlan &plan, gpu::Replay &replay,
                 Timekeeping &timekeeping, const course::StepThresholds *thresholds) {
  const problem::Problem &p = *step.problem;
  const std::lock_guard alone(timekeeping.mutex);
  const std::unique_ptr<gpu::Trial> trial = trial_of(p, size, plan, replay, timekeeping, a.tolerance);
  const auto doubtful = [&](const gpu::Measurement &m) {
    return thresholds != nullptr && in_doubt(m, p.work(size), *thresholds);
  };
  const gpu::Measurement m =
      gpu::measure_alone(*environment.gpu, *trial, timing_options(a.timing, environment, p), doubtful);

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
      environment.thresholds ? environment.thresholds->highest_rate(p.rate_unit()) : std::nullopt;
  const judge::Rate rate = judge::rate_of(p.work(size), m.seconds());
  if (std::string why = judge::impossible_rate(rate.median, p.rate_unit(), peak); !why.empty())
    return ended(judge::Verdict::grader_error, std::move(why));
  Timing timing;
  timing.performance = record_of(size, m);
  return timing;
}

}  // namespace warpgrade::grading
