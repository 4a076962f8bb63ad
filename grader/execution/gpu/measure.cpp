#include "gpu/measure.hpp"

#include <algorithm>
#include <cmath>
#include <random>
#include <utility>

#include "base/statistics.hpp"
#include "gpu/child_process.hpp"
#include "gpu/device_lock.hpp"

namespace warpgrade::gpu {
namespace {

using run::End;

std::string as_text(double seconds) {
  auto text = std::to_string(seconds * 1e6);
  text.erase(text.find('.') + 2);
  return text + " us";
}

/// Of the median's confidence interval, relative to the median.
double relative_width(const std::vector<double> &seconds) {
  const Interval interval = median_interval(seconds);
  return (interval.high - interval.low) / quantile(seconds, 0.5);
}

/// The last few values of something that should stop changing.
class Settling {
 public:
  explicit Settling(double within) : within_(within) {}
  void add(double value) { values_.push_back(value); }
  bool settled() const {
    constexpr std::size_t in_a_row = 3;
    if (values_.size() < in_a_row) return values_.empty();  // nothing to look at is nothing that changes
    const auto last = values_.end() - in_a_row;
    const auto [least, most] = std::minmax_element(last, values_.end());
    return *most - *least <= within_ * *most;
  }

 private:
  double within_;
  std::vector<double> values_;
};

/// What one measurement is made of and how far it has come.
class Measuring {
 public:
  Measuring(Trial &trial, const TimingOptions &options,
            const std::function<bool(const Measurement &)> &in_doubt)
      : trial_(trial), options_(options), in_doubt_(in_doubt), deadline_(now() + options.max_seconds) {}

  Measurement measure() {
    if (auto why = trial_.begin(); !why.empty())
      fail(std::move(why));
    else if (warm_up() && take_samples())
      conclude();
    return std::move(result_);
  }

 private:
  bool fail(std::string why) {
    result_.ok = false;
    result_.why = std::move(why);
    return false;
  }
  bool late() const { return now() > deadline_; }

  /// One run and what belongs to it; false when it ends the measurement.
  bool take(TimedSample &sample) {
    Timed timed = trial_.run();
    const int number = runs_++;
    if (timed.run.end != End::completed || !timed.run.guards_written.empty()) {
      std::string why =
          timed.run.end != End::completed ? timed.run.message : timed.run.guards_written.front();
      result_.failed = std::move(timed.run);
      return fail(std::move(why));
    }
    Checked checked = trial_.check();
    if (!checked.why.empty()) return fail(std::move(checked.why));
    if (!checked.guards.empty()) {
      timed.run.guards_written = checked.guards;
      result_.failed = std::move(timed.run);
      return fail(checked.guards.front());
    }
    if (!checked.finding.empty()) {
      result_.wrong_run = number;
      result_.input_changed = checked.input_changed;
      return fail(std::move(checked.finding));
    }
    sample = {timed.sample, std::nullopt, checked.state};
    busy_seconds_ += timed.sample.outer_seconds;
    if (auto why = impossible_time({timed.sample}); !why.empty()) return fail(std::move(why));
    if (!result_.why_no_library.empty()) return true;
    // A failure of the library costs the comparison, not the measurement.
    const LibraryTime reference = trial_.library();
    if (reference.why.empty())
      sample.library_seconds = reference.sample.seconds;
    else
      result_.why_no_library = reference.why;
    return true;
  }

  /// Until the student's times, the library's and the clock have settled, or often enough.
  bool warm_up() {
    Settling own(options_.settled_within), library(options_.settled_within), clock(options_.settled_within);
    while (result_.warmup_runs < options_.most_warmup && !late()) {
      TimedSample sample;
      if (!take(sample)) return false;
      ++result_.warmup_runs;
      own.add(sample.time.seconds);
      if (sample.library_seconds) library.add(*sample.library_seconds);
      if (sample.state) clock.add(sample.state->sm_mhz);
      result_.settled = own.settled() && library.settled() && clock.settled();
      if (result_.settled && result_.warmup_runs >= options_.least_warmup) return true;
    }
    return true;  // never settled: the spread of the samples shows it
  }

  bool known_well_enough() const {
    return relative_width(result_.seconds()) <= options_.interval &&
           (!result_.why_no_library.empty() ||
            relative_width(result_.library_seconds()) <= options_.interval);
  }

