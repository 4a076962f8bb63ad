// ./gradebook facts NAME: facts.yaml, for the questions of an assignment.
#include "apps/command_line.hpp"
#include "apps/gradebook_commands.hpp"
#include "authoring/authoring.hpp"

namespace warpgrade::apps {

int gradebook_facts(const std::vector<std::string> &words) {
  Common common;
  CLI::App app(
      "Counts in the solutions of an assignment what its questions ask, and writes facts.yaml, with which "
      "answers\n"
      "are compared.",
      "gradebook facts");
  app.add_option("assignment", common.assignment, "which one, such as ch6")->required();
  app.add_flag("--no-sandbox", common.no_sandbox, "run the solutions with limits only");
  if (const auto status = parse(app, words)) return *status;
  return authoring::write_facts(common);
}

}  // namespace warpgrade::apps
