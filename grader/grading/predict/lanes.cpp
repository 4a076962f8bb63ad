#include "predict/lanes.hpp"

#include <algorithm>
#include <cstdint>
#include <set>

namespace warpgrade::predict {

double lines_per_sector(const simt::LaneSample &s) {
  std::set<std::int64_t> lines;
  for (std::size_t lane = 0; lane < s.offsets.size(); ++lane) {
    if (((s.mask >> lane) & 1) == 0 || s.offsets[lane] < 0) continue;
    for (std::int64_t at = s.offsets[lane]; at < s.offsets[lane] + s.bytes; at += 32) lines.insert(at / 128);
  }
  return s.cost == 0 ? 1.0 : static_cast<double>(lines.size()) / s.cost;
}

double used_of_sectors(const simt::LaneSample &s) {
  std::set<std::int64_t> words;
  for (std::size_t lane = 0; lane < s.offsets.size(); ++lane) {
    if (((s.mask >> lane) & 1) == 0 || s.offsets[lane] < 0) continue;
    for (std::int64_t at = s.offsets[lane]; at < s.offsets[lane] + s.bytes; at += 4) words.insert(at / 4);
  }
  return s.cost == 0 ? 1.0 : std::min(1.0, static_cast<double>(words.size()) / (8.0 * s.cost));
}

}  // namespace warpgrade::predict