  bool enough() const {
    const int count = static_cast<int>(result_.samples.size());
    if (count < options_.least_samples) return false;
    const bool precise = known_well_enough();
    if (count >= options_.most_in_doubt) return true;
    if (in_doubt_ && in_doubt_(result_)) return false;
    return precise || count >= options_.most_samples;
  }

  bool take_samples() {
    while (!enough() && !late()) {
      // A GPU that is throttled all the time is measured as it is.
      if (static_cast<int>(result_.throttled.size()) >= options_.most_samples) break;
      TimedSample sample;
      if (!take(sample)) return false;
      const bool throttled = sample.state && !throttle_reasons(*sample.state).empty();
      (throttled ? result_.throttled : result_.samples).push_back(sample);
    }
    const auto least = static_cast<std::size_t>(options_.least_samples);
    if (result_.samples.size() < least && result_.samples.size() + result_.throttled.size() >= least) {
      result_.throttled_throughout = true;
      result_.samples.insert(result_.samples.end(), result_.throttled.begin(), result_.throttled.end());
      result_.throttled.clear();
    }
    if (result_.samples.size() >= least) return true;
    // Runs that take the time themselves are slow, which is known well enough; a busy host is no such thing.
    const bool slow = busy_seconds_ > options_.max_seconds / 2;
    result_.cut_short = slow && static_cast<int>(result_.samples.size()) >= options_.fewest_of_slow;
    if (result_.cut_short) return true;
    return fail("only " + std::to_string(result_.samples.size()) + " of at least " + std::to_string(least) +
                " timed runs were made in " + std::to_string(std::lround(options_.max_seconds)) + " s");
  }

  void conclude() {
    std::vector<run::Sample> times;
    for (const TimedSample &s : result_.samples) times.push_back(s.time);
    if (auto why = impossible_time(times); !why.empty()) {
      fail(std::move(why));
      return;
    }
    // Whose times scatter? A library's are steady on a GPU that nobody else uses.
    const auto reference = result_.library_seconds();
    if (const double width = relative_width(reference.empty() ? result_.seconds() : reference);
        width > options_.unstable && !result_.cut_short) {
      fail("unstable times: the median" + std::string(reference.empty() ? "" : " of the library") +
           " is only known to " + std::to_string(std::lround(100 * width)) +
           " %; something else seems to use this GPU, so measure again");
      return;
    }
    result_.ok = true;
    // A reference that failed halfway is not a reference.
    if (!result_.why_no_library.empty())
      for (auto *kind : {&result_.samples, &result_.throttled})
        for (TimedSample &s : *kind) s.library_seconds.reset();
    if (options_.energy_seconds > 0) count_energy();
  }

  void count_energy() {
    // A run must be short beside the time in which the counter advances.
    constexpr double shortest_loop = 8;
    const auto fits = [&](const std::vector<double> &seconds) {
      return quantile(seconds, 0.5) * shortest_loop <= options_.energy_seconds;
    };
    const run::Energy too_long{.why_not = "a run takes too long to be repeated for its energy"};
    result_.energy = fits(result_.seconds()) ? trial_.energy(options_.energy_seconds) : too_long;
    const std::vector<double> reference = result_.library_seconds();
    if (options_.energy_of_library && !reference.empty())
      result_.library_energy = fits(reference) ? trial_.library_energy(options_.energy_seconds) : too_long;
  }

