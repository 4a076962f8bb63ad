// Whose fault it is that a step takes long.
#pragma once

#include <algorithm>
#include <cstdint>

namespace warpgrade::grading {

/// What the time that a step took means for its next case.
enum class TimeSoFar : std::uint8_t { left, used_up, machine_was_busy };

/// seconds: by the wall clock, of at most `most`; waited: of these, for a processor
inline TimeSoFar time_so_far(double seconds, double waited, double most) {
  if (seconds <= most) return TimeSoFar::left;
  return seconds - std::max(waited, 0.0) <= most ? TimeSoFar::machine_was_busy : TimeSoFar::used_up;
}

}  // namespace warpgrade::grading
