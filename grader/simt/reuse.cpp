#include "simt/reuse.hpp"

#include <algorithm>
#include <bit>

namespace warpgrade::simt {

void ReuseRecorder::load(const std::uint64_t (&addresses)[32], std::uint32_t mask, std::uint32_t bytes) {
  constexpr std::uint64_t sector_bytes = 32;
  std::uint64_t seen[64];
  std::size_t count = 0;
  for (std::uint32_t rest = mask; rest && looked_up_ < most; rest &= rest - 1) {
    const std::uint64_t first = addresses[std::countr_zero(rest)] / sector_bytes;
    const std::uint64_t last = (addresses[std::countr_zero(rest)] + bytes - 1) / sector_bytes;
    for (std::uint64_t s = first; s <= last; ++s) {
      if (std::find(seen, seen + count, s) != seen + count) continue;
      if (count < std::size(seen)) seen[count++] = s;
      sector(s);
    }
  }
}

void ReuseRecorder::sector(std::uint64_t number) {
  ++looked_up_;
  const auto [entry, first] = last_.try_emplace(number, clock_);
  if (first) {
    ++reuse_.first;
    ++clock_;
    return;
  }
  const std::uint64_t between = clock_ - entry->second;
  const auto at = static_cast<std::size_t>(std::bit_width(between));
  ++reuse_.again[std::min(at, reuse_.again.size() - 1)];
  if (between >= soon) ++clock_;
  entry->second = clock_;
}

void TouchRecorder::load(std::uint32_t warp, std::uint64_t address) {
  constexpr std::uint64_t line_bytes = 128, mixer = 0x9e3779b97f4a7c15;
  if (warp >= warps_.size()) warps_.resize(warp + 1);
  OfWarp &of = warps_[warp];
  const std::uint64_t line = address / line_bytes, before = of.loads++;
  if ((line * mixer) >> 60 != 0 || count_ >= most) return;
  if (of.first.try_emplace(line, before).second) ++count_;
}

std::vector<FirstTouch> TouchRecorder::take() {
  std::vector<FirstTouch> all;
  for (const OfWarp &of : warps_)
    for (const auto &[line, before] : of.first)
      all.push_back({line, static_cast<float>(static_cast<double>(before) / static_cast<double>(of.loads))});
  return all;
}

}  // namespace warpgrade::simt
