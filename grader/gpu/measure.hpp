// How a time is measured that points may ride on: which runs count, how many there must be, when to stop.
// Takes a Trial, which knows how to make one run; knows nothing of GPUs or students itself.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "gpu/gpu.hpp"
#include "gpu/referee.hpp"

namespace warpgrade::gpu {

struct TimingOptions {
  int least_samples = 20;   ///< fewer is no measurement
  int most_samples = 60;    ///< unless the result is in doubt
  int most_in_doubt = 240;  ///< then
  /// Enough samples once the median's 95 % confidence interval is narrower than this share of it.
  double interval = 0.005;
  /// A median that is not even known to this share says nothing: something else uses the GPU.
  double unstable = 0.05;
  int least_warmup = 3, most_warmup = 40;
  double settled_within =
      0.01;                 ///< three warm-up runs in a row differ by at most this: the clocks have settled
  double max_seconds = 60;  ///< for all of it, once the GPU is ours
  int fewest_of_slow = 3;   ///< samples of a plan that takes most of that time itself
  SampleOptions sample;
  std::string lock_directory;  ///< empty: no lock
  double lock_wait_seconds = 600;
};

/// One timed run, as it was.
struct TimedSample {
  run::Sample time;
  std::optional<double> cublas_seconds;
  std::optional<GpuState> state;
  bool operator==(const TimedSample &) const = default;
};

/// Raw samples are kept, so that scoring can be repeated without a GPU.
struct Measurement {
  bool ok = false;
  std::string why;                 ///< one sentence when not ok
  std::optional<run::Run> failed;  ///< the run that ended it (fault, guard, time limit...), when one did
  std::optional<int> wrong_run;    ///< set when a run's output was wrong: which one, `why` tells; from 0,
                                   ///< warm-up runs included
  bool input_changed = false;      ///< and it is A or B that is wrong
  std::vector<TimedSample> samples;
  std::vector<TimedSample>
      throttled;  ///< measured while the GPU was held below its clocks, and measured again
  bool throttled_throughout = false;  ///< there was no other: `samples` holds them after all
  int warmup_runs = 0;
  bool settled = false;       ///< the clocks had, when sampling began
  bool cut_short = false;     ///< fewer samples than the least: no time for more of such slow runs
  std::string why_no_cublas;  ///< set exactly when the samples have no cublas_seconds
  std::vector<double> seconds() const, cublas_seconds() const;
};

/// One kind of run, to be made again and again.
class Trial {
 public:
  virtual ~Trial() = default;
  /// Once, when the GPU is ours. Gives "" or why nothing can be measured.
  virtual std::string begin() { return ""; }
  /// Fresh inputs and a run on them.
  virtual Timed run() = 0;
  /// What is to be said of that run.
  virtual Checked check() = 0;
  /// cuBLAS on the same inputs.
  virtual CublasTime cublas() = 0;
};

/// Why these times cannot be true, or "": the GPU's events against two clocks of hosts.
std::string impossible_time(const std::vector<run::Sample> &times);

/// Warms up until the clocks have settled, then samples until the median is known well enough. Every run is
/// checked. A run during which the GPU was throttled is kept apart and made again.
/// in_doubt  asked when the samples are enough: true when the result is too near a threshold to decide
Measurement measure(Trial &trial, const TimingOptions &options,
                    const std::function<bool(const Measurement &)> &in_doubt = {});

/// The trial of a plan: the referee deals, the replay runs, the referee looks.
class DealtTrial : public Trial {
 public:
  DealtTrial(Replay &replay, Referee &referee, const plan::LaunchPlan &plan,
             const problem::MatrixProduct &product, double tolerance, const SampleOptions &options = {})
      : replay_(replay),
        referee_(referee),
        plan_(plan),
        product_(product),
        tolerance_(tolerance),
        options_(options) {}
  std::string begin() override { return referee_.take(product_, tolerance_); }
  Timed run() override;
  Checked check() override;
  CublasTime cublas() override { return referee_.multiply(options_); }

 private:
  Replay &replay_;
  Referee &referee_;
  const plan::LaunchPlan &plan_;
  const problem::MatrixProduct product_;
  double tolerance_;
  SampleOptions options_;
};

/// measure() with one measurement on this GPU at a time across all processes of this machine; waiting for
/// others does not count.
Measurement measure_alone(const DeviceInfo &device, Trial &trial, const TimingOptions &options,
                          const std::function<bool(const Measurement &)> &in_doubt = {});

}  // namespace warpgrade::gpu
