#include "machine/checks/warp_clocks.hpp"

#include <algorithm>

#include "machine/warp.hpp"

namespace warpgrade::simt {

void WarpClocks::use(std::size_t warps) {
  if (active_) return;
  active_ = true;
  all_.assign(warps, Seen{});
  some_.assign(warps, SeenBySome{});
}

void WarpClocks::acquire(const Warp &w, std::uint32_t lanes, bool all, const Seen &seen) {
  if (all) return all_[w.index].join(seen);
  some_[w.index].seen.join(seen);
  share(w, lanes);
}

void WarpClocks::share(const Warp &w, std::uint32_t lanes) {
  if (!active_) return;
  SeenBySome &some = some_[w.index];
  some.lanes |= lanes;
  if ((w.live & ~some.lanes) != 0) return;
  all_[w.index].join(some.seen);
  some = {};
}

void WarpClocks::share_others() {
  if (!active_) return;
  Clock all;
  for (const Seen &one : all_) all.join(one.others);
  for (const SeenBySome &one : some_) all.join(one.seen.others);
  for (Seen &one : all_) one.others = all;
}

bool WarpClocks::knows(std::uint64_t cell, std::uint32_t warp, std::uint32_t lane) const {
  if (!active_) return false;
  const bool any = lane == any_lane;
  if (all_[warp].knows(cell, any)) return true;
  const SeenBySome &some = some_[warp];
  return some.lanes != 0 && (any || (some.lanes >> lane & 1) != 0) && some.seen.knows(cell, any);
}

bool WarpClocks::knows_copy(std::uint64_t writer, std::uint32_t warp, std::uint32_t lane) const {
  if (warp >= all_.size()) return false;
  if (all_[warp].knows_copy(writer)) return true;
  const SeenBySome &some = some_[warp];
  return (lane == any_lane || (some.lanes >> lane & 1) != 0) && some.seen.knows_copy(writer);
}

bool WarpClocks::knows_of_block(std::uint64_t cell, std::uint64_t block, std::uint32_t warp) const {
  if (!active_) return false;
  const auto time = static_cast<std::uint32_t>(cell >> 32);
  const auto who = static_cast<std::uint32_t>(cell & cell_warp) >> 5;
  for (const Clock *one : {&all_[warp].others, &some_[warp].seen.others}) {
    if (one->empty()) continue;
    if (!has_arrived(cell)) {
      if (one->knows(block, who, time)) return true;
      continue;
    }
    for (std::uint32_t w = 0; w < warps_of_block; ++w)
      if (one->knows(block, w, time)) return true;
  }
  return false;
}

bool WarpClocks::knows_any_block(std::uint32_t warp) const {
  return active_ && (!all_[warp].others.empty() || !some_[warp].seen.others.empty());
}

std::uint32_t WarpClocks::latest(std::uint32_t warp, std::uint32_t of) const {
  return std::max(all_[warp].latest(of), some_[warp].seen.latest(of));
}

}  // namespace warpgrade::simt
