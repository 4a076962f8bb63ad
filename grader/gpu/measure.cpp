#include <algorithm>
#include <cmath>
#include <limits>

#include "gpu/child_process.hpp"
#include "gpu/gpu.hpp"

namespace warpgrade::gpu {
namespace {

using run::End;

std::string as_text(double seconds) {
  auto text = std::to_string(seconds * 1e6);
  text.erase(text.find('.') + 2);
  return text + " us";
}

/// What one measurement is made of and how far it has come.
class Measuring {
 public:
  Measuring(Replay &replay, CublasReference *cublas, const std::optional<Sgemm> &problem,
            const plan::LaunchPlan &plan, const FreshInputs &fresh_inputs, const Verify &verify,
            const TimingOptions &options)
      : replay_(replay),
        cublas_(cublas),
        problem_(problem),
        plan_(plan),
        fresh_inputs_(fresh_inputs),
        verify_(verify),
        options_(options),
        deadline_(now() + options.max_seconds) {
    if (cublas_ == nullptr || !problem_) result_.why_no_cublas = "no comparison with cuBLAS was asked for";
  }

  Measurement measure() {
    if (warm_up() && take_samples()) summarise();
    return std::move(result_);
  }

 private:
  bool fail(std::string why) {
    result_.ok = false;
    result_.why = std::move(why);
    return false;
  }

  /// One run of the plan; false when it ends the measurement.
  bool run_plan(const std::vector<run::HostBuffer> &inputs, Timed &timed) {
    timed = replay_.time_once(plan_, inputs, options_.sample);
    std::string why;
    if (timed.run.end != End::completed) why = timed.run.message;
    if (timed.run.end == End::completed && !timed.run.guards_written.empty())
      why = timed.run.guards_written.front();
    if (why.empty()) return true;
    result_.failed = timed.run;
    return fail(std::move(why));
  }

  /// cuBLAS on the same inputs; a failure costs the comparison, not the measurement.
  std::optional<double> run_cublas(const std::vector<run::HostBuffer> &inputs) {
    if (!result_.why_no_cublas.empty()) return std::nullopt;
    if (inputs.size() != 3) {
      result_.why_no_cublas = "the plan's buffers are not A, B and C";
      return std::nullopt;
    }
    const auto product =
        cublas_->sgemm(*problem_, inputs[0].values, inputs[1].values, inputs[2].values, options_.sample);
    if (!product.why.empty()) {
      result_.why_no_cublas = product.why;
      return std::nullopt;
    }
    return product.sample.seconds;
  }

  static bool agree(double a, double b, double within) { return std::abs(a - b) <= within * std::max(a, b); }

  /// Runs until the student's time and cuBLAS's have both settled, or until it has tried often enough.
  bool warm_up() {
    double last = std::numeric_limits<double>::infinity(), last_cublas = last;
    for (int i = 0; i < options_.max_warmup; ++i) {
      const auto inputs = fresh_inputs_(-1 - i);
      Timed timed;
      if (!run_plan(inputs, timed)) return false;
      const double reference = run_cublas(inputs).value_or(0);
      ++result_.warmup_runs;
      if (i >= 2 && agree(timed.sample.seconds, last, options_.agree_within) &&
          agree(reference, last_cublas, options_.agree_within))
        return true;
      last = timed.sample.seconds;
      last_cublas = reference;
      if (now() > deadline_) return true;  // take_samples() says that time is up
    }
    return true;  // never settled: the spread of the samples will show it
  }

