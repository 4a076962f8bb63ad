// What ./grade does through a service. Each function does what one command says and gives the exit status.
// Throws UsageError, FileError.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "setup/selection.hpp"

namespace warpgrade::remote {

/// ./grade login URL: asks for a token on the terminal, or reads it from standard input, tries it and keeps
/// it.
int log_in(const std::string &url);

struct RemoteOptions {
  Common common;
  std::vector<std::string> steps;
  std::string json, junit, html;
  bool verbose = false, quiet = false, watch = false;
  std::int64_t attach = 0;  ///< a submission to wait for; 0: submit
};
/// ./grade STEP --remote: submits, waits, and shows the report that the service made. The exit status is the
/// one that ./grade would have given there.
int grade(const RemoteOptions &);

}  // namespace warpgrade::remote
