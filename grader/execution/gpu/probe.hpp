// Microbenchmarks of a GPU: kernels of ours (probe.cu), run in a process of ours and timed. What the times
// say about the GPU is worked out in machine_figures.hpp.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "gpu/gpu.hpp"
#include "gpu/probe_kernels.hpp"
#include "gpu/referee.hpp"

namespace warpgrade::gpu {

/// One kernel, run at several lengths: once, twice, ... probe_lengths times `length` steps.
struct Probe {
  ProbeKernel kernel{};
  std::uint32_t blocks = 1, threads = 1;
  std::uint64_t bytes = 0;    ///< of the memory that it reads; for chains of loads a power of two
  std::uint32_t length = 0;   ///< steps of the shortest run, for most kernels a multiple of 128
  std::uint32_t repeats = 9;  ///< of all lengths
  std::uint8_t cold = 0;  ///< 1: the L2 cache is flushed before each run; 0: it holds the memory, if it can
};
constexpr std::uint32_t probe_lengths = 4;

struct ProbeTime {
  double cycles = 0, nanoseconds = 0;  ///< of the loop in the first block, by its clocks
  double seconds = 0;                  ///< of the launch, by events
};
/// One element per repeat: a time for each length.
using ProbeTimes = std::vector<std::vector<ProbeTime>>;

class ProbeError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A GPU's process that runs probes. Not safe for two threads at once. All of it throws ProbeError, a
/// sentence.
class Prober {
 public:
  explicit Prober(const DeviceInfo &, ChildOptions = {});
  ~Prober();
  Prober(Prober &&) noexcept;
  Prober &operator=(Prober &&) noexcept;

  ProbeTimes run(const Probe &);
  /// After the last run; nothing without NVML.
  const std::optional<GpuState> &state() const;
  /// Blocks that are resident on a multiprocessor at most, as the driver says.
  int blocks_per_multiprocessor() const;
  /// Processes that used the GPU before this one; nothing if NVML does not say.
  std::optional<int> other_processes() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace warpgrade::gpu
