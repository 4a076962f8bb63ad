// ./gradebook handout NAME: fills in handouts/NAME.md. Runs the solutions on the simulator for its pictures
// and counters, and grades the submissions whose mistakes it shows.
#include "apps/command_line.hpp"
#include "apps/gradebook_commands.hpp"
#include "authoring/authoring.hpp"

namespace warpgrade::apps {

int gradebook_handout(const std::vector<std::string> &words) {
  authoring::HandoutOptions w;
  CLI::App app(
      "Fills in handouts/NAME.md: points and thresholds from the YAML, figures from the simulator and from "
      "what a\n"
      "GPU measured, pictures, mistakes. Writes Markdown and SVG; `make handouts` makes HTML and PDF of "
      "them.",
      "gradebook handout");
  app.add_option("assignment", w.names, "which ones, such as hw6; default: all that have a handout");
  app.add_option("--out", w.out, "the folder to write to")->capture_default_str();
  app.add_flag("--no-sandbox", w.no_sandbox, "run the solutions and fixtures with limits only");
  if (const auto status = parse(app, words)) return *status;
  return authoring::fill_in_handouts(w);
}

}  // namespace warpgrade::apps
