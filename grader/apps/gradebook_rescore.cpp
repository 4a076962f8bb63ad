// ./gradebook rescore DIR: points again from stored results, with the YAML files as they are now.
#include "apps/command_line.hpp"
#include "apps/gradebook_commands.hpp"
#include "apps/gradebook_options.hpp"
#include "gradebook/gradebook.hpp"
#include "service/service_store.hpp"

namespace warpgrade::apps {

int gradebook_rescore(const std::vector<std::string> &words) {
  std::string folder, without_gpu;
  bool dry_run = false;
  CLI::App app(
      "Computes all points again from the stored results, with the current points and thresholds of the YAML "
      "files, and says\nwhose points change, and by how much. Runs nothing.",
      "gradebook rescore");
  app.add_option("folder", folder, "of the class, as given to 'gradebook run --out'")->required();
  app.add_flag("-n,--dry-run", dry_run, "only say what would change");
  add_policy_option(app, without_gpu);
  if (const auto status = parse(app, words)) return *status;
  const int done = gradebook::rescore(folder, dry_run, without_gpu);
  if (!dry_run) service::note_command_in_audit(folder, "rescore", "everybody", "");
  return done;
}

}  // namespace warpgrade::apps
