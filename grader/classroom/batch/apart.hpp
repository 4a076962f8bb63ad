// Work on hostile bytes in a process of its own, which can only compute and answer: libarchive is large, and
// one archive must not be able to end the run, take the machine's memory, or reach other people's data.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace warpgrade::batch {

struct ApartLimits {
  std::uint64_t memory_bytes = 0;  ///< beyond the current use of this process
  double wall_seconds = 0;
};

/// The result of `work`, called in a forked child that has no files except `descriptor` (none: -1), no
/// network, no processes, and limited memory and time. Throws Refused if `work` does, or if the child crashes
/// or reaches a limit; std::runtime_error if it throws anything else; std::system_error if no process can be
/// started.
std::string run_apart(const ApartLimits &, int descriptor, const std::function<std::string()> &work);

}  // namespace warpgrade::batch
