// ./gradebook push DIR: sends the grades of a class to a platform, over LTI 1.3.
#include "apps/command_line.hpp"
#include "apps/gradebook_commands.hpp"
#include "gradebook/gradebook.hpp"
#include "service/disputes/said.hpp"

namespace warpgrade::apps {

int gradebook_push(const std::vector<std::string> &words) {
  gradebook::PushOptions w;
  CLI::App app(
      "Sends the grades of a class to a platform: a score message of LTI 1.3 Assignment and Grade Services "
      "for each\n"
      "student. What the platform has already is not sent again, so the same command continues after an "
      "interruption.\n"
      "Students with undecided points are left out, since platforms would erase their older grade.",
      "gradebook push");
  app.add_option("folder", w.folder, "of the class, as given to 'gradebook run --out'");
  app.add_option("--lti", w.site, "a YAML file about the platform; default: lti.yaml beside assignments/")
      ->check(CLI::ExistingFile);
  app.add_option("--student", w.students, "the id of a student; more than once for several. Otherwise all")
      ->allow_extra_args(false);
  app.add_flag("-n,--dry-run", w.dry_run,
               "send nothing: only say what would be sent, and check file and key");
  app.add_flag("--again", w.again, "also send what the platform has already");
  app.add_flag("--partial", w.partial,
               "also send the scores of students with undecided points, without these points");
  app.add_option("--public-key", w.public_key,
                 "KEY: only print the public half of this key, as a JSON Web Key Set for the platform");
  if (const auto status = parse(app, words)) return *status;
  if (!w.folder.empty()) w.service = service::from_service(w.folder);
  return gradebook::push(w);
}

}  // namespace warpgrade::apps