  Trial &trial_;
  const TimingOptions &options_;
  const std::function<bool(const Measurement &)> &in_doubt_;
  double deadline_;
  int runs_ = 0;
  double busy_seconds_ = 0;  ///< in runs
  Measurement result_;
};

}  // namespace

std::uint64_t fresh_seed() {
  std::random_device device;
  return (std::uint64_t{device()} << 32) | device();
}

std::vector<double> Measurement::seconds() const {
  std::vector<double> all;
  for (const TimedSample &s : samples) all.push_back(s.time.seconds);
  return all;
}

std::vector<double> Measurement::library_seconds() const {
  std::vector<double> all;
  for (const TimedSample &s : samples)
    if (s.library_seconds) all.push_back(*s.library_seconds);
  return all;
}

std::string impossible_time(const std::vector<run::Sample> &times) {
  // The outer span holds the inner one, sixteen flushes and two messages.
  constexpr double outer_slack = 20e-3, clock_error = 0.001;
  // The host sees an event a microsecond late (docs/measured.md); what else it does evens out in the median.
  constexpr double host_slack = 25e-6, host_error = 0.02;
  if (times.empty()) return "impossible time: there are no samples";
  std::vector<double> inner, outer, watched, seen;
  for (const run::Sample &t : times) {
    if (!(t.seconds > 0 && std::isfinite(t.seconds)))
      return "impossible time: a run took " + as_text(t.seconds) + " by the GPU's events";
    if (!(t.seconds <= t.outer_seconds * (1 + clock_error)))
      return "impossible time: a run took " + as_text(t.seconds) + " by the GPU's events, but only " +
             as_text(t.outer_seconds) + " by the host's clock around them";
    inner.push_back(t.seconds);
    outer.push_back(t.outer_seconds);
    if (t.host_seconds > 0) {
      watched.push_back(t.seconds);
      seen.push_back(t.host_seconds);
    }
  }
  if (times.size() == 1) return "";  // once is a busy host
  const auto lie = [](double events, double host, const char *which) {
    return "impossible time: the runs took " + as_text(events) + " by the GPU's events, but " +
           as_text(host) + " by the host's clock " + which;
  };
  const double event_time = quantile(inner, 0.5), outer_time = quantile(outer, 0.5);
  if (outer_time > 2 * event_time + outer_slack) return lie(event_time, outer_time, "around them");
  if (2 * watched.size() <= times.size()) return "";
  const double claimed = quantile(watched, 0.5), host_time = quantile(seen, 0.5);
  if (host_time > claimed * (1 + host_error) + host_slack) return lie(claimed, host_time, "between them");
  return "";
}

Measurement measure(Trial &trial, const TimingOptions &options,
                    const std::function<bool(const Measurement &)> &in_doubt) {
  return Measuring(trial, options, in_doubt).measure();
}

Measurement measure_alone(const std::vector<DeviceInfo> &devices, Trial &trial, const TimingOptions &options,
                          const std::function<bool(const Measurement &)> &in_doubt) {
  std::optional<DeviceLock> lock;
  if (!options.lock_directory.empty()) {
    lock.emplace(options.lock_directory, devices, options.lock_wait_seconds);
    if (!lock->held()) {
      Measurement busy;
      busy.why = "another grader has been measuring on GPU " + std::to_string(devices.front().index) +
                 " for " + std::to_string(std::lround(options.lock_wait_seconds)) + " s";
      busy.why_no_library = busy.why;
      return busy;
    }
  }
  return measure(trial, options, in_doubt);
}

Timed DealtTrial::run() {
  if (auto why = referee_.deal(fresh_seed()); !why.empty()) {
    Timed failed;
    failed.run.end = End::our_failure;
    failed.run.message = std::move(why);
    return failed;
  }
  return referee_.run(replay_, plan_, std::exchange(clocks_are_up_, true) ? options_when_busy() : options_);
}

SampleOptions DealtTrial::options_when_busy() const {
  SampleOptions options = options_;
  options.spin_seconds = std::min(options.spin_seconds, spin_seconds_when_busy);
  return options;
}

run::Energy energy_of(const Timed &timed) {
  if (timed.run.end != End::completed)
    return {.why_not = "repeated for its energy, the run failed: " + timed.run.message};
  return timed.energy;
}

run::Energy energy_of(const LibraryTime &time) {
  if (!time.why.empty()) return {.why_not = time.why};
  return time.energy;
}

run::Energy DealtTrial::energy(double seconds) {
  if (auto why = referee_.deal(fresh_seed()); !why.empty()) return {.why_not = std::move(why)};
  SampleOptions options = options_;
  options.energy_seconds = seconds;
  return energy_of(referee_.run(replay_, plan_, options));
}

run::Energy DealtTrial::library_energy(double seconds) {
  SampleOptions options = options_;
  options.energy_seconds = seconds;
  return energy_of(referee_.multiply(options));
}

Checked DealtTrial::check() {
  return referee_.check(fresh_seed());
}

}  // namespace warpgrade::gpu
