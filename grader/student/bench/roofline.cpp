#include "report/roofline.hpp"

#include <fmt/format.h>

#include <iostream>
#include <set>

#include "bench/bench.hpp"
#include "bench/roofline_point.hpp"
#include "course/gpu.hpp"
#include "profile/profiler.hpp"
#include "setup/files.hpp"
#include "setup/html_extras.hpp"
#include "setup/selection.hpp"

namespace warpgrade::bench {

namespace {

/// The thresholds of a GPU that is named by its file ("nvidia-h200") or by what CUDA calls it.
course::Thresholds named(const std::filesystem::path &folder, const course::Assignment &a,
                         const std::string &name) {
  std::set<std::string> known;
  for (const course::Thresholds &t : course::read_all_thresholds(folder, a)) {
    const std::string stem = std::filesystem::path(t.file).stem().string();
    if (stem == name) return t;
    if (t.peak_gflops && t.memory_gb_per_s) known.insert(stem);
  }
  course::Thresholds matched = course::read_thresholds(folder, a, name);
  if (matched.peak_gflops) return matched;
  for (const course::Gpu &gpu : course::read_gpus(folder.parent_path())) known.insert(gpu.id);
  throw UsageError(fmt::format("--gpu {}: no such GPU (known: {}); or give --peak and --bandwidth", name,
                               fmt::join(known, ", ")));
}

report::Roofline chosen_roof(const RooflineOptions &w, const Course &course, const Machine &machine) {
  report::Roofline roof;
  const course::Assignment &a = course.assignment;
  const std::filesystem::path folder = std::filesystem::relative(course.root / "assignments" / a.name);
  std::optional<double> peak, bandwidth;
  if (!w.gpu.empty()) {
    const course::Thresholds t = named(folder, a, w.gpu);
    peak = t.peak_gflops, bandwidth = t.memory_gb_per_s;
    roof.gpu = w.gpu;
  } else if (machine.environment.gpu) {
    peak = machine.thresholds.peak_gflops, bandwidth = machine.thresholds.memory_gb_per_s;
    roof.gpu = machine.environment.gpu->name;
  } else if (w.peak == 0 || w.bandwidths.empty()) {
    // The same choice as that of the page of --html.
    if (const auto chosen = roof_of(folder, a, machine.thresholds, {})) {
      peak = chosen->peak_gflops, bandwidth = chosen->memory_gb_per_s;
      roof.gpu = chosen->gpu;
      roof.why_this_gpu =
          fmt::format("There is no GPU here ({}), so the roof is that of {}; --gpu names another.",
                      machine.environment.why_no_gpu, chosen->gpu);
    }
  }
  if (roof.gpu.empty()) roof.gpu = "a GPU";
  if (w.peak > 0) peak = w.peak;
  roof.bandwidths = w.bandwidths;
  if (roof.bandwidths.empty() && bandwidth) roof.bandwidths = {*bandwidth};
  if (!peak || roof.bandwidths.empty())
    throw UsageError("whose roof? Name a GPU, such as --gpu nvidia-t4, or give --peak and --bandwidth");
  roof.peak_gflops = *peak;
  std::sort(roof.bandwidths.begin(), roof.bandwidths.end());
  return roof;
}

}  // namespace

int roofline(const RooflineOptions &w) {
  const Course course = open_course(w.common, w.steps);
  const course::Assignment &a = course.assignment;
  std::vector<const course::Step *> steps = pick_steps(a, w.steps);
  std::erase_if(steps, [](const auto *s) { return !s->has_kernel(); });
  if (steps.empty()) throw UsageError("a file of answers has no kernel to put under a roof");
  const auto machine = look_at_machine(course.root, a, w.common.device_choice(), !w.common.no_sandbox,
                                       toolchain_named(w.common.toolchain));
  report::Roofline roof = chosen_roof(w, course, *machine);
  const auto size_of = [&](const course::Step &step) {
    const auto one = w.common.one_case(step);
    return one ? one->values : step.counters_on;
  };
  roof.title = fmt::format("{} at {}", a.name, steps.front()->problem->case_name(size_of(*steps.front())));
  const grading::Options options = grading_options(w.common, a);
  const grading::Grader grader(a, machine->environment, options);
  profile::Profiling profiling(w.profile, *machine, grader, a, options.seed);
  const bool here = machine->environment.gpu.has_value();
  const predict::Predictor predictor(course.root, a);
  const auto elsewhere = here ? std::nullopt : predictor.find_machine(roof.gpu);
  for (const course::Step *step : steps) {
    const build::Build build = grader.build(*step, course.submission);
    roof.points.push_back(roofline_point(grader, *step, build, size_of(*step), here, profiling));
    report::RooflinePoint &point = roof.points.back();
    if (elsewhere && point.why_not.empty())
      point.predicted = predicted_rate(predictor, grader, *step, build, size_of(*step), *elsewhere);
  }
  roof.why_not_profiled = profiling.why_not();
  std::cout << report::roofline_to_terminal(roof, terminal_style()) << std::flush;
  if (!w.json.empty()) write_whole(w.json, report::roofline_to_json(roof));
  if (!w.svg.empty()) write_whole(w.svg, report::roofline_to_svg(roof));
  return full_score;
}

}  // namespace warpgrade::bench
