#include "sanitize/sanitizer.hpp"

#include <fmt/format.h>

#include <system_error>

#include "base/process.hpp"
#include "base/scratch.hpp"
#include "base/text.hpp"

namespace warpgrade::sanitize {

namespace fs = std::filesystem;

Log Sanitizer::look(Tool tool, const profile::ReplayRequest &request, double wall_seconds) const {
  const Scratch scratch;
  const fs::path file = scratch.path() / "request";
  profile::write_replay_request(file, request);
  const fs::path program = fs::is_symlink(program_) ? fs::read_symlink(program_) : program_;
  // Errors are printed by thread: enough of them to see every line of a few blocks.
  const Start start{.program = sanitizer_,
                    .arguments = {sanitizer_.string(), "--tool", std::string(name_of(tool)),
                                  "--target-processes", "all", "--show-backtrace", "no", "--print-limit",
                                  "2000", program.string(), "replay-plan", file.string()},
                    .dies_with_us = true};
  CommandOutcome ended;
  try {
    ended = run_program(start, wall_seconds);
  } catch (const std::system_error &e) {
    throw SanitizerError(fmt::format("compute-sanitizer could not be started: {}", e.what()));
  }
  if (!ended.in_time)
    throw SanitizerError(
        fmt::format("{} did not end in {:g} s; try a smaller --size", name_of(tool), wall_seconds));
  Log log = parse_sanitizer_log(ended.out);
  // The replay fails with the kernel that a finding is about; without a finding, nothing was checked to its end.
  if (log.findings.empty() && (!log.complete || ended.status != 0)) {
    const std::string why =
        !log.complaint.empty() ? log.complaint : last_words(ended.error.empty() ? ended.out : ended.error);
    throw SanitizerError(
        fmt::format("{} could not run: {}", name_of(tool), why.empty() ? ended.end : for_terminal(why)));
  }
  return log;
}

}  // namespace warpgrade::sanitize
