#include "grading/array_trial.hpp"

namespace warpgrade::grading {

namespace {

/// The first run of a sample brings the clocks up; until the next ones, the GPU idles for a few milliseconds.
gpu::SampleOptions sampling_at(int place) {
  gpu::SampleOptions options;
  if (place > 0) options.spin_seconds = gpu::spin_seconds_when_busy;
  return options;
}

}  // namespace

std::string ArrayTrial::begin() {
  on_host_ = !referee_.take(problem_, size_, tolerance_).empty();
  if (on_host_) return host_.begin();
  why_no_library_ = take_library(referee_, problem_, size_);
  return "";
}

gpu::Timed ArrayTrial::run() {
  if (on_host_) return host_.run();
  MeanSample mean;
  gpu::Timed timed;
  for (int place = 0; place < places_of_a_sample; ++place) {
    if (std::string why = referee_.deal(gpu::fresh_seed()); !why.empty()) {
      timed.run.end = run::End::our_failure;
      timed.run.message = std::move(why);
      return timed;
    }
    timed = referee_.run(replay_, plan_, sampling_at(place));
    if (timed.run.end != run::End::completed || !timed.run.guards_written.empty()) return timed;
    checked_ = referee_.check(gpu::fresh_seed());
    if (!checked_.why.empty() || !checked_.finding.empty() || !checked_.guards.empty()) return timed;
    mean.add(timed.sample);
  }
  timed.sample = mean.sample();
  return timed;
}

gpu::LibraryTime ArrayTrial::library() {
  if (on_host_) return host_.library();
  gpu::LibraryTime mean{why_no_library_, {}};
  for (int place = 0; mean.why.empty() && place < places_of_a_sample; ++place) {
    const gpu::LibraryTime time = referee_.compute_dealt(place == 0, sampling_at(place));
    mean.why = time.why;
    mean.sample.seconds += time.sample.seconds / places_of_a_sample;
  }
  return mean;
}

run::Energy ArrayTrial::energy(double seconds) {
  if (on_host_) return host_.energy(seconds);
  if (std::string why = referee_.deal(gpu::fresh_seed()); !why.empty()) return {.why_not = std::move(why)};
  gpu::SampleOptions options;
  options.energy_seconds = seconds;
  return gpu::energy_of(referee_.run(replay_, plan_, options));
}

run::Energy ArrayTrial::library_energy(double seconds) {
  if (on_host_) return host_.library_energy(seconds);
  gpu::SampleOptions options;
  options.energy_seconds = seconds;
  return gpu::energy_of(referee_.compute_dealt(true, options));
}

}  // namespace warpgrade::grading
