// How times for points are measured: which runs count, how many are needed, when to stop. Takes a Trial,
// which can make one run; knows nothing about GPUs or students.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "gpu/gpu.hpp"
#include "gpu/referee.hpp"

namespace warpgrade::gpu {

struct TimingOptions {
  int least_samples = 20;   ///< fewer are not a measurement
  int most_samples = 60;    ///< unless the result is in doubt
  int most_in_doubt = 240;  ///< then
  /// Enough samples once the median's 95 % confidence interval is narrower than this share of it.
  double interval = 0.005;
  /// A median that is not even known to within this share is meaningless: something else uses the GPU.
  double unstable = 0.05;
  int least_warmup = 3, most_warmup = 40;
  double settled_within =
      0.01;                   ///< three warm-up runs in a row differ by at most this: the clocks have settled
  double max_seconds = 60;    ///< for all of it, once the GPU is ours
  double energy_seconds = 0;  ///< above 0: then repeat the plan for so long to count its energy
  bool energy_of_library = false;  ///< and the library's routine
  int fewest_of_slow = 3;          ///< samples of a plan that takes most of that time itself
  SampleOptions sample;
  std::string lock_directory;  ///< empty: no lock
  double lock_wait_seconds = 600;
};

/// From the operating system: nothing that ran before can know the numbers of a run with this seed.
std::uint64_t fresh_seed();

/// Raw samples are kept, so that scoring can be repeated without a GPU.
struct Measurement {
  bool ok = false;
  std::string why;                 ///< one sentence when not ok
  std::optional<run::Run> failed;  ///< the run that ended it (fault, guard, time limit...), if one did
  std::optional<int> wrong_run;    ///< set if a run's output was wrong: which one, `why` explains; from 0,
                                   ///< warm-up runs included
  bool input_changed = false;      ///< and it is A or B that is wrong
  std::vector<TimedSample> samples;
  std::vector<TimedSample> throttled;  ///< measured while the GPU ran below its clocks, and measured again
  bool throttled_throughout = false;   ///< there were no others: `samples` contains them after all
  int warmup_runs = 0;
  bool settled = false;        ///< the clocks were settled when sampling began
  bool cut_short = false;      ///< fewer samples than the least: no time for more such slow runs
  std::string why_no_library;  ///< set exactly if the samples have no library_seconds
  std::optional<run::Energy> energy, library_energy;  ///< if wanted; they never fail a measurement
  std::vector<double> seconds() const, library_seconds() const;
};

/// One kind of run, to be repeated.
class Trial {
 public:
  virtual ~Trial() = default;
  /// Once, when the GPU is ours. Returns "" or why nothing can be measured.
  virtual std::string begin() { return ""; }
  /// Fresh inputs and a run on them.
  virtual Timed run() = 0;
  /// The result of that run's check.
  virtual Checked check() = 0;
  /// A library's routine on the same inputs.
  virtual LibraryTime library() = 0;
  /// The energy of a run, from a loop of so many seconds. Its results are not checked: of runs on the same inputs, all
  /// but the first may find what was left.
  virtual run::Energy energy(double) { return {.why_not = "energy is not counted here"}; }
  virtual run::Energy library_energy(double) { return {.why_not = "energy is not counted here"}; }
};

/// Why these times cannot be true, or "": the GPU's events against two clocks of hosts.
std::string impossible_time(const std::vector<run::Sample> &times);

/// Warms up until the clocks have settled, then samples until the median is known well enough. Every run is
/// checked. A run during which the GPU was throttled is kept apart and made again.
/// in_doubt  asked when the samples are enough: true when the result is too near a threshold to decide
Measurement measure(Trial &trial, const TimingOptions &options,
                    const std::function<bool(const Measurement &)> &in_doubt = {});

/// The trial of a plan: the referee deals inputs, the replay runs, the referee checks.
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
  LibraryTime library() override { return referee_.multiply(options_when_busy()); }
  run::Energy energy(double seconds) override;
  run::Energy library_energy(double seconds) override;

 private:
  Replay &replay_;
  Referee &referee_;
  const plan::LaunchPlan &plan_;
  /// The first run brings the clocks up; until the next one, the GPU idles for a few milliseconds at most.
  SampleOptions options_when_busy() const;

  const problem::MatrixProduct product_;
  double tolerance_;
  SampleOptions options_;
  bool clocks_are_up_ = false;
};

/// The energy of a run that was to be repeated for it, or why there is none.
run::Energy energy_of(const Timed &);
run::Energy energy_of(const LibraryTime &);

/// measure() with one measurement on these GPUs at a time across all processes of this machine; time spent
/// waiting for others does not count.
Measurement measure_alone(const std::vector<DeviceInfo> &devices, Trial &trial, const TimingOptions &options,
                          const std::function<bool(const Measurement &)> &in_doubt = {});

}  // namespace warpgrade::gpu
