#include "runtime/journal/report.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "runtime/journal/json.hpp"

namespace warpgrade::cuda {
namespace {

std::string plural(std::uint64_t count, const char *what, const char *several = nullptr) {
  if (count == 1) return fmt::format("1 {}", what);
  return several ? fmt::format("{} {}", count, several) : fmt::format("{} {}s", count, what);
}

std::string headline(const std::vector<Journal> &journals) {
  std::uint64_t launches = 0, kernels = 0, by_severity[3] = {};
  bool complete = true, ended = true;
  for (const Journal &journal : journals) {
    complete = complete && journal.complete;
    ended = ended && journal.finished;
    launches += journal.launches;
    kernels += journal.kernels.size();
    for (const Finding &f : journal.findings) ++by_severity[static_cast<std::size_t>(f.severity)];
  }
  std::string text = "simt: ";
  if (complete)
    text += fmt::format("{} of {}: ", plural(launches, "launch", "launches"), plural(kernels, "kernel"));
  const char *const none = ended ? "no errors" : "no errors so far";
  text += by_severity[2] == 0 ? none : plural(by_severity[2], "error");
  if (by_severity[1] != 0) text += ", " + plural(by_severity[1], "warning");
  if (by_severity[0] != 0) text += ", " + plural(by_severity[0], "remark");
  return text + "\n";
}

std::string findings(const std::vector<Journal> &journals) {
  std::string text;
  for (const simt::Severity severity : {simt::Severity::error, simt::Severity::warning, simt::Severity::info})
    for (const Journal &journal : journals)
      for (const Finding &f : journal.findings)
        if (f.severity == severity) text += to_text(f) + "\n";
  return text;
}

std::string notes(const std::vector<Journal> &journals) {
  bool lineless = false, timed = false, cut = false, complete = true;
  for (const Journal &journal : journals) {
    timed = timed || journal.timed;
    cut = cut || !journal.finished;
    complete = complete && journal.complete;
    for (const Finding &f : journal.findings) lineless = lineless || (f.here && f.here->at.line == 0);
  }
  std::string text;
  if (lineless) text += "simt: to see file and line, compile with nvcc -lineinfo\n";
  if (timed)
    text +=
        "simt: elapsed times mean nothing here: cudaEventElapsedTime counts simulated work, a million warp "
        "instructions per millisecond\n";
  if (cut)
    text += fmt::format("simt: the program did not end by itself: {} not known\n",
                        complete ? "what it would still have freed is" : "launches, counters and leaks are");
  return text;
}

std::string ratio(std::uint64_t a, std::uint64_t b) {
  return b == 0 ? "-" : fmt::format("{:.2f}", static_cast<double>(a) / static_cast<double>(b));
}

std::string count(std::uint64_t n) {
  return n == 0 ? "-" : fmt::format("{}", n);
}

constexpr const char *row = "  {:<26} {:>9} {:>8} {:>9} {:>8} {:>9} {:>8} {:>9} {:>8} {:>9} {:>11} {:>11}\n";

std::string counter_row(const std::string &name, const simt::LineCounters &c) {
  return fmt::format(fmt::runtime(row), name, count(c.global_load.requests),
                     ratio(c.global_load.sectors, c.global_load.requests), count(c.global_store.requests),
                     ratio(c.global_store.sectors, c.global_store.requests), count(c.shared_load.requests),
                     ratio(c.shared_load.wavefronts, c.shared_load.requests), count(c.shared_store.requests),
                     ratio(c.shared_store.wavefronts, c.shared_store.requests), count(c.atomic_requests),
                     count(c.fp32_flops() + 2 * c.fp64_fma + c.fp64_add + c.fp64_mul + c.tensor_flops),
                     count(c.warp_instructions));
}

std::string table(const KernelTotals &kernel) {
  const simt::Counters &c = kernel.counters;
  std::string text = fmt::format("\n{}: {}, {} threads\n", kernel.kernel,
                                 plural(kernel.launches, "launch", "launches"), kernel.threads);
  text += fmt::format(fmt::runtime(row), "", "global ld", "sectors", "global st", "sectors", "shared ld",
                      "wavefr.", "shared st", "wavefr.", "atomic", "", "warp");
  text += fmt::format(fmt::runtime(row), "line", "requests", "/request", "requests", "/request", "requests",
                      "/request", "requests", "/request", "requests", "flops", "instr.");
  for (const auto &[at, counters] : c.lines) {
    if (counters == simt::LineCounters{}) continue;
    text += counter_row(at.line > 0 ? fmt::format("{}:{}", at.file, at.line) : "(no line)", counters);
  }
  text += counter_row("all", c);
  text += fmt::format("  {:.0f} % of lanes active; {} bytes requested, at least {} to move\n",
                      100 * c.lane_efficiency(), c.requested_bytes(), c.compulsory_bytes());
  return text;
}

}  // namespace

bool has_findings(const std::vector<Journal> &journals, simt::Severity least) {
  for (const Journal &journal : journals)
    for (const Finding &f : journal.findings)
      if (f.severity >= least) return true;
  return false;
}

std::string report(const std::vector<Journal> &journals, bool counters) {
  std::string text = headline(journals) + findings(journals) + notes(journals);
  if (counters)
    for (const Journal &journal : journals)
      for (const KernelTotals &kernel : journal.kernels) text += table(kernel);
  return text;
}

std::string report_json(const std::vector<Journal> &journals, const std::vector<std::string> &command,
                        int status, const nlohmann::json *more) {
  nlohmann::json to = {{"schema", "warpgrade.simt/1"},
                       {"command", command},
                       {"exit_status", status},
                       {"finished", true},
                       {"findings", nlohmann::json::array()},
                       {"kernels", nlohmann::json::array()}};
  if (more != nullptr) to.update(*more);
  for (const Journal &journal : journals) {
    if (!journal.finished) to["finished"] = false;
    for (const Finding &f : journal.findings) to["findings"].push_back(json_of(f));
    for (const KernelTotals &kernel : journal.kernels) to["kernels"].push_back(json_of(kernel));
  }
  return to.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

}  // namespace warpgrade::cuda
