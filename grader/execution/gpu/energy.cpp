#include "gpu/energy.hpp"

#include <fmt/format.h>

#include <cmath>

namespace warpgrade::gpu {

run::Energy energy_of(const std::vector<EnergyReading> &readings) {
  // The GPU's power rises in the first tenths of a second.
  constexpr double until_steady = 0.25;
  constexpr std::size_t least_advances = 4;
  struct Advance {
    EnergyReading at;
    double runs_before = 0;  ///< it advanced after this many runs, and before those of `at`
  };
  std::vector<Advance> advances;
  for (std::size_t i = 1; i < readings.size(); ++i)
    if (readings[i].joules > readings[i - 1].joules && readings[i].seconds >= until_steady)
      advances.push_back({readings[i], readings[i - 1].runs});
  run::Energy energy;
  if (advances.size() < least_advances) {
    energy.why_not = fmt::format(
        "the GPU's counter of energy advanced {} times while the run was repeated, which is too few",
        advances.size());
    return energy;
  }
  const auto &first = advances.front(), &middle = advances[advances.size() / 2], &last = advances.back();
  const auto joules_a_run = [](const Advance &from, const Advance &to) {
    return (to.at.joules - from.at.joules) / (to.at.runs - from.at.runs);
  };
  energy.seconds = last.at.seconds - first.at.seconds;
  energy.runs = last.at.runs - first.at.runs;
  if (!(middle.at.runs > first.at.runs) || !(last.at.runs > middle.at.runs)) {
    energy.why_not = "the run takes too long to be repeated while the GPU's energy is counted";
    return energy;
  }
  energy.joules = joules_a_run(first, last);
  energy.watts = (last.at.joules - first.at.joules) / energy.seconds;
  const double when = (first.at.runs - first.runs_before + last.at.runs - last.runs_before) / energy.runs;
  const double drift = std::abs(joules_a_run(first, middle) - joules_a_run(middle, last)) / 2 / energy.joules;
  energy.wrong_by = when + drift;
  return energy;
}

}  // namespace warpgrade::gpu
