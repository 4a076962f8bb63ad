// Replays a launch plan on the SIMT simulator.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "counters/sample.hpp"
#include "decode/device_code.hpp"
#include "machine/device.hpp"
#include "plan/plan.hpp"
#include "run/run.hpp"
#include "trace/recording.hpp"

namespace warpgrade::run {

struct SimulateOptions {
  std::uint64_t warp_instructions = 200'000'000;  ///< of all launches of the plan together
  std::size_t printed_bytes = 65536;              ///< device printf beyond this is dropped
  std::uint64_t scratch_bytes = std::uint64_t{4} << 30;
  int threads = 1;                                          ///< results do not depend on it
  std::uint64_t alone_until = simt::Options{}.alone_until;  ///< likewise
  std::uint64_t schedule_seed = 0;                          ///< another legal order of warps if not 0
  std::optional<std::uint32_t> warp_first;                  ///< see simt::Options
  std::optional<std::uint64_t> block_first;                 ///< likewise
  bool count = true;
  bool sample_lanes = false;                  ///< fill in Run::samples
  std::optional<simt::TraceOptions> trace;    ///< fill in Run::trace
  std::optional<simt::RecordOptions> record;  ///< fill in Run::recording
  bool branches = false;                      ///< fill in Run::branches
  /// Run a few blocks of each launch and fill in Run::sampled. The memory of the judge's buffers then repeats
  /// what the inputs hold, which may be less than the plan asks for, and outputs are not read back.
  bool sample_blocks = false;
  /// Run only the last block of each launch, to see what it does where indices are large. The judge's buffers
  /// are as large as the plan requests and begin with the inputs; the rest is zero and takes no memory until
  /// accessed. Outputs are not read back.
  bool far_end = false;
  /// simulate_in_turn(): the first run executes this many operations of the plan, each later one all others. 0:
  /// each run executes all of them.
  std::uint64_t first_call = 0;
};

/// Runs every operation of `plan` on a fresh simulated device whose first buffers hold `inputs`.
/// inputs   in the plan's order; as many as the plan has buffers of the judge
/// returns  never throws for what the plan or the kernels do; Run::end says how it ended
Run simulate(const plan::LaunchPlan &plan, std::shared_ptr<const simt::DeviceCode> code,
             const std::vector<HostBuffer> &inputs, const SimulateOptions &options);

/// The same plan once for each of `inputs`, one after the other on one device: its variables, its heap and
/// the addresses of the judge's buffers stay as the previous run left them. Ends with the first run that does
/// not complete.
std::vector<Run> simulate_in_turn(const plan::LaunchPlan &plan, std::shared_ptr<const simt::DeviceCode> code,
                                  const std::vector<std::vector<HostBuffer>> &inputs,
                                  const SimulateOptions &options);

}  // namespace warpgrade::run
