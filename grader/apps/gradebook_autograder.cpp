// ./gradebook autograder hw6 --out FILE: a zip that Gradescope takes as the autograder of an assignment.
#include "apps/command_line.hpp"
#include "apps/gradebook_commands.hpp"
#include "pack/autograder.hpp"

namespace warpgrade::apps {

int gradebook_autograder(const std::vector<std::string> &words) {
  std::string name, out;
  CLI::App app(
      "Writes a zip for Gradescope's autograder: setup.sh installs the CUDA compiler there, run_autograder "
      "grades\n"
      "a submission on the simulator. It contains the hidden cases: upload it to Gradescope, do not share "
      "it.",
      "gradebook autograder");
  app.add_option("assignment", name, "which one, such as hw6")->required();
  app.add_option("--out", out, "the zip to write")->required();
  if (const auto status = parse(app, words)) return *status;
  return pack::pack_autograder(name, out);
}

}  // namespace warpgrade::apps
