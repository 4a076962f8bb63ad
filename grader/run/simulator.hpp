// The simulator in a process of its own. Device code is hostile: the process that interprets it is executed
// afresh, holds nothing of the grader's (no hidden cases, no references, no files, no network: see
// sandbox/confine.hpp), and is held to limits. It is given device code, plans and inputs; what it answers is
// read as the bytes of a stranger.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <vector>

#include "ptx/disturb.hpp"
#include "run/simulate.hpp"

namespace warpgrade::run {

struct SimulatorLimits {
  std::uint64_t memory_bytes = std::uint64_t{4} << 30;  ///< resident, of the whole process
  double wall_seconds = 600;                            ///< of all runs together; see Simulator::seconds
};

/// What is done to the device code before it runs: ptx/disturb.hpp.
struct CodeChanges {
  bool disturb_shared_loads = false;
  std::vector<ptx::Place> left_out;  ///< accesses
  bool operator==(const CodeChanges &) const = default;
};

/// One step's device code, in one process for all of its runs: a kernel is decoded once. A process that
/// crashed or was killed is replaced at the next run. Not for several threads at once, and to be used on the
/// thread that made it: the process goes when that thread ends.
class Simulator {
 public:
  /// program  the simulator program (run/simulator_main.cpp)
  /// fatbin   build::Build::fatbin
  Simulator(std::filesystem::path program, std::vector<std::byte> fatbin, SimulatorLimits limits = {});
  ~Simulator();
  Simulator(const Simulator &) = delete;
  Simulator &operator=(const Simulator &) = delete;

  /// Starts the process, which reads the device code meanwhile.
  void start_early();

  /// As run::simulate(). Run::end is, besides, time_limit beyond wall_seconds, device_error beyond
  /// memory_bytes, and our_failure when the process crashed twice or gave no proper answer.
  Run simulate(const plan::LaunchPlan &plan, const std::vector<HostBuffer> &inputs,
               const SimulateOptions &options, const CodeChanges &changes = {});
  /// As run::simulate_in_turn().
  std::vector<Run> simulate_in_turn(const plan::LaunchPlan &plan,
                                    const std::vector<std::vector<HostBuffer>> &inputs,
                                    const SimulateOptions &options, const CodeChanges &changes = {});

  double seconds() const;  ///< that runs took so far, by the wall clock
  pid_t process() const;   ///< -1 when there is none

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace warpgrade::run
