// Joules per run: a run is repeated for a second or more, while NVML's counter of energy is read.
//
// The counter advances some ten times a second, so single runs cannot be measured. A figure comes from two moments at
// which it advanced, both well inside the loop: what was used between them, over the runs that ended between them.
// Neither the idle GPU before the loop nor the rise of its power is in it.
#pragma once

#include <functional>
#include <vector>

#include "run/energy.hpp"

namespace warpgrade::gpu {

inline constexpr const char *energy_of_several = "energy is not counted on several GPUs";

struct Context;
class Nvml;

/// The counter at one moment of the loop.
struct EnergyReading {
  double seconds = 0;  ///< since the loop began
  double runs = 0;     ///< that have ended
  double joules = 0;   ///< the counter
};

/// What these readings, in the order of time, say of one run.
run::Energy energy_of(const std::vector<EnergyReading> &readings);

/// Repeats a run. `once` puts it on the context's stream. Throws what `once` throws, and DriverError.
run::Energy repeat_for_energy(const Context &context, const Nvml &nvml, double seconds,
                              const std::function<void()> &once);

}  // namespace warpgrade::gpu
