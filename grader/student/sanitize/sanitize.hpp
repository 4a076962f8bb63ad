// ./grade sanitize: what NVIDIA's compute-sanitizer and the simulator find in a step, side by side.
#pragma once

#include <string>
#include <vector>

#include "setup/selection.hpp"

namespace warpgrade::sanitize {

struct SanitizeOptions {
  Common common;
  std::string step, json;
  std::vector<std::string> tools;  ///< names of tools; none: all of them
  double seconds = 300;            ///< for one tool
};
/// Prints to standard output, gives the exit status: 0 where nothing was found, 1 where something was, 3 where a tool could
/// not run and nothing was found. Throws UsageError, where there is no GPU or no compute-sanitizer too.
int sanitize_step(const SanitizeOptions &);

}  // namespace warpgrade::sanitize
