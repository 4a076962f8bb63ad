#include <fmt/format.h>

#include "bench/bench.hpp"
#include "bench/report_parts.hpp"
#include "setup/files.hpp"
#include "setup/selection.hpp"

namespace warpgrade::bench {

namespace fs = std::filesystem;

int fill_report(const ReportOptions &w) {
  const Course course = open_course(w.common, {});
  const fs::path source = w.from.empty() ? course.submission / "report.md" : fs::path(w.from);
  if (!fs::is_regular_file(source))
    throw UsageError(fmt::format("{} is missing; {} has a report only if its starter has one",
                                 source.string(), course.assignment.name));
  const fs::path target = w.to.empty() ? source : fs::path(w.to);
  if (const std::string why = why_not_writable(target); !why.empty()) throw UsageError(why);
  const std::string text = read_whole(source);
  const auto machine =
      look_at_machine(course.root, course.assignment, w.common.device_choice(), !w.common.no_sandbox);
  const fs::path folder = target.has_parent_path() ? target.parent_path() : fs::path(".");
  ReportParts parts(w.common, course, *machine, folder / (target.stem().string() + "-pictures"));
  try {
    // A mistake in the last mark is found before the first minute of measuring.
    int marks = 0;
    report::fill_in(text, source.string(), [&](const report::Mark &mark) {
      parts.check(mark);
      ++marks;
      return std::string();
    });
    write_whole(target, report::fill_in(text, source.string(),
                                        [&](const report::Mark &mark) { return parts.measure(mark); }));
    fmt::print("{}: {} parts measured on {}{}\n", target.string(), marks,
               machine->environment.gpu ? machine->environment.gpu->name : "the simulator",
               machine->environment.gpu ? "" : ", which has no times: rates wait for a GPU");
  } catch (const report::MarkError &e) {
    throw UsageError(e.what());
  }
  return full_score;
}

}  // namespace warpgrade::bench
