// ./gradebook override DIR ID STEP POINTS --reason "...": points that a person gives.
#include <fmt/format.h>

#include "apps/command_line.hpp"
#include "apps/gradebook_commands.hpp"
#include "base/text.hpp"
#include "gradebook/gradebook.hpp"
#include "service/service_store.hpp"

namespace warpgrade::apps {

int gradebook_override(const std::vector<std::string> &words) {
  gradebook::OverrideOptions w;
  CLI::App app(
      "Gives a student's step these points in place of the computed ones, until they are withdrawn: "
      "regrading and rescoring\nkeep them. They and the reason are shown in the student's score.json.",
      "gradebook override");
  app.add_option("folder", w.folder, "of the class, as given to 'gradebook run --out'")->required();
  app.add_option("id", w.student, "of the student")->required();
  app.add_option("step", w.step, "such as step3")->required();
  app.add_option("points", w.points, "from 0 to the step's maximum");
  app.add_option("--reason", w.reason, "why; the student reads it");
  app.add_flag("--withdraw", w.withdraw, "let the computed points count again");
  if (const auto status = parse(app, words)) return *status;
  const int done = gradebook::override_points(w);
  service::note_command_in_audit(
      w.folder, w.withdraw ? "withdraw" : "points", w.student,
      w.points ? fmt::format("{}: {} ({})", w.step, points(*w.points), w.reason) : w.step);
  return done;
}

}  // namespace warpgrade::apps
