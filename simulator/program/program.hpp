// Any CUDA program, without a course: run unchanged on the simulator, or listed.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "runtime/journal/journal.hpp"
#include "trace/recording.hpp"

namespace warpgrade::program {

struct Request {
  cuda::Options options;
  std::vector<std::string> command;
  std::string json;
  /// Gets what the first process recorded that recorded something; without this, nothing is recorded.
  std::function<void(std::optional<simt::Recording>)> keep_recording;
  bool counters = false;
  bool errors_only = false;  ///< warnings leave the exit status alone
};
/// ./simt run: runs the program with the simulator in place of libcudart.so, and reports on standard
/// error. Gives the exit status. Throws UsageError when it cannot be run.
int run(Request);

/// ./simt list: the kernels of a .ptx or .fatbin file, on standard output. Throws UsageError.
void list(const std::string &file);

}  // namespace warpgrade::program
