// ./gradebook report DIR: the class as pages: a dashboard with names, a leaderboard to publish, a page a
// student.
#include "apps/command_line.hpp"
#include "apps/gradebook_commands.hpp"
#include "gradebook/gradebook.hpp"

namespace warpgrade::apps {

int gradebook_report(const std::vector<std::string> &words) {
  std::string folder;
  CLI::App app(
      "Writes DIR/class.html (the dashboard: distributions, thresholds to move, verdicts, common errors),\n"
      "DIR/leaderboard.html (rates or counters under random names, to be published) and "
      "DIR/reports/<student>/report.html.",
      "gradebook report");
  app.add_option("folder", folder, "of the class, as given to 'gradebook run --out'")->required();
  if (const auto status = parse(app, words)) return *status;
  return gradebook::write_pages(folder);
}

}  // namespace warpgrade::apps
