// ./gradebook lint: checks the files of assignments.
#include "apps/command_line.hpp"
#include "apps/gradebook_commands.hpp"
#include "authoring/authoring.hpp"

namespace warpgrade::apps {

int gradebook_lint(const std::vector<std::string> &words) {
  CLI::App app("Checks the files of assignments.", "gradebook lint");
  std::vector<std::string> names;
  bool grade = false, search = false;
  app.add_option("assignment", names, "which ones; default: all of them");
  app.add_flag("--grade", grade,
               "also grade solutions (full points) and starter (none) on the simulator, count the facts "
               "again, and fill in the handout");
  app.add_flag("--search", search,
               "also say which branches of the solutions no case takes both ways, and look for cases that "
               "they fail");
  if (const auto status = parse(app, words)) return *status;
  return authoring::lint(names, grade, search);
}

}  // namespace warpgrade::apps