  bool take_samples() {
    for (int i = 0; i < options_.samples; ++i) {
      if (now() > deadline_) {
        if (i >= options_.min_samples) break;
        return fail("only " + std::to_string(i) + " of at least " + std::to_string(options_.min_samples) +
                    " timed runs were made in " + std::to_string(std::lround(options_.max_seconds)) + " s");
      }
      const auto inputs = fresh_inputs_(i);
      Timed timed;
      if (!run_plan(inputs, timed)) return false;
      if (const auto reference = run_cublas(inputs)) result_.cublas_seconds.push_back(*reference);
      if (auto finding = verify_(i, inputs, timed.run.buffers); !finding.empty()) {
        result_.failed_sample = i;
        return fail(std::move(finding));
      }
      result_.seconds.push_back(timed.sample.seconds);
      result_.outer_seconds.push_back(timed.sample.outer_seconds);
    }
    return true;
  }

  void summarise() {
    if (auto why = impossible_time(result_.seconds, result_.outer_seconds); !why.empty()) {
      fail(std::move(why));
      return;
    }
    result_.ok = true;
    result_.median = quantile(result_.seconds, 0.5);
    result_.p10 = quantile(result_.seconds, 0.1);
    result_.p90 = quantile(result_.seconds, 0.9);
    // A reference that failed halfway is no reference.
    if (result_.why_no_cublas.empty()) result_.cublas_median = quantile(result_.cublas_seconds, 0.5);
  }

  Replay &replay_;
  CublasReference *cublas_;
  const std::optional<Sgemm> &problem_;
  const plan::LaunchPlan &plan_;
  const FreshInputs &fresh_inputs_;
  const Verify &verify_;
  const TimingOptions &options_;
  double deadline_;
  Measurement result_;
};

}  // namespace

double quantile(std::vector<double> values, double q) {
  if (values.empty()) return std::numeric_limits<double>::quiet_NaN();
  std::sort(values.begin(), values.end());
  const double place = q * static_cast<double>(values.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const auto above = std::min(below + 1, values.size() - 1);
  return values[below] + (place - static_cast<double>(below)) * (values[above] - values[below]);
}

std::string impossible_time(const std::vector<double> &seconds, const std::vector<double> &outer_seconds) {
  // The outer span holds the inner one, a flush of the L2 cache and two wake-ups. Its median is far from the
  // inner one's only when the events lie; this much is generous to a busy host.
  constexpr double slack_seconds = 20e-3, clock_error = 0.001;
  if (seconds.empty() || seconds.size() != outer_seconds.size())
    return "impossible time: there are no samples";
  for (std::size_t i = 0; i < seconds.size(); ++i) {
    if (!(seconds[i] > 0 && std::isfinite(seconds[i])))
      return "impossible time: a run took " + as_text(seconds[i]) + " by the GPU's events";
    if (!(seconds[i] <= outer_seconds[i] * (1 + clock_error)))
      return "impossible time: a run took " + as_text(seconds[i]) + " by the GPU's events, but only " +
             as_text(outer_seconds[i]) + " by the host's clock around them";
  }
  const double inner = quantile(seconds, 0.5), outer = quantile(outer_seconds, 0.5);
  if (seconds.size() > 1 && outer > 2 * inner + slack_seconds)
    return "impossible time: the runs took " + as_text(inner) + " by the GPU's events, but " +
           as_text(outer) + " by the host's clock around them";
  return "";
}

Measurement measure(Replay &replay, CublasReference *cublas, const std::optional<Sgemm> &problem,
                    const plan::LaunchPlan &plan, const FreshInputs &fresh_inputs, const Verify &verify,
                    const TimingOptions &options) {
  std::optional<DeviceLock> lock;
  if (!options.lock_directory.empty()) {
    lock.emplace(options.lock_directory, replay.device(), options.lock_wait_seconds);
    if (!lock->held()) {
      Measurement busy;
      busy.why = "another grader has been measuring on GPU " + std::to_string(replay.device().index) +
                 " for " + std::to_string(std::lround(options.lock_wait_seconds)) + " s";
      busy.why_no_cublas = busy.why;
      return busy;
    }
  }
  return Measuring(replay, cublas, problem, plan, fresh_inputs, verify, options).measure();
}

}  // namespace warpgrade::gpu
