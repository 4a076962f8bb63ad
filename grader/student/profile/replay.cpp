#include <fmt/format.h>

#include "profile/profiler.hpp"

namespace warpgrade::profile {

int replay(const std::filesystem::path &file) {
  const ReplayRequest request = read_replay_request(file);
  const problem::Problem *problem = problem::find_problem(request.problem);
  if (problem == nullptr) throw std::runtime_error("no problem is called " + request.problem);
  gpu::DeviceInfo device;
  device.index = request.device;
  gpu::ChildOptions children;
  children.setup_seconds = request.run_seconds;
  gpu::Replay replay(device, request.fat_binary, {request.run_seconds, request.scratch_bytes}, children);
  const std::vector<run::HostBuffer> inputs = problem->inputs(request.size, request.seed);
  for (std::uint32_t i = 0; i < request.runs; ++i) {
    const run::Run run =
        request.bare ? replay.replay_bare(request.plan, inputs) : replay.time_once(request.plan, inputs).run;
    if (run.end != run::End::completed) {
      fmt::print(stderr, "run {} of {}: {}\n", i + 1, request.runs, run.message);
      return grader_failed;
    }
  }
  return full_score;
}

}  // namespace warpgrade::profile
