// gradebook new NAME: an assignment from templates/assignment, whole enough to be graded at once.
#include "apps/command_line.hpp"
#include "apps/gradebook_commands.hpp"
#include "authoring/authoring.hpp"

namespace warpgrade::apps {

int gradebook_new(const std::vector<std::string> &words) {
  std::string name, title;
  CLI::App app(
      "Makes an assignment from templates/assignment: YAML, solutions, starter and handout, which "
      "'gradebook lint' accepts.",
      "gradebook new");
  app.add_option("name", name, "what it is called, such as hw7")->required();
  app.add_option("--title", title, "what its handout is headed; otherwise the name");
  if (const auto status = parse(app, words)) return *status;
  return authoring::make_assignment(name, title);
}

}  // namespace warpgrade::apps
