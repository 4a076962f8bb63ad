// ./gradebook hunt NAME --from solutions/hw6: bug hunts from mutants.
#include "apps/command_line.hpp"
#include "apps/gradebook_commands.hpp"
#include "hunt/fault.hpp"
#include "hunt/hunt.hpp"

namespace warpgrade::apps {

int gradebook_hunt(const std::vector<std::string> &words) {
  hunt::HuntOptions w;
  CLI::App app(
      "Makes an assignment of bug hunts from solutions: each step's solution gets one small mistake whose "
      "effect is "
      "known,\n"
      "and students name its line and its cause, and fix it. Writes assignments/NAME, solutions/NAME and "
      "starter/NAME.",
      "gradebook hunt");
  app.add_option("assignment", w.name, "the name of the new assignment")->required();
  app.add_option("--from", w.from, "a folder of solutions, such as solutions/hw6")->required();
  app.add_option("--difficulty", w.difficulty,
                 "where a fault shows: every-size, ragged (only at some sizes) or race-only (results are "
                 "right, and the "
                 "race\ncheck objects); otherwise any of these")
      ->check(CLI::IsMember(hunt::difficulty_names()));
  app.add_option("--seed", w.seed, "the same seed makes the same hunts; otherwise a fresh one");
  app.add_option("--toolchain", w.toolchain,
                 "the compiler: auto (clang where it is installed: it is faster), nvcc or clang")
      ->check(CLI::IsMember({"auto", "nvcc", "clang"}));
  app.add_flag("--no-sandbox", w.no_sandbox, "run the solutions with limits only");
  if (const auto status = parse(app, words)) return *status;
  return hunt::hunt(w);
}

}  // namespace warpgrade::apps
