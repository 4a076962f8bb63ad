// ./gradebook run SUBMISSIONS --assignment hw6 --out DIR: grades a class; the same command continues.
#include <fmt/format.h>

#include "apps/command_line.hpp"
#include "apps/gradebook_commands.hpp"
#include "apps/gradebook_options.hpp"
#include "gradebook/gradebook.hpp"

namespace warpgrade::apps {

int gradebook_run(const std::vector<std::string> &words) {
  gradebook::RunOptions w;
  CLI::App app(
      "Grades a class: builds and runs every file that was handed in, and writes DIR/grades.csv, "
      "DIR/reports/<student>/\nand DIR/gradebook.db. However it is interrupted, the same command continues.",
      "gradebook run");
  app.add_option("submissions", w.submissions,
                 "a folder of folders or archives, an archive of them, or what a platform exports")
      ->required();
  app.add_option("--assignment", w.grading.assignment, "which one, such as hw6")->required();
  app.add_option("--out", w.out, "the folder of the class; created if missing")->required();
  app.add_option("--seed", w.grading.seed,
                 "of the random inputs; default: drawn from the operating system when a class is created, "
                 "and kept with it. Each file gets\na seed derived from it");
  app.add_option(
      "--layout", w.take_in.layout,
      fmt::format("how submissions are named: {}; default: as assignment.yaml says, or as the names suggest",
                  fmt::join(course::layout_names(), ", ")));
  app.add_option("--roster", w.take_in.roster,
                 "a CSV of the class: who is on it and handed in nothing gets a row")
      ->check(CLI::ExistingFile);
  app.add_option(
         "--secret", w.secret,
         "the file of secrets with which 'gradebook kit --roster' made kits; each student is graded by "
         "the own variant;\ndefault: variants.secret of the course, if it has one for the assignment")
      ->check(CLI::ExistingFile);
  add_grading_options(app, w.grading);
  add_policy_option(app, w.grading.without_gpu);
  if (const auto status = parse(app, words)) return *status;
  return gradebook::run(w);
}

}  // namespace warpgrade::apps
