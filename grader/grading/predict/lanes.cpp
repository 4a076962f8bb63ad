#include "predict/lanes.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
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

Turns turns_of(const simt::LaneSample &s, bool counts_only) {
  constexpr double first_sector = 3.5, next_sector = 2.2, same_word = 1.4;
  std::map<std::int64_t, double> lanes_of_word, turns_of_bank, sectors_of_line, most_of_line;
  for (std::size_t lane = 0; lane < s.offsets.size(); ++lane)
    if (((s.mask >> lane) & 1) != 0 && s.offsets[lane] >= 0) lanes_of_word[s.offsets[lane] / 4] += 1;
  Turns turns;
  if (s.space == ptx::Space::shared) {
    for (const auto &[word, lanes] : lanes_of_word)
      turns.shared = std::max(turns.shared, turns_of_bank[word % 32] += counts_only ? 1 : lanes);
    return turns;
  }
  std::set<std::int64_t> sectors;
  for (const auto &[word, lanes] : lanes_of_word) {
    if (sectors.insert(word / 8).second) sectors_of_line[word / 32] += 1;
    most_of_line[word / 32] = std::max(most_of_line[word / 32], lanes);
  }
  for (const auto &[line, count] : sectors_of_line)
    turns.global += first_sector + next_sector * (count - 1) + same_word * (most_of_line[line] - 1);
  turns.buffer = s.buffer;
  return turns;
}

}  // namespace warpgrade::predict
