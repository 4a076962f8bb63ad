// The driver of a course whose kernels take their geometry from outside: runs one of them, and says how fast
// it was and whether it was right. The assignment gives the command its name (`driver:` in assignment.yaml).
#include "apps/command_line.hpp"
#include "apps/commands.hpp"
#include "steps/steps.hpp"

namespace warpgrade::apps {

int grade_drive(const std::vector<std::string> &words) {
  steps::DriverOptions w;
  const std::string name = "grade " + steps::find_driver().value().command;
  CLI::App app("Runs one kernel with the geometry that you choose:\n  ./" + name +
                   " --kernel k5 --block 16 512 --thread 32 1 --mat 1024 --size 1024 --check",
               name);
  add_common_options(app, w.common);
  app.remove_option(app.get_option("--size"));
  app.add_option("--kernel", w.kernel, "the step, such as k5")->required();
  app.add_option("--block", w.grid, "how many blocks, along x and y; default: the assignment's")
      ->expected(2)
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{2147483647}));
  app.add_option("--thread", w.block, "how many threads a block has, along x and y")
      ->expected(2)
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{1024}));
  constexpr std::int64_t largest = 32768;
  app.add_option("--mat", w.matrix, "rows and columns of each matrix; 1024")
      ->check(CLI::Range(std::int64_t{1}, largest));
  app.add_option("--size", w.array, "rows of the arrays that hold them: the pitch; as many as --mat")
      ->check(CLI::Range(std::int64_t{1}, largest));
  app.add_flag("--check", w.check, "compare every element with a product in double precision");
  if (const auto status = parse(app, words)) return *status;
  return steps::drive(w);
}

}  // namespace warpgrade::apps
