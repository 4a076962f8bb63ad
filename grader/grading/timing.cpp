#include <fmt/format.h>

#include <random>

#include "grading/step_grader.hpp"

namespace warpgrade::grading {

namespace {

/// Seeds of timed samples come from the operating system: nothing that ran before can know them.
std::uint64_t fresh_seed() {
  std::random_device device;
  return (std::uint64_t{device()} << 32) | device();
}

std::optional<gpu::Sgemm> sgemm_of(const problem::Problem &p, const problem::Case &c) {
  if (p.name() != "sgemm") return std::nullopt;
  return gpu::Sgemm{c.integers[0], c.integers[1], c.integers[2], static_cast<float>(c.reals[0]),
                    static_cast<float>(c.reals[1])};
}

}  // namespace

Timing time_step(const course::Assignment &a, const Environment &environment, const problem::Case &size,
                 const plan::LaunchPlan &plan, gpu::Replay &replay) {
  const problem::Problem &p = *a.problem;
  gpu::CublasReference cublas(*environment.gpu, environment.gpu_children);
  gpu::TimingOptions options;
  options.samples = std::max(a.timing.samples, options.min_samples);
  options.max_seconds = a.timing.seconds;
  options.lock_directory = environment.lock_directory;
  const gpu::Measurement m = gpu::measure(
      replay, &cublas, sgemm_of(p, size), plan, [&](int) { return p.inputs(size, fresh_seed()); },
      [&](int, const std::vector<run::HostBuffer> &inputs, const std::vector<run::HostBuffer> &outputs) {
        return p.spot_check(size, inputs, outputs, a.tolerance, fresh_seed()).value_or("");
      },
      options);

  Timing timing;
  if (m.failed) {
    run::Run failed = *m.failed;
    std::optional<problem::Comparison> unknown;
    if (failed.end == run::End::completed) unknown.emplace().checked = 1;  // it was the guards that spoke
    const judge::RunVerdict verdict = judge::judge_run(failed, unknown);
    timing.verdict = verdict.verdict;
    timing.why_not = fmt::format("while it was timed at {}: {}", p.case_name(size), verdict.reason);
    return timing;
  }
  if (m.failed_sample) {
    timing.verdict = judge::Verdict::wrong_answer;
    timing.why_not = fmt::format("timed run {} at {} gave a wrong result: {}", *m.failed_sample + 1,
                                 p.case_name(size), m.why);
    return timing;
  }
  if (!m.ok) {
    timing.verdict = judge::Verdict::grader_error;
    timing.why_not = m.why;
    return timing;
  }
  timing.performance = PerformanceRecord{size, m.seconds, m.cublas_seconds, m.why_no_cublas};
  const double gflops = p.flops(size) / m.median / 1e9;
  if (environment.thresholds && environment.thresholds->peak_gflops &&
      gflops > *environment.thresholds->peak_gflops) {
    timing.performance.reset();
    timing.verdict = judge::Verdict::grader_error;
    timing.why_not =
        fmt::format("{:.0f} GFLOPS is more than this GPU's peak of {:.0f}: a person must look at it", gflops,
                    *environment.thresholds->peak_gflops);
  }
  return timing;
}

}  // namespace warpgrade::grading
