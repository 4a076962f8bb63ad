#include <fmt/format.h>

#include <algorithm>

#include "explain/lanes.hpp"
#include "report/explain.hpp"
#include "report/lanes.hpp"
#include "report/text.hpp"

namespace warpgrade::report {

std::string lane_list(const explain::Lanes &lanes) {
  std::string text;
  for (std::size_t i = 0; i < lanes.size();) {
    std::size_t last = i;
    while (last + 1 < lanes.size() && lanes[last + 1] == lanes[last] + 1) ++last;
    text += fmt::format("{}{}", text.empty() ? "" : ",", lanes[i]);
    if (last > i) text += fmt::format("-{}", lanes[last]);
    i = last + 1;
  }
  return text;
}

std::string access_title(const explain::Access &access) {
  const simt::AccessKey &key = access.key;
  const std::string buffer = key.buffer.empty() ? "several buffers" : for_terminal(key.buffer);
  return fmt::format("{} {} {}, {} bytes a lane", key.store ? "store" : "load", key.store ? "to" : "of",
                     buffer, key.bytes);
}

std::string sample_title(const explain::Access &access) {
  const simt::LaneSample &s = *access.sample;
  const bool global = s.space == ptx::Space::global;
  return fmt::format("{} at line {}: {} {}{}, {} would do (warp {} of block ({}, {}, {}))",
                     access_title(access), access.key.at.line, s.cost, global ? "sector" : "wavefront",
                     s.cost == 1 ? "" : "s", s.ideal, s.warp, s.block.x, s.block.y, s.block.z);
}

namespace {

constexpr std::size_t longest_cell = 11;

/// A long list of lanes shortened to its count.
std::string lane_cell(const explain::Lanes &lanes) {
  if (lanes.empty()) return ".";
  std::string text = lane_list(lanes);
  return text.size() <= longest_cell ? text : fmt::format("{} lanes", lanes.size());
}

std::string sectors(const explain::Access &access) {
  const std::vector<explain::SectorRow> rows = explain::sectors_of(*access.sample);
  std::size_t width = 2;
  for (const explain::SectorRow &row : rows)
    for (const explain::Lanes &lanes : row.words) width = std::max(width, lane_cell(lanes).size());
  std::string text = fmt::format("    {:>12}   lanes at the eight words of each sector\n", "bytes into");
  const std::string buffer = access.key.buffer.empty() ? "it" : for_terminal(access.key.buffer);
  bool first = true;
  for (const explain::SectorRow &row : rows) {
    text += fmt::format("    {:>12}  ", fmt::format("{}{:>8}", first ? buffer + " " : "", row.offset));
    for (const explain::Lanes &lanes : row.words) text += fmt::format(" {:>{}}", lane_cell(lanes), width);
    text += "\n";
    first = false;
  }
  return text;
}

/// One word a bank at most: four rows of eight banks.
std::string free_of_conflicts(const explain::BankPhase &phase) {
  std::size_t width = 2;
  for (const auto &words : phase.banks)
    if (!words.empty()) width = std::max(width, lane_cell(words.front().lanes).size());
  std::string text;
  for (std::size_t from = 0; from < 32; from += 8) {
    text += fmt::format("    banks {:>2} to {:>2}  ", from, from + 7);
    for (std::size_t bank = from; bank < from + 8; ++bank)
      text += fmt::format(
          " {:>{}}", phase.banks[bank].empty() ? "." : lane_cell(phase.banks[bank].front().lanes), width);
    text += "\n";
  }
  return text;
}

std::string conflicts(const explain::BankPhase &phase) {
  std::string text;
  for (std::size_t bank = 0; bank < 32; ++bank) {
    const auto &words = phase.banks[bank];
    if (words.empty()) continue;
    std::string row = fmt::format("    bank {:>2}, {:>2} {}: lanes", bank, words.size(),
                                  words.size() == 1 ? "word " : "words");
    for (const explain::BankWord &word : words) {
      const std::string next = " " + lane_cell(word.lanes);
      if (row.size() + next.size() > 96) {
        text += row + "\n";
        row = std::string(24, ' ');
      }
      row += next;
    }
    text += row + "\n";
  }
  return text;
}

std::string banks(const simt::LaneSample &sample) {
  std::string text;
  for (const explain::BankPhase &phase : explain::banks_of(sample)) {
    if (phase.last_lane - phase.first_lane < 31)
      text += fmt::format("    lanes {} to {} are served together:\n", phase.first_lane, phase.last_lane);
    text += phase.wavefronts() <= 1 ? free_of_conflicts(phase) : conflicts(phase);
  }
  return text;
}

}  // namespace

std::string lanes_to_text(const explain::Access &access) {
  const bool global = access.sample->space == ptx::Space::global;
  return "  " + sample_title(access) + "\n" + (global ? sectors(access) : banks(*access.sample));
}

}  // namespace warpgrade::report
