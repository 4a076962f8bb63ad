// ./grade package STUDENTID: checks that everything is there and builds, and writes the archive to hand in.
#include "apps/command_line.hpp"
#include "apps/commands.hpp"
#include "pack/package.hpp"

namespace warpgrade::apps {

int grade_package(const std::vector<std::string> &words) {
  pack::PackOptions w;
  CLI::App app(
      "Checks that every file is there and builds, and writes STUDENTID_ASSIGNMENT.zip: the steps, a table "
      "of\n"
      "what was measured, a roofline. It grades nothing: './grade' does.",
      "grade package");
  app.add_option("studentid", w.student, "yours, as the course knows it")->required();
  add_common_options(app, w.common);
  app.add_option("--out", w.out, "the folder for the archive")->capture_default_str();
  app.add_flag("--anyway", w.anyway, "pack even if a file is missing or does not build");
  if (const auto status = parse(app, words)) return *status;
  return pack::pack(w);
}

}  // namespace warpgrade::apps
