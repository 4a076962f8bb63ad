// Resource use of a process tree, and what the machine has left. Internal to sandbox/: the guard calls these,
// so nothing here allocates or takes a lock.
#pragma once

#include <sys/types.h>

#include <cstdint>

namespace warpgrade::sandbox {

struct TreeUsage {
  std::uint64_t memory_bytes =
      0;                   ///< anonymous memory; pages that processes share after a fork count in each
  double cpu_seconds = 0;  ///< of live processes, and of their children that have ended
  bool runnable = false;   ///< the first thread of one of them computes, or waits for a processor only
};

/// Of all descendants of `root`, without itself. Children started by a thread other than the first are not
/// seen; compilers and make start none that way.
TreeUsage usage_below(pid_t root);

/// Bytes that the machine can still give to processes, swap included; the largest number if /proc does not
/// say.
std::uint64_t memory_left();
/// How many processes the kernel has killed for lack of memory since boot; 0 if /proc does not say.
std::uint64_t kills_for_memory();
/// Bytes left on the file system of the open folder; 0 if it has no inodes left, the largest number if the
/// system does not say.
std::uint64_t space_left(int folder);

}  // namespace warpgrade::sandbox
