// ./gradebook harden NAME: mutants of the solutions, and which of them the cases let pass.
#include "apps/command_line.hpp"
#include "apps/gradebook_commands.hpp"
#include "harden/harden.hpp"

namespace warpgrade::apps {

int gradebook_harden(const std::vector<std::string> &words) {
  constexpr double most_minutes = 600;
  harden::HardenOptions w;
  CLI::App app(
      "Measures the cases of an assignment: makes small mistakes in its solutions, one at a time, and runs "
      "each on\n"
      "the simulator. Says which of them no case notices, and the case that would. Results are kept, so that "
      "the\n"
      "same command goes on where it stopped.",
      "gradebook harden");
  app.add_option("assignment", w.assignment, "which one, such as hw6")->required();
  app.add_option("--step", w.steps, "only these steps")->delimiter(',');
  app.add_option("--json", w.json, "also write all mutants to this file (schema warpgrade.harden/1)");
  app.add_option("--minutes", w.minutes, "stop after so many, for all steps together (10)")
      ->check(CLI::Range(0.1, most_minutes));
  app.add_option("--state", w.state, "where results are kept (build/harden)");
  app.add_option("--toolchain", w.toolchain,
                 "the compiler: auto (clang where it is installed: it is faster), nvcc or clang")
      ->check(CLI::IsMember({"auto", "nvcc", "clang"}));
  app.add_option("--write", w.write, "write the mutants to this folder, with a list of them, and run none");
  app.add_flag("--no-sandbox", w.no_sandbox, "run the solutions with limits only");
  if (const auto status = parse(app, words)) return *status;
  require_writable(app, {"--json"});
  return harden::harden(w);
}

}  // namespace warpgrade::apps
