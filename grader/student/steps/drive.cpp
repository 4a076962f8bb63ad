#include <fmt/format.h>

#include <chrono>
#include <optional>

#include "base/files.hpp"
#include "base/statistics.hpp"
#include "base/text.hpp"
#include "course/syllabus.hpp"
#include "setup/selection.hpp"
#include "steps/steps.hpp"

namespace warpgrade::steps {

namespace {

/// A problem whose cases hold the geometry of the launch.
bool takes_geometry(const course::Step &step) {
  const auto &integers = step.problem->integers();
  return std::any_of(integers.begin(), integers.end(),
                     [](const problem::Integer &i) { return i.name == "grid_x"; });
}

course::Case wanted_case(const DriverOptions &w, const course::Step &step) {
  problem::Given given = problem::all_sizes(*step.problem, w.matrix);
  const auto set = [&](std::string_view name, std::int64_t value) {
    for (std::size_t i = 0; i < given.integers.size(); ++i)
      if (step.problem->integers()[i].name == name) given.integers[i] = value;
  };
  set("pitch", w.array);
  if (!w.grid.empty()) set("grid_x", w.grid[0]), set("grid_y", w.grid[1]);
  if (!w.block.empty()) set("block_x", w.block[0]), set("block_y", w.block[1]);
  course::Case c;
  c.values = case_of(step, given);
  c.name = step.problem->case_name(c.values);
  c.gpu_only = true;  // whoever names a size waits for it, on the simulator too
  return c;
}

/// The geometry that the plan launches: what was asked for, or what the assignment gives the kernel.
const plan::Launch *first_launch(const plan::LaunchPlan &plan) {
  for (const plan::Operation &o : plan.operations)
    if (const auto *launch = std::get_if<plan::Launch>(&o)) return launch;
  return nullptr;
}

void print_head(const DriverOptions &w, const plan::Launch &launch) {
  const std::int64_t array = std::max(w.array, w.matrix);
  fmt::print("binfile={} array={}x{} matrix={}x{} block=<{}x{}> thread=<{}x{}>\n", w.kernel, array, array,
             w.matrix, w.matrix, launch.grid.x, launch.grid.y, launch.block.x, launch.block.y);
  fmt::print("matrix = {0}x{0}\narray = {1}x{1}\n", w.matrix, array);
  fmt::print("grid = {}x{}\nblock = {}x{}x{}\n", launch.grid.x, launch.grid.y, launch.block.x, launch.block.y,
             launch.block.z);
}

/// Seconds of a call with its copies to the GPU and back, the second time; the first sets things up.
double seconds_with_copies(const Machine &machine, const course::Assignment &a, const build::Build &build,
                           const plan::LaunchPlan &plan, const std::vector<run::HostBuffer> &inputs) {
  gpu::Replay replay(grading::gpus_for(machine.environment, plan::most_devices), build.fatbin,
                     {a.limits.gpu_wall_seconds, a.limits.plan.scratch_bytes},
                     machine.environment.gpu_children);
  double seconds = 0;
  for (int time = 0; time < 2; ++time) {
    const auto begin = std::chrono::steady_clock::now();
    const run::Run run = replay.replay(plan, inputs);
    if (run.end != run::End::completed) throw std::runtime_error(run.message);
    seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  }
  return seconds;
}

void print_times(const DriverOptions &w, const Machine &machine, const Course &course,
                 const grading::Grader &grader, const course::Step &step, const build::Build &build,
                 const plan::LaunchPlan &plan, const course::Case &c) {
  const double flops = step.problem->flops(c.values);
  fmt::print("flops = {:.0f}\n", flops);
  if (!machine.environment.gpu) {
    fmt::print("msec = -   GFLOPS = -, - (kernel): the simulator has no times\n");
    return;
  }
  const std::uint64_t seed = w.common.seed.value_or(course.assignment.seed);
  const double whole =
      seconds_with_copies(machine, course.assignment, build, plan, step.problem->inputs(c.values, seed));
  const grading::BenchPoint point = grader.bench(step, build, c.values);
  if (!point.performance || point.performance->seconds.empty()) throw std::runtime_error(point.why_not);
  fmt::print("msec = {:10.3f}   GFLOPS = {:8.2f}, {:8.2f} (kernel)\n", 1e3 * whole, flops / whole / 1e9,
             flops / quantile(point.performance->seconds, 0.5) / 1e9);
}

/// Prints what is wrong, element by element; true when nothing is.
bool check(const Course &course, const Machine &machine, const DriverOptions &w, const course::Step &step,
           const build::Build &build, const course::Case &c) {
  grading::Options options = grading_options(w.common, course.assignment);
  options.only.emplace(step.id, c);
  grading::Grader grader(course.assignment, machine.environment, options);
  const grading::StepRecord record = grader.grade(step, build, course.submission);
  if (record.verdict == judge::Verdict::accepted) {
    fmt::print("no errors found\n");
    return true;
  }
  fmt::print("{}: {}\n", judge::in_words(record.verdict), for_terminal(record.reason));
  for (const judge::CaseVerdict &v : record.cases)
    if (v.comparison)
      for (const problem::Mismatch &m : v.comparison->first)
        fmt::print("{} is {:g}, should be: {:g}\n", m.where, m.got, m.want);
  return false;
}

}  // namespace

std::optional<Driver> find_driver() {
  try {
    const std::filesystem::path root = find_root();
    for (const std::string &name : assignment_names(root)) {
      // Every command asks this, and few assignments have one: reading them all as YAML would take longer.
      if (const std::string driver = course::find_driver(root / "assignments" / name); !driver.empty())
        return Driver{driver, name};
    }
  } catch (const std::exception &) {
    // No course, or a mistake in it, which other commands report.
  }
  return std::nullopt;
}

int drive(DriverOptions w) {
  if (w.array > 0 && w.array < w.matrix)
    throw UsageError(fmt::format("--size {}: a matrix of {} rows does not fit", w.array, w.matrix));
  const std::optional<Driver> driver = find_driver();
  if (driver && w.common.assignment.empty() && w.common.submission.empty() &&
      assignment_names(find_root()).size() > 1)
    w.common.assignment = driver->assignment;

  const Course course = open_course(w.common, {w.kernel});
  const course::Step &step = find_kernel(course.assignment, w.kernel);
  if (!takes_geometry(step))
    throw UsageError(fmt::format("{} of {} chooses its grid itself: 'grade {}' runs it", step.id,
                                 course.assignment.name, step.id));
  const auto machine = look_at_machine(course.root, course.assignment, w.common.device_choice(),
                                       !w.common.no_sandbox, toolchain_named(w.common.toolchain));
  const course::Case c = wanted_case(w, step);
  const grading::Grader grader(course.assignment, machine->environment,
                               grading_options(w.common, course.assignment));
  const build::Build build = grader.build(step, course.submission);
  try {
    const plan::LaunchPlan plan = grader.plan(step, build, c.values);
    const plan::Launch *launch = first_launch(plan);
    if (launch == nullptr) throw std::runtime_error("nothing is launched");
    print_head(w, *launch);
    print_times(w, *machine, course, grader, step, build, plan, c);
  } catch (const std::runtime_error &e) {
    fmt::print("{} did not run: {}\n", step.id, for_terminal(e.what(), true));
    return below;
  }
  if (!w.check) return full_score;
  return check(course, *machine, w, step, build, c) ? full_score : below;
}

}  // namespace warpgrade::steps
