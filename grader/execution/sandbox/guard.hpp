// The process between the grader and a sandbox: starts the program, enforces the deadline, collects the
// output, and ends only after everything that the program started has ended. Internal to sandbox/.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>

namespace warpgrade::sandbox {

/// Memory shared with the guard, which fills it in.
struct Report {
  std::int32_t end = 0;  ///< Outcome::End
  std::int32_t code = 0;
  double seconds = 0, cpu_seconds = 0;
  std::uint64_t output_bytes = 0;
  bool truncated = false, complete = false;
  bool starved = false;                             ///< Outcome::starved
  std::uint64_t least_memory = 0, least_space = 0;  ///< of Outcome::Machine
  bool killed_for_memory = false;
  std::int32_t start_error = 0;  ///< errno of the program's start
};

/// Everything the guard needs, made before the fork: afterwards it may not allocate.
struct Orders {
  char *const *arguments = nullptr;
  char *const *environment = nullptr;
  int executable = -1;  ///< a descriptor to execute instead of arguments[0]
  const char *directory = nullptr;
  int life = -1;  ///< end of file here: the grader wants the program to stop
  struct Move {
    int ours, theirs;
  };
  const Move *moves = nullptr;  ///< descriptors the program inherits
  std::size_t move_count = 0;
  double wall_seconds = 0;
  std::uint32_t cpu_seconds = 0, processes = 0;
  std::uint64_t memory_bytes = 0, file_bytes = 0;
  std::uint64_t total_memory_bytes = 0;  ///< 0: nobody watches the process tree
  double stretch = 1;
  int space = -1;  ///< a folder whose file system is watched
  uid_t user = 0;  ///< 0: stay who we are
  Report *report = nullptr;
  char *output = nullptr;
  std::uint64_t output_room = 0;
};

/// In a forked child of a grader that may have threads: calls only what POSIX allows there.
[[noreturn]] void guard(const Orders &);

}  // namespace warpgrade::sandbox
