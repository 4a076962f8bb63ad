// ./grade report: measures what the marks of a report ask for, and puts it there. The words around are the
// student's.
#include <fmt/format.h>

#include "apps/command_line.hpp"
#include "apps/commands.hpp"
#include "apps/report_parts.hpp"
#include "setup/files.hpp"

namespace warpgrade::apps {

int grade_report(const std::vector<std::string> &words) {
  namespace fs = std::filesystem;
  Common common;
  std::string from, to;
  CLI::App app(
      "Fills the marked parts of your report.md with what it measures: tables, and plots as SVG beside it. "
      "What "
      "you wrote around them stays.",
      "grade report");
  add_common_options(app, common);
  app.remove_option(app.get_option("--size"));
  app.remove_option(app.get_option("--case"));
  app.add_option("--from", from, "the report; report.md of the submission when not given");
  app.add_option("--out", to, "where it goes, filled in; over the report itself when not given");
  if (const auto status = parse(app, words)) return *status;

  const Course course = open_course(common, {});
  const fs::path source = from.empty() ? course.submission / "report.md" : fs::path(from);
  if (!fs::is_regular_file(source))
    throw UsageError(fmt::format("{} is not there; {} has a report only if its starter has one",
                                 source.string(), course.assignment.name));
  const fs::path target = to.empty() ? source : fs::path(to);
  if (const std::string why = why_not_writable(target); !why.empty()) throw UsageError(why);
  const std::string text = read_whole(source);
  const auto machine =
      look_at_machine(course.root, course.assignment, common.device_choice(), !common.no_sandbox);
  const fs::path folder = target.has_parent_path() ? target.parent_path() : fs::path(".");
  ReportParts parts(common, course, *machine, folder / (target.stem().string() + "-pictures"));
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

}  // namespace warpgrade::apps
