// Work on hostile bytes in a process of its own, which can do nothing but compute and answer: libarchive is
// large, and one archive must not be able to end the run, take the machine's memory, or reach what belongs to
// others.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace warpgrade::batch {

struct ApartLimits {
  std::uint64_t memory_bytes = 0;  ///< beyond what this process has
  double wall_seconds = 0;
};

/// What `work` returns, called in a forked child that has no files but `descriptor` (none: -1), no network,
/// no processes, limited memory and time. Throws Refused when `work` does, or when the child crashes or runs
/// into a limit; std::runtime_error when it throws anything else; std::system_error when no process can be
/// started.
std::string run_apart(const ApartLimits &, int descriptor, const std::function<std::string()> &work);

}  // namespace warpgrade::batch
