#include "machine/reuse.hpp"

#include <algorithm>
#include <bit>

namespace warpgrade::simt {

Reuse &Reuse::operator+=(const Reuse &other) {
  first += other.first;
  for (std::size_t i = 0; i < again.size(); ++i) again[i] += other.again[i];
  return *this;
}

Reuse Path::reuse() const {
  Reuse all;
  for (const LineLoads &l : loads) all += l.sectors;
  return all;
}

void ReuseRecorder::add(Reuse &to, std::size_t distance) {
  ++(distance == first ? to.first : to.again[distance]);
}

void ReuseRecorder::load(std::int32_t line, const std::uint64_t (&addresses)[32], std::uint32_t mask,
                         std::uint32_t bytes) {
  constexpr std::uint64_t sector_bytes = 32, sectors_of_line = 4;
  if (looked_up_ >= most || mask == 0) return;
  const auto [number, is_new] = numbers_.try_emplace(line, loads_.size());
  if (is_new) loads_.emplace_back().line = line, loads_.back().bytes = bytes;
  LineLoads &here = loads_[number->second];
  std::uint64_t seen[64], lines[64];
  std::size_t count = 0, line_count = 0, farthest = 0;
  const auto note = [](std::uint64_t(&all)[64], std::size_t &n, std::uint64_t value) {
    if (std::find(all, all + n, value) != all + n) return false;
    if (n < std::size(all)) all[n++] = value;
    return true;
  };
  for (std::uint32_t rest = mask; rest; rest &= rest - 1) {
    const std::uint64_t from = addresses[std::countr_zero(rest)] / sector_bytes;
    const std::uint64_t last = (addresses[std::countr_zero(rest)] + bytes - 1) / sector_bytes;
    for (std::uint64_t s = from; s <= last; ++s) {
      if (!note(seen, count, s)) continue;
      note(lines, line_count, s / sectors_of_line);
      const std::size_t d = distance(s);
      farthest = std::max(farthest, d);
      add(here.sectors, d);
    }
  }
  here.lines += line_count;
  add(here.requests, farthest);
}

std::size_t ReuseRecorder::distance(std::uint64_t sector) {
  ++looked_up_;
  const auto [entry, is_new] = last_.try_emplace(sector, clock_);
  if (is_new) {
    ++clock_;
    return first;
  }
  const std::uint64_t between = clock_ - entry->second;
  if (between >= soon) ++clock_;
  entry->second = clock_;
  return std::min(static_cast<std::size_t>(std::bit_width(between)), first - 1);
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
