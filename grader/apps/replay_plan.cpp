// grade replay-plan FILE: replays one plan a few times and does nothing else, for a profiler to look at. An
// internal command: profiler.cpp writes the file.
#include <fmt/format.h>

#include "apps/command_line.hpp"
#include "apps/commands.hpp"
#include "apps/profiler.hpp"

namespace warpgrade::apps {

int replay_plan(const std::vector<std::string> &words) {
  if (words.size() != 1) throw UsageError("replay-plan is an internal command: bench and roofline start it");
  const ReplayRequest request = read_replay_request(words.front());
  const problem::Problem *problem = problem::find_problem(request.problem);
  if (problem == nullptr) throw std::runtime_error("no problem is called " + request.problem);
  gpu::DeviceInfo device;
  device.index = request.device;
  gpu::ChildOptions children;
  children.setup_seconds = request.run_seconds;
  gpu::Replay replay(device, request.fat_binary, {request.run_seconds, request.scratch_bytes}, children);
  const std::vector<run::HostBuffer> inputs = problem->inputs(request.size, request.seed);
  for (std::uint32_t i = 0; i < request.runs; ++i) {
    const gpu::Timed timed = replay.time_once(request.plan, inputs);
    if (timed.run.end != run::End::completed) {
      fmt::print(stderr, "run {} of {}: {}\n", i + 1, request.runs, timed.run.message);
      return grader_failed;
    }
  }
  return full_score;
}

}  // namespace warpgrade::apps
