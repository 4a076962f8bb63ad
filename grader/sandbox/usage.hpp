// What a tree of processes uses, and what the machine has left to give. Internal to sandbox/: the guard asks,
// so nothing here allocates or takes a lock.
#pragma once

#include <sys/types.h>

#include <cstdint>

namespace warpgrade::sandbox {

struct TreeUsage {
  std::uint64_t memory_bytes =
      0;                   ///< anonymous memory; pages that processes share after a fork count in each
  double cpu_seconds = 0;  ///< of those that live, and of their children that have ended
};

/// Of all descendants of `root`, without itself. A child that a thread other than the first one started is
/// not seen; compilers and make start none that way.
TreeUsage usage_below(pid_t root);

/// Bytes that the machine can still give to processes, swap included; the largest number where /proc does not
/// say.
std::uint64_t memory_left();
/// How many processes the kernel has killed for want of memory since the machine was started; 0 where /proc
/// does not say.
std::uint64_t kills_for_memory();
/// Bytes left on the file system of the open folder; 0 when it has no names left (inodes), the largest number
/// when it cannot be asked.
std::uint64_t space_left(int folder);

}  // namespace warpgrade::sandbox
