#include "score/conditions.hpp"

#include <algorithm>

namespace warpgrade::score {

Conditions conditions_of(const grading::PerformanceRecord &record) {
  Conditions c;
  c.throttled_throughout = record.throttled_throughout;
  c.cut_short = record.cut_short;
  c.settled = record.settled;
  gpu::GpuState held_back;  // all reasons together
  for (const gpu::GpuState &s : record.states) {
    if (!c.clocks) c.clocks = Conditions::Clocks{s.sm_mhz, s.sm_mhz, s.memory_mhz, s.celsius, s.watts};
    c.clocks->least_sm_mhz = std::min(c.clocks->least_sm_mhz, s.sm_mhz);
    c.clocks->most_sm_mhz = std::max(c.clocks->most_sm_mhz, s.sm_mhz);
    c.clocks->most_celsius = std::max(c.clocks->most_celsius, s.celsius);
    c.clocks->most_watts = std::max(c.clocks->most_watts, s.watts);
    if (gpu::throttle_reasons(s).empty()) continue;
    ++c.throttled_runs;
    held_back.reasons |= s.reasons;
  }
  for (const gpu::TimedSample &s : record.throttled) {
    ++c.throttled_runs;
    if (s.state) held_back.reasons |= s.state->reasons;
  }
  c.reasons = gpu::throttle_reasons(held_back);
  return c;
}

}  // namespace warpgrade::score
