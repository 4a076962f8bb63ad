// The energy of one run on a GPU, as its own counter says.
#pragma once

#include <cstdint>
#include <string>

namespace warpgrade::run {

/// Measured over a loop of equal runs, without pauses and with warm caches.
struct Energy {
  double joules = 0;      ///< of one run
  double wrong_by = 0;    ///< joules may be off by this share of it; the counter's own error is not in it
  double watts = 0;       ///< on average, over the whole GPU
  double seconds = 0;     ///< that were looked at, once the power had risen
  double runs = 0;        ///< that ended in this time
  std::string why_not{};  ///< set where there is no figure
  bool operator==(const Energy &) const = default;
};

}  // namespace warpgrade::run
