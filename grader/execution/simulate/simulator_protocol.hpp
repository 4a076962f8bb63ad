// Messages between a Simulator and its process: frames, each preceded by its length as 64 bits. Internal
// to run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "plan/plan.hpp"
#include "simulate/simulator.hpp"

namespace warpgrade::run {

/// The process's only descriptor besides 0 to 2, which are /dev/null.
inline constexpr int simulator_socket = 3;
/// Exit statuses of the process.
inline constexpr int simulator_out_of_memory = 77, simulator_without_filter = 78, simulator_failed = 79;

/// One plan, once for each of `inputs`, on one device. The first frame is device code instead: a fat binary.
struct SimulatorRequest {
  SimulateOptions options;
  CodeChanges changes;
  plan::LaunchPlan plan;
  std::vector<std::vector<HostBuffer>> inputs;
};

std::vector<std::byte> encode(const SimulateOptions &, const CodeChanges &, const plan::LaunchPlan &,
                              const std::vector<std::vector<HostBuffer>> &inputs);
/// Throws WireError.
SimulatorRequest decode_simulator_request(std::span<const std::byte>);

/// The simulator cannot have given this answer.
class BadAnswer : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The runs, without buffers that are unchanged from `inputs`.
std::vector<std::byte> encode(const std::vector<Run> &, const std::vector<std::vector<HostBuffer>> &inputs,
                              const SimulateOptions &);
/// The runs again. Whatever the bytes are, the result is a possible answer of a simulator: at least one run,
/// no more than there are inputs, only the last of them not completed, buffers of the sizes of `inputs`, texts
/// and lists within bounds; or BadAnswer.
std::vector<Run> decode_simulator_answer(std::span<const std::byte>,
                                         const std::vector<std::vector<HostBuffer>> &inputs,
                                         const SimulateOptions &);
/// The length of the longest possible answer.
std::uint64_t longest_answer(const std::vector<std::vector<HostBuffer>> &inputs, const SimulateOptions &);

}  // namespace warpgrade::run
