#include <fmt/format.h>

#include "grading/step_grader.hpp"

namespace warpgrade::grading {

BenchPoint Grader::bench(const course::Step &step, const build::Build &build,
                         const problem::Case &size) const {
  BenchPoint point{step.id, size, {}, {}, {}};
  const Environment environment = for_step(environment_, step);
  try {
    const plan::LaunchPlan called = plan(step, build, size);
    if (!environment.gpu) {
      run::Simulator simulator(environment.simulator, build.fatbin, simulator_limits(assignment_.limits));
      Counting counting = count_call(assignment_, step, options_, called, simulator, size);
      point.counters = std::move(counting.counters);
      point.why_not = std::move(counting.why_not);
      if (point.counters && point.counters->counts.warp_instructions == 0) {
        point.counters.reset();
        point.why_not = "nothing is launched";
      }
      return point;
    }
    const int devices = step.problem->devices(size);
    const std::vector<gpu::DeviceInfo> gpus = gpus_for(environment, devices);
    if (gpus.size() < static_cast<std::size_t>(devices))
      throw std::runtime_error(fmt::format("it is for {} GPUs, and here {} {}", devices,
                                           gpus.size() == 1 ? "is" : "are", gpus.size()));
    gpu::Replay replay(gpus, build.fatbin, replay_limits(assignment_), environment.gpu_children);
    Timing timing =
        time_step(assignment_, step, environment, size, called, replay, *timekeeping_, nullptr, options_);
    point.performance = std::move(timing.performance);
    point.why_not = std::move(timing.why_not);
  } catch (const std::runtime_error &e) {
    point.why_not = e.what();
  }
  return point;
}

}  // namespace warpgrade::grading
