// ./grade debug STEP: step by step through what went wrong.
#include <fmt/format.h>

#include <charconv>

#include "apps/command_line.hpp"
#include "apps/commands.hpp"
#include "steps/steps.hpp"

namespace warpgrade::apps {
namespace {

/// "3,1" or "3,1,0"
simt::Dim3 block_named(const std::string &text) {
  std::uint32_t numbers[3] = {};
  std::size_t count = 0;
  const char *at = text.data(), *const end = text.data() + text.size();
  for (; count < 3; ++count) {
    const auto [next, error] = std::from_chars(at, end, numbers[count]);
    if (error != std::errc()) break;
    at = next;
    if (at == end) return {numbers[0], numbers[1], numbers[2]};
    if (*at++ != ',') break;
  }
  throw UsageError(fmt::format("--block: '{}' is no block; for example: --block 3,1", text));
}

}  // namespace

int grade_debug(const std::vector<std::string> &words) {
  steps::DebugOptions w;
  std::string block;
  CLI::App app(
      "Goes through the last moments of the warps that a failure concerns, line by line: which lanes were "
      "active,\n"
      "which elements they read and wrote, with which values. Takes the first open case that fails. Needs no "
      "GPU.",
      "grade debug");
  app.add_option("step", w.step, "the step, such as step2");
  add_common_options(app, w.common);
  app.add_option("--html", w.html, "write a page to step back and forth in, instead of printing");
  app.add_option("--block", block, "the block to record, such as 3,1; otherwise the one that failed");
  app.add_option("--warp", w.warp, "the warp of that block");
  app.add_option("--line", w.line, "only what this line of the source does")->check(CLI::PositiveNumber);
  app.add_option("--at", w.at, "end with this event, and show each of its lanes")->check(CLI::PositiveNumber);
  app.add_option("--lane", w.lane, "only this lane")->check(CLI::Range(0, 31));
  app.add_option("--element", w.element,
                 "only accesses to this element, such as 'C[0][32]'; of a result, the warp that wrote it and "
                 "why it is wrong");
  if (const auto status = parse(app, words)) return *status;
  require_writable(app, {"--html"});
  if (!block.empty()) w.block = block_named(block);
  return steps::debug_step(w);
}

}  // namespace warpgrade::apps
