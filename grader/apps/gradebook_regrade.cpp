// ./gradebook regrade DIR ID...: grades again what was graded, or shows first what that would change.
#include <fmt/format.h>

#include "apps/command_line.hpp"
#include "apps/gradebook_commands.hpp"
#include "apps/gradebook_options.hpp"
#include "gradebook/gradebook.hpp"
#include "service/service_store.hpp"

namespace warpgrade::apps {

int gradebook_regrade(const std::vector<std::string> &words) {
  gradebook::RegradeOptions w;
  bool preview = false, apply = false, discard = false, undo = false;
  CLI::App app(
      "Grades the handins of these students again, from the copies in the class's store, with the YAML files "
      "as they are\nnow. Until the new results are there, the old ones count; points given by hand stay. "
      "Nobody else changes.\n--preview grades beside what counts and lists who would change, by how much and "
      "why; "
      "--apply, for all or for named\nstudents, --discard and --undo decide.",
      "gradebook regrade");
  app.add_option("folder", w.folder, "of the class, as given to 'gradebook run --out'")->required();
  app.add_option("id", w.students, "of students");
  CLI::Option *failed = app.add_flag("--failed", w.failed, "every file that the grader failed on");
  CLI::Option *all = app.add_flag("--all", w.all, "everybody");
  CLI::Option *dry_run = app.add_flag("--dry-run", w.dry_run, "only show who would change, and why");
  std::vector<CLI::Option *> ways = {
      dry_run,
      app.add_flag(
          "--preview", preview,
          "grade beside what counts, and list who would change; without students, continue a preview"),
      app.add_flag("--apply", apply, "the previewed results count: of these students, or of all"),
      app.add_flag("--discard", discard, "throw the preview away"),
      app.add_flag("--undo", undo, "what counted before the latest regrading counts again")};
  for (std::size_t i = 0; i < ways.size(); ++i)
    for (std::size_t other = 0; other < i; ++other) ways[i]->excludes(ways[other]);
  for (CLI::Option *way : {ways[2], ways[3], ways[4]}) way->excludes(failed)->excludes(all);
  app.add_option("--csv", w.csv, "of --preview: also write the list to this file")->needs(ways[1]);
  add_grading_options(app, w.grading);
  add_policy_option(app, w.grading.without_gpu);
  if (const auto status = parse(app, words)) return *status;
  if (!w.students.empty() && (discard || undo))
    throw UsageError("--discard and --undo concern a whole preview or application; name no students");
  std::string whom = w.all      ? "everybody"
                     : w.failed ? "what the grader failed on"
                                : fmt::format("{}", fmt::join(w.students, ", "));
  if (whom.empty()) whom = "everybody";
  std::string detail;
  const int done = preview   ? gradebook::preview_regrade(w)
                   : apply   ? gradebook::apply_regrade(w, detail)
                   : discard ? gradebook::discard_regrade(w)
                   : undo    ? gradebook::undo_regrade(w, detail)
                             : gradebook::regrade(w);
  if (w.dry_run) return done;
  const char *what = preview   ? "regrade previewed"
                     : apply   ? "regrade applied"
                     : discard ? "regrade discarded"
                     : undo    ? "regrade undone"
                               : "regrade";
  service::note_command_in_audit(w.folder, what, whom, detail);
  return done;
}

}  // namespace warpgrade::apps
