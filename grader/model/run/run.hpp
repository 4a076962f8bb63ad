// The result of running a launch plan on fresh data: outputs, faults, diagnostics, counters, times. The
// simulator's replay (simulate/) and the GPU's (gpu/) fill it in; only judge/ decides what it means.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "counters/branches.hpp"
#include "counters/counters.hpp"
#include "counters/diagnostic.hpp"
#include "counters/path.hpp"
#include "counters/sample.hpp"
#include "links/operation.hpp"
#include "trace/recording.hpp"

namespace warpgrade::run {

enum class Role : std::uint8_t { input, in_out };

/// An argument buffer of the launcher on the host.
struct HostBuffer {
  std::string name;  ///< as the launcher calls it: "A"
  Role role = Role::input;
  std::vector<std::byte> bytes;
  std::uint64_t element_bytes = 4;  ///< of one element; a divisor of the size

  /// The same as elements of a trivial type.
  template <typename T>
  std::span<T> as() {
    return {reinterpret_cast<T *>(bytes.data()), bytes.size() / sizeof(T)};
  }
  template <typename T>
  std::span<const T> as() const {
    return {reinterpret_cast<const T *>(bytes.data()), bytes.size() / sizeof(T)};
  }
};

/// A buffer that holds these elements.
template <typename T>
HostBuffer host_buffer(std::string name, Role role, const std::vector<T> &values) {
  const auto bytes = std::as_bytes(std::span(values));
  return {std::move(name), role, {bytes.begin(), bytes.end()}, sizeof(T)};
}

enum class End : std::uint8_t {
  completed,
  fault,  ///< an access outside the buffers, misaligned, or freed; a barrier error; a race: see diagnostics
  launch_error,  ///< the driver's or the simulator's checks refused a launch
  device_error,  ///< the GPU reported any other error (trap, assert, out of memory)
  time_limit,
  unsupported,  ///< the simulator met an instruction or a call that it does not support
  our_failure,  ///< the replay itself failed
};

/// Two operations of a plan that nothing orders although they access the same bytes.
struct Unordered {
  std::uint64_t diagnostic = 0;          ///< its place in Run::diagnostics
  std::uint64_t earlier = 0, later = 0;  ///< their numbers in the plan
  bool operator==(const Unordered &) const = default;
};

/// An operation of a plan on several devices: what it moves, and what it follows.
struct Moved {
  std::uint64_t operation = 0;  ///< its number in the plan
  links::Operation moves;       ///< `after`: places among these
  bool operator==(const Moved &) const = default;
};

/// A block that was run alone, and how many blocks of its launch it represents.
struct SampledBlock {
  simt::Dim3 block{0, 0, 0};
  std::uint64_t stands_for = 1;
  simt::Counters counters;
  bool operator==(const SampledBlock &) const = default;
};

/// Distinct sectors of one buffer that neighbouring blocks access together: an inner block alone, it and the
/// next one along x, along y, and the four of that square. In a grid of one row or column, a missing
/// neighbour is left out.
struct SharedSectors {
  std::string buffer;
  simt::UniqueSectors one, along_x, along_y, square;
  bool operator==(const SharedSectors &) const = default;
};

/// A launch of which only a few blocks were run: see simulate/sample.hpp.
struct SampledLaunch {
  std::string kernel;  ///< mangled
  simt::Dim3 grid, block;
  std::uint32_t dynamic_shared_bytes = 0;
  std::vector<SampledBlock> blocks;  ///< they represent all blocks of the grid
  bool exact = false;                ///< as far as checked, the represented blocks do the same
  double spread = 0;  ///< of warp instructions among the inner blocks that were run: greatest / least - 1
  std::vector<SharedSectors> sectors;
  simt::Path path;  ///< of warp 0 of an inner block
  /// Of the lines that warps load for the first time, the share that another of these blocks had loaded clearly
  /// earlier in its own run: at least a sixteenth of its loads earlier.
  double loaded_before = 0;
  bool operator==(const SampledLaunch &) const = default;
};

struct Run {
  End end = End::our_failure;
  std::string message;              ///< one sentence if end != completed
  bool by_clock = false;            ///< time_limit: the wall clock ended it, which another time may not
  std::vector<HostBuffer> buffers;  ///< after the run, in the plan's order; empty unless completed
  std::vector<simt::Diagnostic> diagnostics;
  std::vector<Unordered> unordered;         ///< simulator only: of some of them
  std::vector<std::string> guards_written;  ///< GPU: "C: 12 bytes past the end were overwritten"
  std::string printed;                      ///< device printf, truncated
  std::optional<simt::Counters> counters;   ///< simulator only
  std::vector<std::uint64_t>
      launch_flops;                        ///< simulator only: fp32 and tensor flops of each launch, in order
  std::vector<simt::LaneSample> samples;   ///< simulator only, on request
  std::vector<simt::TracedRequest> trace;  ///< likewise; of all launches, one after the other
  std::vector<SampledLaunch> sampled;      ///< likewise; with counters and samples of what was run alone
  std::optional<simt::Recording> recording;  ///< likewise; of one launch
  std::vector<simt::BranchCount> branches;   ///< likewise; of all launches, by line
  std::vector<Moved> moved;  ///< simulator only, with counters, where there are several devices
};

/// One timed execution of a plan on a GPU.
struct Sample {
  double seconds = 0;        ///< between events around the whole plan, copies and memsets included
  double outer_seconds = 0;  ///< the judge's clock around all of it, flushes and messages included
  /// The host's clock from when it saw the first event until it saw the second; 0 if the first had
  /// passed before the host polled it.
  double host_seconds = 0;
  bool operator==(const Sample &) const = default;
};

}  // namespace warpgrade::run
