// Any CUDA program, without a course: run unchanged on the simulator, or listed.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "ptx/module.hpp"
#include "runtime/journal/journal.hpp"
#include "trace/recording.hpp"

namespace warpgrade::program {

struct Request {
  cuda::Options options;
  std::vector<std::string> command;
  std::string json;
  /// Gets what the first process recorded that recorded something; without this, nothing is recorded.
  std::function<void(std::optional<simt::Recording>)> keep_recording;
  std::string links;     ///< a topology; empty: nvlink4 where there are several devices, else none
  std::string timeline;  ///< a file .svg or .html to write; empty: none
  bool counters = false;
  bool errors_only = false;  ///< warnings leave the exit status alone
};
/// ./simt run: runs the program with the simulator in place of libcudart.so, and reports on standard
/// error. Gives the exit status. Throws UsageError when it cannot be run.
int run(Request);

/// PTX text, or the PTX inside a fat binary. Throws UsageError.
ptx::Module read_module(const std::string &file);

/// What ./simt prove is asked: a kernel, its launch, and what holds of its sizes, which are its integer parameters.
struct ProofRequest {
  std::string file;                     ///< .cu, .ptx or .fatbin
  std::string kernel;                   ///< empty: the only one
  std::string grid = "1", block = "1";  ///< up to three expressions with commas between them
  std::string dynamic_shared_bytes = "0";
  std::vector<std::string> assumptions, buffers, outputs, parameters;
  std::map<std::string, std::string> values;  ///< of parameters
  std::string json;
  double seconds = 10;
};
/// Prints what is decided, and gives the exit status: 1 if something fails. Throws UsageError.
int prove_kernel(const ProofRequest &);

/// ./simt list: the kernels of a .ptx or .fatbin file, on standard output. Throws UsageError.
void list(const std::string &file);

}  // namespace warpgrade::program
