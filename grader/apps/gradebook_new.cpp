// gradebook new NAME: an assignment from templates/, whole enough to be graded at once.
#include "apps/command_line.hpp"
#include "apps/gradebook_commands.hpp"
#include "authoring/authoring.hpp"

namespace warpgrade::apps {

int gradebook_new(const std::vector<std::string> &words) {
  std::string name, title;
  bool problem = false;
  CLI::App app(
      "Makes an assignment from templates/assignment or, with a problem of its own, from templates/problem: "
      "YAML, solutions, starter and handout, which 'gradebook lint' accepts.",
      "gradebook new");
  app.add_option("name", name, "its name, such as hw7")->required();
  app.add_option("--title", title, "the title of its handout; default: the name");
  app.add_flag("--problem", problem, "with a problem of its own (problem.cpp), to be built by 'make'");
  if (const auto status = parse(app, words)) return *status;
  return authoring::make_assignment(name, title, problem);
}

}  // namespace warpgrade::apps
