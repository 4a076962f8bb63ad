// ./gradebook override DIR ID STEP POINTS --reason "...": points that a person gives; also those of a whole table.
#include <fmt/format.h>

#include "apps/command_line.hpp"
#include "apps/gradebook_commands.hpp"
#include "base/text.hpp"
#include "base/usage.hpp"
#include "gradebook/points_file.hpp"
#include "service/service_store.hpp"

namespace warpgrade::apps {

namespace {

int give(const gradebook::OverrideOptions &w) {
  const int done = gradebook::override_points(w);
  service::note_command_in_audit(
      w.folder, w.withdraw ? "withdraw" : "points", w.student,
      w.points ? fmt::format("{}: {} ({})", w.step, points(*w.points), w.reason) : w.step);
  return done;
}

}  // namespace

int gradebook_override(const std::vector<std::string> &words) {
  gradebook::OverrideOptions w;
  std::string file;
  CLI::App app(
      "Gives a student's step these points in place of the computed ones, until they are withdrawn: "
      "regrading and rescoring\nkeep them. They and the reason are shown in the student's score.json.",
      "gradebook override");
  app.add_option("folder", w.folder, "of the class, as given to 'gradebook run --out'")->required();
  app.add_option("id", w.student, "of the student");
  app.add_option("step", w.step, "such as step3");
  app.add_option("points", w.points, "from 0 to the step's maximum");
  app.add_option("--reason", w.reason, "why; the student reads it");
  app.add_option(
      "--from", file,
      "a CSV file with the columns student, step, points and reason, such as those of an oral exam: "
      "gives all\nof them, or none if a row is wrong");
  app.add_flag("--withdraw", w.withdraw, "let the computed points count again");
  if (const auto status = parse(app, words)) return *status;
  if (file.empty()) {
    if (w.student.empty() || w.step.empty()) throw UsageError("which student and which step?");
    return give(w);
  }
  if (!w.student.empty() || w.withdraw)
    throw UsageError("--from names students, steps and points in its file");
  for (const gradebook::OverrideOptions &one : gradebook::points_in_file(w.folder, file, w.reason))
    (void)give(one);
  return full_score;
}

}  // namespace warpgrade::apps
