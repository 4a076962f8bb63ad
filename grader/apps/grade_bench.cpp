// ./grade bench [STEP...]: steps at many sizes, side by side.
#include "apps/command_line.hpp"
#include "apps/commands.hpp"
#include "bench/bench.hpp"

namespace warpgrade::apps {

int grade_bench(const std::vector<std::string> &words) {
  using bench::extent_names;
  bench::BenchOptions w;
  CLI::App app(
      "Measures steps at one or many sizes, next to a library, without grading anything. Every timed run "
      "is "
      "verified.\n"
      "On the simulator, it counts accesses and measures no times.",
      "grade bench");
  app.add_option("step", w.steps, "the steps; default: all of the course");
  add_common_options(app, w.common);
  app.add_option("--sizes", w.sizes, "square sizes: 2048, or 512,1024,2048, or FIRST:LAST:STEP")
      ->delimiter(',');
  w.extents.resize(extent_names.size());
  for (std::size_t i = 0; i < extent_names.size(); ++i)
    app.add_option(std::string(extent_names[i]), w.extents[i], "an extent of one shape that is not square")
        ->check(CLI::Range(std::int64_t{1}, std::int64_t{1048576}));
  app.add_option("--devices", w.devices,
                 "of a step for several devices: on so many each, such as 1,2, and how much faster more are")
      ->delimiter(',')
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{plan::most_devices}));
  app.add_flag("--profile", w.profile,
               "also the kernels' time by the clock of NVIDIA's profiler ncu on a GPU, and ours over it");
  app.add_flag("--energy", w.energy,
               "also joules per run, of the step and of the library, each from a loop of two seconds");
  app.add_option("--csv", w.csv, "also write the table to this file");
  app.add_option("--json", w.json, "also write it as JSON, with series to plot (schema warpgrade.bench/1)");
  if (const auto status = parse(app, words)) return *status;
  require_writable(app, {"--csv", "--json"});
  return bench::bench(w);
}

}  // namespace warpgrade::apps
