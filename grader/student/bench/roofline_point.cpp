#include "bench/roofline_point.hpp"

#include "judge/speed.hpp"

namespace warpgrade::bench {

namespace {

/// What the simulator counts. Sets why_not when it cannot; false when there is nothing to put under a roof.
bool count(report::RooflinePoint &point, const grading::Grader &grader, const course::Step &step,
           const build::Build &build, const problem::Case &size) {
  try {
    const grading::CounterRecord record = grader.count(step, build, size);
    const simt::Counters &c = record.counts;
    if (c.fp32_flops() == 0 || c.requested_bytes() == 0 || c.compulsory_bytes() == 0) {
      point.why_not = "it computes nothing in single precision, or touches no global memory";
      return false;
    }
    point.requested = static_cast<double>(c.fp32_flops()) / static_cast<double>(c.requested_bytes());
    point.compulsory = static_cast<double>(c.fp32_flops()) / static_cast<double>(c.compulsory_bytes());
  } catch (const std::runtime_error &e) {  // too large for the simulator, perhaps, but not for a GPU
    point.why_not = e.what();
  }
  return true;
}

}  // namespace

std::optional<report::PredictedRate> predicted_rate(const predict::Predictor &predictor,
                                                    const grading::Grader &grader, const course::Step &step,
                                                    const build::Build &build, const problem::Case &size,
                                                    const predict::Machine &machine) {
  const predict::StepPrediction p = predictor.predict(grader, step, build, size, machine);
  if (!p.prediction.why_not.empty() || step.problem->rate_unit() != "GFLOPS") return std::nullopt;
  return report::PredictedRate{p.rate(p.prediction.high), p.rate(p.prediction.seconds),
                               p.rate(p.prediction.low)};
}

report::RooflinePoint roofline_point(const grading::Grader &grader, const course::Step &step,
                                     const build::Build &build, const problem::Case &size, bool measure,
                                     profile::Profiling &profiling) {
  report::RooflinePoint point;
  point.step = step.id;
  if (!count(point, grader, step, build, size) || !measure) return point;
  const grading::BenchPoint timed = grader.bench(step, build, size);
  if (!timed.performance || timed.performance->seconds.empty()) return point;
  point.gflops = judge::rate_of(step.problem->flops(size), timed.performance->seconds).median;
  if (const auto profile = profiling.of(step, build, size)) {
    if (profile->dram_bytes > 0) point.dram = step.problem->flops(size) / profile->dram_bytes;
    if (profile->l2_bytes > 0) point.l2 = step.problem->flops(size) / profile->l2_bytes;
  }
  return point;
}

}  // namespace warpgrade::bench
