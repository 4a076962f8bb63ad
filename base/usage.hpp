// How programs end, and what of their environment they read.
#pragma once

#include <cstdlib>
#include <stdexcept>
#include <string>

namespace warpgrade {

/// The command line or the machine does not allow what was asked for: exit status 2.
class UsageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Exit status of every program.
enum ExitStatus : int { full_score = 0, below = 1, usage = 2, grader_failed = 3 };

/// The value of an environment variable; empty if it is not set.
inline std::string environment(const char *name) {
  const char *const value = std::getenv(name);
  return value != nullptr ? value : "";
}

}  // namespace warpgrade
