// The simulator in its own process. Device code is hostile: the process that interprets it is started with
// exec, contains none of the grader's data (no hidden cases, no references, no files, no network: see
// sandbox/confine.hpp), and has limits. It gets device code, plans and inputs; its answers are read as
// untrusted bytes.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <vector>

#include "ptx/disturb.hpp"
#include "simulate/simulate.hpp"

namespace warpgrade::run {

struct SimulatorLimits {
  std::uint64_t memory_bytes = std::uint64_t{4} << 30;  ///< resident, of the whole process
  double wall_seconds = 600;                            ///< of all runs together; see Simulator::seconds
};

/// How the device code is changed before it runs: ptx/disturb.hpp.
struct CodeChanges {
  bool disturb_shared_loads = false;
  std::vector<ptx::Place> left_out;  ///< accesses and products
  bool operator==(const CodeChanges &) const = default;
};

/// One step's device code, in one process for all of its runs, so a kernel is decoded only once. A process
/// that crashed or was killed is replaced at the next run. Not for several threads at once; use it on the
/// thread that created it, because the process ends with that thread.
class Simulator {
 public:
  /// program  the simulator program (simulate/simulator_main.cpp)
  /// fatbin   build::Build::fatbin
  Simulator(std::filesystem::path program, std::vector<std::byte> fatbin, SimulatorLimits limits = {});
  ~Simulator();
  Simulator(const Simulator &) = delete;
  Simulator &operator=(const Simulator &) = delete;

  /// Starts the process, which decodes the device code in the background.
  void start_early();

  /// As run::simulate(). In addition, Run::end is time_limit beyond wall_seconds, device_error beyond
  /// memory_bytes, and our_failure when the process crashed twice or gave no valid answer.
  Run simulate(const plan::LaunchPlan &plan, const std::vector<HostBuffer> &inputs,
               const SimulateOptions &options, const CodeChanges &changes = {});
  /// As run::simulate_in_turn().
  std::vector<Run> simulate_in_turn(const plan::LaunchPlan &plan,
                                    const std::vector<std::vector<HostBuffer>> &inputs,
                                    const SimulateOptions &options, const CodeChanges &changes = {});

  double seconds() const;            ///< wall time of all runs so far
  double processor_seconds() const;  ///< that its processes had so far, their starts among them
  pid_t process() const;             ///< -1 when there is none

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace warpgrade::run
