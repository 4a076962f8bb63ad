// ./gradebook kit [ASSIGNMENT...]: what students get, as one archive an assignment.
#include "apps/command_line.hpp"
#include "apps/gradebook_commands.hpp"
#include "pack/kit.hpp"

namespace warpgrade::apps {

int gradebook_kit(const std::vector<std::string> &words) {
  pack::KitOptions w;
  CLI::App app(
      "Packs what students get: starter files, Makefile and headers, assignment.yaml and thresholds, the "
      "handout\n"
      "and the program 'grade'. No solutions, no hidden cases. The same files make the same archive.",
      "gradebook kit");
  app.add_option("assignment", w.names, "which ones, such as hw6; default: all of them");
  app.add_option("--out", w.out, "the folder for NAME.tar.gz")->capture_default_str();
  app.add_option("--handouts", w.handouts, "the folder with NAME.html and NAME.pdf")->capture_default_str();
  app.add_option("--program", w.programs,
                 "programs for students, one for each kind of machine; default: 'grade' and\n"
                 "'grade-aarch64' beside this one")
      ->allow_extra_args(false);
  app.add_option("--roster", w.roster,
                 "a CSV of the class: writes OUT/NAME/STUDENT.tar.gz for each student, with the student's "
                 "own variant")
      ->check(CLI::ExistingFile);
  app.add_option(
      "--secret", w.secret,
      "the file of secrets, from which variants follow; created if missing; default: variants.secret "
      "of the course");
  app.add_flag("--new-secret", w.new_secret,
               "with --roster: draws a new secret: every student gets a new variant, and kits already handed "
               "out become "
               "invalid");
  if (const auto status = parse(app, words)) return *status;
  if (!w.secret.empty() && w.roster.empty()) throw UsageError("--secret is for --roster");
  if (w.new_secret && w.roster.empty()) throw UsageError("--new-secret is for --roster");
  if (w.new_secret && w.names.empty())
    throw UsageError("--new-secret: name the assignment whose students get other variants");
  w.own_out = app.count("--out") == 0;
  w.own_handouts = app.count("--handouts") == 0;
  return pack::write_kits(w);
}

}  // namespace warpgrade::apps
