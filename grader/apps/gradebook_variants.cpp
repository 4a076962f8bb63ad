// ./gradebook variants NAME [PARAMETER=VALUE...]: the variants of an assignment.
#include "apps/command_line.hpp"
#include "apps/gradebook_commands.hpp"
#include "variants/variants.hpp"

namespace warpgrade::apps {

int gradebook_variants(const std::vector<std::string> &words) {
  variants::Options w;
  CLI::App app(
      "Lists the parameters of an assignment's variants and their values; with choices or --student, says "
      "what\n"
      "one variant asks for, and with --out, writes its course: starter, solution, YAML and handout as its\n"
      "students have them. In that folder, every other command works on the variant.",
      "gradebook variants");
  app.add_option("assignment", w.assignment, "which one, such as reduction")->required();
  app.add_option("choices", w.choices, "values of parameters, such as element=int; default: the first ones");
  app.add_option("--student", w.student, "the id of a student, whose variant is meant")->excludes("choices");
  app.add_option("--secret", w.secret, "the file of secrets; default: variants.secret of the course")
      ->check(CLI::ExistingFile);
  app.add_option("--out", w.out, "a new folder for the course of the variant");
  if (const auto status = parse(app, words)) return *status;
  return variants::variants(w);
}

}  // namespace warpgrade::apps
