// NVIDIA's compute-sanitizer on a launch plan. It runs this same program, which replays the plan once with every buffer
// an allocation of its own, as a program of the student's would have it.
#pragma once

#include <filesystem>
#include <optional>
#include <stdexcept>
#include <string>

#include "profile/profiler.hpp"
#include "sanitize/findings.hpp"

namespace warpgrade::sanitize {

/// Why a tool could not look, in one sentence for a person.
class SanitizerError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class Sanitizer {
 public:
  /// program  what the sanitizer starts: this program
  explicit Sanitizer(std::filesystem::path sanitizer, std::filesystem::path program = "/proc/self/exe")
      : sanitizer_(std::move(sanitizer)), program_(std::move(program)) {}

  /// What one tool finds in one replay of the plan. Throws SanitizerError when the run failed and it found nothing.
  Log look(Tool, const profile::ReplayRequest &, double wall_seconds) const;

 private:
  std::filesystem::path sanitizer_, program_;
};

}  // namespace warpgrade::sanitize
