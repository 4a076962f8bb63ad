// One timed run on a GPU, and the state that the GPU was in.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "run/run.hpp"

namespace warpgrade::gpu {

/// NVML's data about the GPU at one moment.
struct GpuState {
  std::int32_t sm_mhz = 0, memory_mhz = 0, celsius = 0;
  double watts = 0;
  std::uint64_t reasons = 0;  ///< why the clocks are what they are: NVML's bits
  bool operator==(const GpuState &) const = default;
};

/// Which of these reasons keep a GPU below its clocks: "power limit, temperature"; empty if none does.
inline std::string throttle_reasons(const GpuState &state) {
  // NVML's nvmlClocksThrottleReason bits; idle, application clocks, sync boost and display clocks hold
  // nothing back that a measurement could wait for.
  struct Reason {
    std::uint64_t bit;
    const char *name;
  };
  constexpr Reason reasons[] = {{0x04, "power limit"},
                                {0x08, "slowdown by the hardware"},
                                {0x20, "temperature"},
                                {0x40, "temperature, by the hardware"},
                                {0x80, "power brake"}};
  std::string text;
  for (const Reason &reason : reasons)
    if ((state.reasons & reason.bit) != 0) text += (text.empty() ? "" : ", ") + std::string(reason.name);
  return text;
}

/// One timed run, as it was.
struct TimedSample {
  run::Sample time;
  std::optional<double> library_seconds;
  std::optional<GpuState> state;
  bool operator==(const TimedSample &) const = default;
};

}  // namespace warpgrade::gpu
