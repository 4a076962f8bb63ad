// Runs a program of the system and gives what it said. For programs that we trust; see sandbox/ for others.
#pragma once

#include <string>
#include <vector>

namespace warpgrade::batch {

struct CommandOutcome {
  bool started = false;  ///< false: there is no such program
  bool in_time = true;
  int status = -1;  ///< of its end; 128 + a signal
  std::string out, error;
  bool ok() const { return started && in_time && status == 0; }
};

/// The program is looked for on the PATH; no shell sees the words. Standard input is empty. It has a process
/// group of its own, so that Ctrl-C cannot end it half way, and is killed after `seconds`. Throws
/// std::runtime_error when no process can be started.
CommandOutcome run_command(const std::vector<std::string> &words, double seconds);

}  // namespace warpgrade::batch
