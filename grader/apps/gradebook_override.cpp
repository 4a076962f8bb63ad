// ./gradebook override DIR ID STEP POINTS --reason "...": points that a person gives.
#include "apps/command_line.hpp"
#include "apps/gradebook_commands.hpp"
#include "gradebook/gradebook.hpp"

namespace warpgrade::apps {

int gradebook_override(const std::vector<std::string> &words) {
  gradebook::OverrideOptions w;
  CLI::App app(
      "Gives a student's step these points in place of the computed ones, until they are withdrawn: grading "
      "and "
      "scoring\nagain leave them. They and the reason are shown in the student's score.json.",
      "gradebook override");
  app.add_option("folder", w.folder, "of the class: what --out of 'gradebook run' named")->required();
  app.add_option("id", w.student, "of the student")->required();
  app.add_option("step", w.step, "such as step3")->required();
  app.add_option("points", w.points, "from 0 to the step's most");
  app.add_option("--reason", w.reason, "why; the student reads it");
  app.add_flag("--withdraw", w.withdraw, "let the computed points count again");
  if (const auto status = parse(app, words)) return *status;
  return gradebook::override_points(w);
}

}  // namespace warpgrade::apps
