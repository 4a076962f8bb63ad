// The processor time of another process.
#pragma once

#include <sys/types.h>
#include <time.h>

#include <optional>

namespace warpgrade {

/// Seconds of processor time that a process, with all its threads, has used; nothing if it has ended.
inline std::optional<double> processor_seconds(pid_t process) {
  clockid_t clock{};
  timespec used{};
  if (::clock_getcpuclockid(process, &clock) != 0 || ::clock_gettime(clock, &used) != 0) return std::nullopt;
  return static_cast<double>(used.tv_sec) + 1e-9 * static_cast<double>(used.tv_nsec);
}

}  // namespace warpgrade
