#include "machine/checks/global_order.hpp"

#include <algorithm>

namespace warpgrade::simt {

GlobalOrder::GlobalOrder(const Program &program, LogicalTime &time, const WarpClocks &clocks, Shadow &shadow,
                         bool tracked)
    : program_(program), time_(time), clocks_(clocks), shadow_(shadow), tracked_(tracked) {}

void GlobalOrder::begin(std::uint64_t block, std::size_t warps, bool alone) {
  block_ = block;
  alone_ = alone;
  if (tracked_) warps_.assign(warps, WarpOrder{});
  shared_ = true;
}

void GlobalOrder::add_own(Clock &clock, std::uint32_t warp, std::uint32_t site) const {
  const std::uint32_t epoch = time_.epoch();
  clock.add({block_ << 6 | whole_block, epoch, site});
  clock.add({block_ << 6 | warp, time_.now(), site});
  for (std::uint32_t w = 0; clocks_.active() && w < warps_.size(); ++w) {
    const std::uint32_t latest = clocks_.latest(warp, w);
    if (w != warp && latest > epoch) clock.add({block_ << 6 | w, latest, site});
  }
}

void GlobalOrder::fence(std::uint32_t warp, Scope scope) {
  if (!tracked_) return;
  WarpOrder &own = of(warp);
  own.known.join(own.pending_in_block);
  own.pending_in_block.clear();
  own.released_in_block = own.known;
  own.fenced_weakly = is_narrow(scope);
  if (!own.fenced_weakly) {
    own.known.join(own.pending);
    own.pending.clear();
    own.needs_fence = false;
    own.released_in_block = own.known;
    own.released = own.known;
    own.keeps = false;
    add_own(own.released, warp, UINT32_MAX);
  }
  add_own(own.released_in_block, warp, UINT32_MAX);
  own.seen = nullptr;
}

void GlobalOrder::share() {
  if (!tracked_ || shared_) return;
  WarpOrder all;
  for (const WarpOrder &one : warps_) join_order(all, one);
  std::fill(warps_.begin(), warps_.end(), all);
  shared_ = true;
}

/// A strong read of a word that it has not read since the last write.
void GlobalOrder::acquire(WarpOrder &own, const Flag &flag, const Site &site) const {
  own.without_fences.join(flag.without_fences);
  if (site.spins || site.locks || site.counts) own.signaled.join(flag.without_fences);
  const bool here = flag.of == block_ && !flag.block.empty();
  const bool at_once =
      site.acquires || (site.action == Site::Action::atomic && !site.says_order && !site.locks);
  const bool wide = !is_narrow(site.scope);
  own.keeps = own.keeps || !flag.device.empty();
  if (flag.of != block_ && !flag.device.empty()) own.read_narrowly = !wide;
  if (wide) own.without_acquire_fence.join(flag.device);
  if (here) own.without_acquire_fence.join(flag.block);
  if (at_once) {
    if (wide) own.known.join(flag.device);
    if (here) own.known.join(flag.block);
    return;
  }
  if (wide) own.pending.join(flag.device);
  if (here) own.pending_in_block.join(flag.block);
  if (here) own.pending_in_block.join(flag.device);
  if ((site.locks || site.says_order) && !flag.without_fences.empty()) own.needs_fence = true;
  if (!flag.without_fences.empty()) own.read_relaxed = site.says_order;
}

void GlobalOrder::access(std::uint32_t warp, const StrongAccess &access, bool reads, bool writes,
                         bool changes) {
  if (!tracked_) return;
  const Site &site = access.site;
  WarpOrder &own = of(warp);
  if (writes && site.releases) {
    time_.advance();
    fence(warp, site.scope);
  }
  Flag *const flag = shadow_.flags.at(access.address);
  if (!flag) {
    if (reads && program_.has_fences)
      own.known.know_all(time_.now()), own.without_acquire_fence.know_all(time_.now());
    return;
  }
  if (reads && !(own.seen == flag && own.seen_version == flag->version)) {
    own.seen = flag;
    own.seen_version = flag->version;
    acquire(own, *flag, site);
  }
  if (!writes) return;
  if (changes) flag->changed_by = time_.cell() | std::uint64_t{access.index} << 12 | access.lane;
  time_.advance();  // what the warp does from now on comes after this
  if (!reads) {     // nobody can read what was there before
    flag->without_fences.clear();
    flag->device.clear();
    flag->block.clear();
  }
  Clock &done = done_ = own.without_fences;
  if (own.keeps) done.blame(access.index, own.known, own.pending, own.released);
  add_own(done, warp, access.index);
  if (own.fenced_weakly || site.scope == Scope::block) shadow_.flags.weak_releases.insert(access.index);
  flag->without_fences.join(done);
  if (!is_narrow(site.scope)) flag->device.join(own.released);
  if (flag->of != block_) flag->block.clear();
  flag->of = block_;
  flag->block.join(own.released_in_block);
  ++flag->version;
}

std::uint32_t GlobalOrder::all_known_before() const {
  if (!tracked_) return 0;
  // Warps of a block know the same after its barrier, and its own accesses before that are in order.
  return std::min(time_.epoch(), warps_.front().known.knows_blocks_before(block_, shadow_.begun - 1));
}

bool GlobalOrder::any_warp_knows_anything() const {
  return tracked_ &&
         std::any_of(warps_.begin(), warps_.end(), [](const WarpOrder &one) { return !one.known.empty(); });
}

Knowledge GlobalOrder::knowledge_of(std::uint64_t cell, std::uint32_t warp, std::uint32_t *site) const {
  if (!tracked_) return Knowledge::none;
  const std::uint64_t block = shadow_.block_at(cell);
  const auto who = static_cast<std::uint32_t>(cell & cell_warp) >> 5;
  const auto time = static_cast<std::uint32_t>(cell >> 32);
  const WarpOrder &own = warps_[warp];
  if (own.known.knows(block, who, time)) return Knowledge::known;
  own.without_fences.knows(block, who, time, site);
  if (own.without_acquire_fence.knows(block, who, time)) return Knowledge::unfenced;
  if (own.signaled.knows(block, who, time, site)) return Knowledge::signaled;
  return own.without_fences.knows(block, who, time, site) ? Knowledge::by_fences : Knowledge::none;
}

bool GlobalOrder::has_weak_release(std::uint32_t site) const {
  return tracked_ && shadow_.flags.weak_releases.count(site) != 0;
}

}  // namespace warpgrade::simt
