#include "bench/bench.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <iostream>

#include "profile/profiler.hpp"
#include "report/bench.hpp"
#include "setup/files.hpp"
#include "setup/selection.hpp"
#include "setup/sizes.hpp"

namespace warpgrade::bench {

namespace {

/// Every size on so many devices.
std::vector<problem::Given> on_devices(const std::vector<problem::Given> &sizes,
                                       const std::vector<std::int64_t> &devices, const course::Step &step) {
  const auto &known = step.problem->integers();
  const auto which = std::ranges::find(known, "devices", &problem::Integer::name);
  if (which == known.end()) throw UsageError(fmt::format("--devices: {} is a step for one device", step.id));
  std::vector<problem::Given> all;
  for (const problem::Given &size : sizes)
    for (const std::int64_t number : devices) {
      all.push_back(size);
      all.back().integers[static_cast<std::size_t>(which - known.begin())] = number;
    }
  return all;
}

/// What is asked for as sizes, or those of the timed steps or of the counters when nothing is.
std::vector<problem::Given> wanted_sizes(const BenchOptions &w, const course::Thresholds &thresholds,
                                         bool gpu, const std::vector<const course::Step *> &steps) {
  const problem::Problem &p = *steps.front()->problem;
  std::vector<problem::Given> sizes;
  if (const std::string &one = w.common.one.empty() ? w.common.size : w.common.one; !one.empty()) try {
      sizes.push_back(problem::parse_given(p, one));
    } catch (const std::invalid_argument &e) {
      throw UsageError(e.what());
    }
  for (const std::int64_t n : sizes_of(w.sizes)) sizes.push_back(problem::all_sizes(p, n));
  if (std::any_of(w.extents.begin(), w.extents.end(), [](std::int64_t n) { return n > 0; })) {
    problem::Given given(p);
    for (std::size_t i = 0; i < p.integers().size(); ++i) {
      const problem::Integer &integer = p.integers()[i];
      const auto extent = std::find(extent_names.begin(), extent_names.end(), "--" + integer.name);
      const std::int64_t n = extent == extent_names.end()
                                 ? 0
                                 : w.extents[static_cast<std::size_t>(extent - extent_names.begin())];
      if (n > 0) given.integers[i] = n;
      if (n == 0 && integer.size)
        throw UsageError(fmt::format("--{} is missing: every extent is needed", integer.name));
    }
    sizes.push_back(given);
  }
  if (sizes.empty()) sizes = timed_sizes(thresholds, gpu, steps);
  return w.devices.empty() ? sizes : on_devices(sizes, w.devices, *steps.front());
}

/// Whether a size of one is a size of the other.
bool same_sizes(const problem::Problem &p, const problem::Problem &q) {
  return std::equal(p.integers().begin(), p.integers().end(), q.integers().begin(), q.integers().end(),
                    [](const problem::Integer &x, const problem::Integer &y) {
                      return x.name == y.name && x.size == y.size;
                    });
}

/// The steps to which sizes mean the same: those that are named, or the first one's fellows.
std::vector<const course::Step *> comparable(std::vector<const course::Step *> steps, bool named) {
  std::erase_if(steps, [](const auto *s) { return !s->has_kernel(); });
  if (steps.empty()) throw UsageError("a file of answers has no kernel to bench");
  const problem::Problem *problem = steps.front()->problem;
  const auto foreign = [&](const auto *s) { return !same_sizes(*s->problem, *problem); };
  const auto other = std::find_if(steps.begin(), steps.end(), foreign);
  if (other == steps.end()) return steps;
  if (named)
    throw UsageError(
        fmt::format("{} computes {}, {} computes {}: they have no size in common, bench them apart",
                    steps.front()->id, problem->name(), (*other)->id, (*other)->problem->name()));
  std::erase_if(steps, foreign);
  return steps;
}

}  // namespace

int bench(const BenchOptions &w) {
  const Course course = open_course(w.common, w.steps);
  const course::Assignment &a = course.assignment;
  const std::vector<const course::Step *> steps = comparable(pick_steps(a, w.steps), !w.steps.empty());
  const auto machine = look_at_machine(course.root, a, w.common.device_choice(), !w.common.no_sandbox,
                                       toolchain_named(w.common.toolchain));
  grading::Options options = grading_options(w.common, a);
  if (w.energy) options.energy_seconds = 2, options.energy_of_library = true;
  const grading::Grader grader(a, machine->environment, options);
  const bool gpu = machine->environment.gpu.has_value();
  const std::vector<problem::Given> sizes = wanted_sizes(w, machine->thresholds, gpu, steps);

  const auto too_large = [&](const problem::Given &given) {
    return std::all_of(steps.begin(), steps.end(), [&](const course::Step *step) {
      return grading::too_large_to_count(a, *step, case_of(*step, given));
    });
  };
  if (!gpu && std::all_of(sizes.begin(), sizes.end(), too_large))
    throw UsageError(fmt::format(
        "there is no GPU here ({}), and {} is too large for the simulator; '{}' without sizes counts at {}",
        machine->environment.why_no_gpu,
        steps.front()->problem->case_name(case_of(*steps.front(), sizes.front())),
        command_again(w.common, a, course.submission, "bench"),
        steps.front()->problem->case_name(steps.front()->counters_on)));

  std::vector<build::Build> builds;
  for (const course::Step *step : steps) builds.push_back(grader.build(*step, course.submission));
  profile::Profiling profiling(w.profile, *machine, grader, a, options.seed);
  std::vector<grading::BenchPoint> points;
  std::vector<std::optional<double>> profiler_seconds;
  for (const problem::Given &given : sizes)
    for (std::size_t i = 0; i < steps.size(); ++i) {
      const problem::Case size = case_of(*steps[i], given);
      if (isatty(STDERR_FILENO))
        fmt::print(stderr, "\r\x1b[K{} at {}", steps[i]->id, steps[i]->problem->case_name(size));
      points.push_back(grader.bench(*steps[i], builds[i], size));
      if (!profiling.wanted() || !gpu) continue;
      const auto profile =
          points.back().performance ? profiling.of(*steps[i], builds[i], size) : std::nullopt;
      profiler_seconds.push_back(profile ? std::optional(profile->seconds) : std::nullopt);
    }
  if (isatty(STDERR_FILENO)) fmt::print(stderr, "\r\x1b[K");
  const grading::DeviceRecord device = grader.device();
  const report::Bench bench{
      a,
      *steps.front()->problem,
      device,
      gpu ? machine->thresholds.peak(steps.front()->problem->rate_unit()) : std::nullopt,
      points,
      profiler_seconds,
      profiling.why_not()};
  std::cout << report::bench_to_terminal(bench, terminal_style());
  if (w.energy && !gpu) std::cout << "\n--energy: nothing was counted, since there is no GPU here\n";
  std::cout << std::flush;
  if (!w.csv.empty()) write_whole(w.csv, report::bench_to_csv(bench));
  if (!w.json.empty()) write_whole(w.json, report::bench_to_json(bench));
  const bool any = std::any_of(points.begin(), points.end(), [](const grading::BenchPoint &p) {
    return p.performance.has_value() || p.counters.has_value();
  });
  return any ? full_score : below;
}

}  // namespace warpgrade::bench
