#include <algorithm>
#include <array>
#include <chrono>
#include <thread>

#include "gpu/child_process.hpp"
#include "gpu/driver.hpp"
#include "gpu/energy.hpp"
#include "gpu/nvml.hpp"

namespace warpgrade::gpu {

namespace {

/// Waits without burning a core that other processes need. An error of the GPU ends the wait; the next call reports it.
void wait_for(const Driver &cu, CUevent event) {
  while (cu.event_query(event) == CUDA_ERROR_NOT_READY)
    std::this_thread::sleep_for(std::chrono::microseconds(50));
}

}  // namespace

run::Energy repeat_for_energy(const Context &context, const Nvml &nvml, double seconds,
                              const std::function<void()> &once) {
  run::Energy none;
  none.why_not = nvml.why().empty() ? "NVML counts no energy on this GPU" : nvml.why();
  if (!nvml.joules()) return none;
  // Two batches are on the stream, so that the GPU works while this process reads. Batches grow until one takes some
  // milliseconds: much less than the counter needs to advance, much more than a launch.
  constexpr double long_enough = 4e-3;
  constexpr int most_at_once = 256;
  const Driver &cu = context.driver;
  const std::array<CUevent, 2> ends = {context.start, context.stop};
  std::array<int, 2> batch = {0, 0};
  int runs = 1;
  const auto issue = [&](std::size_t which) {
    batch[which] = runs;
    for (int i = 0; i < runs; ++i) once();
    cu.check(cu.event_record(ends[which], context.stream), "recording an event");
  };
  std::vector<EnergyReading> readings;
  double done = 0;
  const double begin = now();
  issue(0);
  for (std::size_t next = 1; now() - begin < seconds; next = 1 - next) {
    const double issued = now();
    issue(next);
    wait_for(cu, ends[1 - next]);
    done += batch[1 - next];
    readings.push_back({now() - begin, done, nvml.joules().value_or(0)});
    if (now() - issued < long_enough) runs = std::min(2 * runs, most_at_once);
  }
  cu.check(cu.context_synchronize(), "waiting for the GPU");
  return energy_of(readings);
}

}  // namespace warpgrade::gpu
