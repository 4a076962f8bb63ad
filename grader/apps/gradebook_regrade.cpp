// ./gradebook regrade DIR ID...: grades again what was graded.
#include <fmt/format.h>

#include "apps/command_line.hpp"
#include "apps/gradebook_commands.hpp"
#include "apps/gradebook_options.hpp"
#include "gradebook/gradebook.hpp"
#include "service/service_store.hpp"

namespace warpgrade::apps {

int gradebook_regrade(const std::vector<std::string> &words) {
  gradebook::RegradeOptions w;
  CLI::App app(
      "Grades the handins of these students again, from the copies in the class's store, with the YAML files "
      "as they are\nnow. Until the new results are there, the old ones count; points given by hand stay. "
      "Nobody else changes, except who\nhanded in the same file.",
      "gradebook regrade");
  app.add_option("folder", w.folder, "of the class, as given to 'gradebook run --out'")->required();
  app.add_option("id", w.students, "of students");
  app.add_flag("--failed", w.failed, "every file that the grader failed on");
  app.add_flag("--all", w.all, "everybody");
  app.add_flag("--dry-run", w.dry_run, "only show who would change, and why");
  add_grading_options(app, w.grading);
  add_policy_option(app, w.grading.without_gpu);
  if (const auto status = parse(app, words)) return *status;
  const int done = gradebook::regrade(w);
  if (w.dry_run) return done;
  service::note_command_in_audit(w.folder, "regrade",
                                 w.all      ? "everybody"
                                 : w.failed ? "what the grader failed on"
                                            : fmt::format("{}", fmt::join(w.students, ", ")),
                                 "");
  return done;
}

}  // namespace warpgrade::apps
