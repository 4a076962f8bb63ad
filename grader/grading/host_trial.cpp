#include "grading/host_trial.hpp"

#include <fmt/format.h>
#include <malloc.h>

#include <algorithm>

namespace warpgrade::grading {
namespace {

std::string wrong_elements(const problem::Comparison &c) {
  return c.wrong == 0 ? "" : problem::wrong_elements(c.wrong, c.checked, c.output, c.first.front());
}

}  // namespace

KeepsFreedMemory::KeepsFreedMemory() {
  ::mallopt(M_MMAP_MAX, 0);
  ::mallopt(M_TRIM_THRESHOLD, -1);
}

KeepsFreedMemory::~KeepsFreedMemory() {
  ::mallopt(M_MMAP_MAX, 65536);  // as glibc begins
  ::mallopt(M_TRIM_THRESHOLD, 128 << 10);
  ::malloc_trim(0);
}

std::string take_library(gpu::Referee &referee, const problem::Problem &problem, const problem::Case &size) {
  if (problem.library() == problem::Library::none)
    return fmt::format("there is no library to compare {} with", problem.name());
  std::vector<std::uint64_t> bytes;
  std::vector<std::uint8_t> devices;
  for (const plan::Buffer &buffer : problem.buffers(size)) {
    bytes.push_back(buffer.bytes);
    devices.push_back(buffer.device);
  }
  if (problem.library() == problem::Library::copy) {  // as many bytes are read, and as many written
    bytes.assign(2, static_cast<std::uint64_t>(problem.compulsory_bytes(size) / 2));
    devices.clear();
  }
  return referee.take(problem.routine(), bytes, devices);
}

void MeanSample::add(const run::Sample &sample) {
  sum_.seconds += sample.seconds / places_of_a_sample;
  sum_.outer_seconds += sample.outer_seconds / places_of_a_sample;
  sum_.host_seconds += sample.host_seconds / places_of_a_sample;
  all_seen_ = all_seen_ && sample.host_seconds > 0;
}

run::Sample MeanSample::sample() const {
  run::Sample mean = sum_;
  if (!all_seen_) mean.host_seconds = 0;
  return mean;
}

std::string HostTrial::begin() {
  why_no_library_ = take_library(referee_, problem_, size_);
  return "";
}

gpu::Timed HostTrial::run() {
  MeanSample mean;
  gpu::Timed timed;
  for (int place = 0; place < places_of_a_sample; ++place) {
    timed = run_once();
    if (timed.run.end != run::End::completed || !timed.run.guards_written.empty()) return timed;
    if (!checked_.finding.empty()) return timed;
    mean.add(timed.sample);
  }
  timed.sample = mean.sample();
  return timed;
}

gpu::Timed HostTrial::run_once() {
  inputs_ = problem_.inputs(size_, gpu::fresh_seed());
  gpu::Timed timed = replay_.time_once(plan_, inputs_, {});
  if (timed.run.end == run::End::completed) check(timed.run.buffers);
  timed.run.buffers.clear();
  return timed;
}

void HostTrial::check(const std::vector<run::HostBuffer> &outputs) {
  const problem::Comparison c =
      problem_.compare(size_, inputs_, problem_.reference(size_, inputs_), outputs, tolerance_);
  checked_.input_changed = !c.changed_inputs.empty();
  checked_.finding = wrong_elements(c);
  if (checked_.input_changed && c.wrong == 0) checked_.finding = c.changed_inputs.front() + " was changed";
}

/// The inputs themselves. What is copied is made of them: their bytes, over and over.
std::vector<run::HostBuffer> HostTrial::operands() const {
  if (!copies()) return inputs_;
  std::vector<std::byte> source, all;
  for (const run::HostBuffer &buffer : inputs_)
    all.insert(all.end(), buffer.bytes.begin(), buffer.bytes.end());
  const auto bytes = static_cast<std::size_t>(problem_.compulsory_bytes(size_) / 2);
  while (source.size() < bytes && !all.empty())
    source.insert(source.end(), all.begin(),
                  all.begin() + static_cast<std::ptrdiff_t>(std::min(all.size(), bytes - source.size())));
  return {{"source", run::Role::input, source, 1},
          {"copy", run::Role::in_out, std::vector<std::byte>(bytes), 1}};
}

/// What is wrong with what the library left, or "".
std::string HostTrial::wrong(const std::vector<run::HostBuffer> &left) const {
  if (copies()) return left[0].bytes == left[1].bytes ? "" : "it differs from what was copied";
  return wrong_elements(
      problem_.compare(size_, inputs_, problem_.reference(size_, inputs_), left, tolerance_));
}

gpu::LibraryTime HostTrial::library() {
  gpu::LibraryTime mean{why_no_library_, {}};
  std::vector<run::HostBuffer> given;
  const bool first = !library_ran_, fresh = first || !copies();
  if (mean.why.empty() && fresh) given = operands();
  std::vector<run::HostBuffer> left = first ? given : std::vector<run::HostBuffer>();
  for (int place = 0; mean.why.empty() && place < places_of_a_sample; ++place) {
    const bool new_operands = fresh && place == 0, look = first && place == 0;
    const gpu::LibraryTime time = referee_.compute(new_operands ? &given : nullptr, look ? &left : nullptr);
    mean.why = time.why;
    mean.sample.seconds += time.sample.seconds / places_of_a_sample;
    library_ran_ = true;
    if (std::string finding = look && mean.why.empty() ? wrong(left) : ""; !finding.empty())
      mean.why =
          fmt::format("{} itself gave a wrong result: {}", problem::name_of(problem_.library()), finding);
  }
  return mean;
}

run::Energy HostTrial::energy(double seconds) {
  gpu::SampleOptions options;
  options.energy_seconds = seconds;
  return gpu::energy_of(replay_.time_once(plan_, inputs_, options));
}

run::Energy HostTrial::library_energy(double seconds) {
  gpu::SampleOptions options;
  options.energy_seconds = seconds;
  return gpu::energy_of(referee_.compute(nullptr, nullptr, options));
}

}  // namespace warpgrade::grading
