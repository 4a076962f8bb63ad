// The conditions under which a step was timed, in a few numbers.
#pragma once

#include <optional>
#include <string>

#include "score/step_record.hpp"

namespace warpgrade::score {

struct Conditions {
  struct Clocks {
    int least_sm_mhz = 0, most_sm_mhz = 0, memory_mhz = 0, most_celsius = 0;
    double most_watts = 0;
  };
  std::optional<Clocks> clocks;  ///< over all runs that count; none without NVML
  int throttled_runs = 0;        ///< repeated or, if throttled_throughout, counted after all
  bool throttled_throughout = false, cut_short = false, settled = true;
  std::string reasons;  ///< that held the GPU back in those runs: "power limit, temperature"
};
Conditions conditions_of(const grading::PerformanceRecord &);

}  // namespace warpgrade::score
