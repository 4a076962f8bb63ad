// ./grade tune STEP -D NAME=VALUES: the same kernel with other constants, each built, checked and measured.
#include "apps/command_line.hpp"
#include "apps/commands.hpp"
#include "tune/tune.hpp"

namespace warpgrade::apps {

int grade_tune(const std::vector<std::string> &words) {
  tune::TuneOptions w;
  CLI::App app(
      "Builds a step with other values of its constants, checks each variant on every case and measures it.\n"
      "Constants are those that the file, or a header of yours, defines with constexpr or #define.",
      "grade tune");
  app.add_option("step", w.step, "the step, such as step3")->required();
  add_common_options(app, w.common);
  app.add_option("-D,--define", w.definitions, "a constant and its values: -D BM=64,128 -D BK=8,16");
  app.add_option("--set", w.sets,
                 "constants that change together; repeat it for each combination: --set \"BX=32 BY=8\" --set "
                 "\"BX=16 BY=16\"");
  app.add_option("--sizes", w.sizes, "where to measure: 2048, or 1024,2048, or \"m=67 n=1 k=129\"")
      ->delimiter(',');
  if (const auto status = parse(app, words)) return *status;
  return tune::tune(w);
}

}  // namespace warpgrade::apps
