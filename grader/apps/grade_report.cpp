// ./grade report: measures what the marks of a report ask for, and puts it there. The words around are the
// student's.
#include "apps/command_line.hpp"
#include "apps/commands.hpp"
#include "bench/bench.hpp"

namespace warpgrade::apps {

int grade_report(const std::vector<std::string> &words) {
  bench::ReportOptions w;
  CLI::App app(
      "Fills the marked parts of your report.md with what it measures: tables, and plots as SVG beside it. "
      "What "
      "you wrote around them stays.",
      "grade report");
  add_common_options(app, w.common);
  app.remove_option(app.get_option("--size"));
  app.remove_option(app.get_option("--case"));
  app.add_option("--from", w.from, "the report; default: report.md of the submission");
  app.add_option("--out", w.to, "the file to write; default: the report itself");
  if (const auto status = parse(app, words)) return *status;
  return bench::fill_report(w);
}

}  // namespace warpgrade::apps
