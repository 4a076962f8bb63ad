// Whose fault it is that a step takes long.
#pragma once

#include <cstdint>

namespace warpgrade::grading {

/// What the time that a step took means for its next case.
enum class TimeSoFar : std::uint8_t { left, used_up, machine_was_busy };

/// seconds: by the wall clock, of at most `most`; waited: of these, for a processor. On an idle machine a step that
/// takes a minute waits for a second or two all the same, which excuses nothing.
inline TimeSoFar time_so_far(double seconds, double waited, double most) {
  if (seconds <= most) return TimeSoFar::left;
  return waited >= most / 10 && seconds - waited <= most ? TimeSoFar::machine_was_busy : TimeSoFar::used_up;
}

}  // namespace warpgrade::grading
