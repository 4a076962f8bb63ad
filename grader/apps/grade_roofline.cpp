// ./grade roofline [STEP...]: steps under the roof of a GPU, present or named.
#include "apps/command_line.hpp"
#include "apps/commands.hpp"
#include "bench/bench.hpp"

namespace warpgrade::apps {

int grade_roofline(const std::vector<std::string> &words) {
  bench::RooflineOptions w;
  CLI::App app(
      "Puts steps under the roof of a GPU: flops per byte as the simulator counts them, and what bandwidth "
      "and peak\n"
      "allow there. With a GPU, it adds the measured rates.",
      "grade roofline");
  app.add_option("step", w.steps, "the steps; default: all of the course");
  add_common_options(app, w.common);
  app.add_option("--gpu", w.gpu,
                 "whose roof: a thresholds file, such as nvidia-h200; default: this machine's GPU, or the "
                 "first one with a file");
  app.add_option("--peak", w.peak, "GFLOPS, instead of the file's")->check(CLI::PositiveNumber);
  app.add_option("--bandwidth", w.bandwidths, "GB/s (1e9 bytes), one or several, instead of the file's")
      ->delimiter(',')
      ->check(CLI::PositiveNumber);
  app.add_flag("--profile", w.profile,
               "also what DRAM and the L2 cache moved, as NVIDIA's profiler ncu counts it on a GPU");
  app.add_option("--svg", w.svg, "also draw it in this file");
  app.add_option("--json", w.json, "also write it to this file (schema warpgrade.roofline/1)");
  if (const auto status = parse(app, words)) return *status;
  require_writable(app, {"--svg", "--json"});
  return bench::roofline(w);
}

}  // namespace warpgrade::apps
