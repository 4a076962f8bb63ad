#include "machine/checks/happens_before.hpp"

#include <algorithm>

#include "machine/lanes.hpp"

namespace warpgrade::simt {

HappensBefore::HappensBefore(const Program &program, Context &context, SharedMemory &shared, Shadow &shadow,
                             bool checked)
    : time(context, shadow.time),
      global(program, time, clocks_, shadow, checked && program.tracks_order),
      mbarriers(clocks_, global, flags_),
      program_(program),
      context_(context),
      shared_(shared),
      checked_(checked),
      flags_(program, time, clocks_, global) {}

void HappensBefore::begin(std::uint64_t block, std::size_t warps, std::size_t cluster) {
  block_ = block;
  context_.known_cell = 1;
  warps_ = warps;
  cluster_ = cluster;
  updates.clear();
  clocks_.clear();
  at_barriers_.clear();
  mbarriers.clear();
  if (flags_.used()) use_clocks();
  flags_.begin(warps);
  global.begin(block, warps, cluster <= 1);
}

void HappensBefore::enter(Warp &w) {
  warp_ = &w;
  context_.seen = clocks_.times_of(w.index);
}

void HappensBefore::use_clocks() {
  if (clocks_.active()) return;
  clocks_.use(warps_);
  context_.seen = clocks_.times_of(context_.warp);
}

void HappensBefore::sync_lanes(const std::uint32_t (&masks)[32]) {
  std::vector<LaneTimes> &seen = warp_->lanes_seen;
  if (seen.empty()) seen.resize(32);
  const std::uint32_t informed = clocks_.active() ? clocks_.of_some(context_.warp).lanes : 0;
  for (std::uint32_t rest = context_.mask; rest;) {
    const std::uint32_t mask = masks[first_lane(rest)];
    std::uint32_t met = 0;
    for (std::uint32_t others = rest; others; others &= others - 1)
      if (masks[first_lane(others)] == mask) met |= 1u << first_lane(others);
    rest &= ~met;
    if ((met & informed) != 0) clocks_.share(*warp_, met);
    LaneTimes all = seen[first_lane(met)];
    for (std::uint32_t lanes = met; lanes; lanes &= lanes - 1) {
      const LaneTimes &one = seen[first_lane(lanes)];
      if (one == all) continue;  // those who have met last know the same
      for (std::size_t lane = 0; lane < all.size(); ++lane) all[lane] = std::max(all[lane], one[lane]);
    }
    for (std::uint32_t lanes = met; lanes; lanes &= lanes - 1) all[first_lane(lanes)] = time.now();
    for (std::uint32_t lanes = met; lanes; lanes &= lanes - 1) seen[first_lane(lanes)] = all;
  }
}

/// What the warp has done comes before all that it does from now on, for those who then acquire it.
void HappensBefore::fence_block() {
  shared_.enter_reads();
  time.advance();
  if (flags_.used()) flags_.fence(context_.warp);
  warp_->fence_time = time.now();
  if (!flags_.used() && !program_.tracks_order) return;  // no thread can acquire it
  warp_->warp_cell = std::uint64_t{time.now()} << 32;
  if (context_.warp_cell != UINT64_MAX) context_.warp_cell = warp_->warp_cell;
}

void HappensBefore::fence(Scope scope) {
  fence_block();
  global.fence(context_.warp, scope);
}

void HappensBefore::access_shared(std::uint64_t offset, const Site &site, bool reads, bool writes) {
  if (site.releases) fence(site.scope);
  shared_.enter_reads();
  flags_.access(context_.warp, offset, site, reads, writes);
}

void HappensBefore::arrive(std::uint32_t barrier) {
  use_clocks();
  shared_.enter_reads();
  time.advance();
  sync_warp();
  Released &there = at_barriers_[barrier];
  if (flags_.used()) flags_.acquire_pending(context_.warp);
  there.seen.join(clocks_.of(context_.warp));
  there.seen.add(context_.warp, 0, true, time.now());
  if (global.tracked()) join_order(there.order, global.of(context_.warp));
}

void HappensBefore::pass(std::uint32_t barrier, const std::vector<Warp *> &waiting) {
  use_clocks();
  shared_.enter_reads();
  Released &there = at_barriers_[barrier];
  for (const Warp *one : waiting) {
    there.seen.join(clocks_.of(one->index));
    if (flags_.used()) there.seen.join(flags_.pending(one->index));
    there.seen.add(one->index, 0, true, time.now() + 1);
    if (global.tracked()) join_order(there.order, global.of(one->index));
  }
  for (const Warp *one : waiting) {
    clocks_.of(one->index) = there.seen;
    if (global.tracked()) global.of(one->index) = there.order;
  }
  at_barriers_.erase(barrier);
}

void HappensBefore::pass_all() {
  if (cluster_ != 0) clocks_.share_others();
  global.share();
  context_.known_cell = std::max(std::uint64_t{global.all_known_before()} << 32, std::uint64_t{1});
}

Released HappensBefore::release(std::uint32_t lanes, bool releases) {
  Released made;
  if (!checked_) return made;
  use_clocks();
  shared_.enter_reads();
  time.advance();
  const std::uint32_t w = context_.warp;
  if (!releases && warp_->fence_time == 0) return made;
  made.seen = clocks_.of(w);
  if ((clocks_.of_some(w).lanes & lanes) != 0) made.seen.join(clocks_.of_some(w).seen);
  if (releases) {
    std::uint32_t synced = lanes;  // and those that have met them
    for (std::uint32_t rest = warp_->lanes_seen.empty() ? 0 : lanes; rest; rest &= rest - 1) {
      const LaneTimes &seen = warp_->lanes_seen[first_lane(rest)];
      for (std::uint32_t lane = 0; lane < seen.size(); ++lane)
        if (seen[lane] > warp_->warp_cell >> 32) synced |= 1u << lane;
    }
    made.seen.add(w, 0, true, static_cast<std::uint32_t>(warp_->warp_cell >> 32));
    made.seen.add(w, synced, are_all_lanes(*warp_, lanes), time.now() + 1);
    // A product is one operation of four warps: a thread that waited for it passes on what all of them read.
    if (program_.uses_warpgroups)
      for (std::uint32_t other = w & ~3u; other <= (w | 3u); ++other)
        made.seen.add(other, 0, true, time.now() + 1);
  } else {
    made.seen.add(w, 0, true, warp_->fence_time);
  }
  if (global.tracked()) join_order(made.order, global.of(w));
  return made;
}

void HappensBefore::arrive(std::uint32_t mbarrier, const Released &released, std::uint32_t lanes,
                           bool waits) {
  mbarriers.arrive(mbarrier, released, context_.warp, waits && (warp_->live & ~lanes) == 0);
}

void HappensBefore::arrive(std::uint32_t mbarrier, const HappensBefore &other, Released released) {
  other.name_block(released.seen);
  mbarriers.arrive_from_other_block(mbarrier, released);
}

void HappensBefore::name_block(Seen &seen) const {
  const std::uint32_t epoch = time.epoch();
  seen.others.add({block_ << 6 | whole_block, epoch, UINT32_MAX});
  for (std::uint32_t w = 0; w < warps_; ++w)
    if (seen.latest(w) > epoch) seen.others.add({block_ << 6 | w, seen.latest(w), UINT32_MAX});
  seen.before = {};
  seen.some = {};
  seen.has_some = false;
}

void HappensBefore::acquire(std::uint32_t mbarrier, std::uint32_t lanes, const Site &site) {
  if (!checked_) return;
  use_clocks();
  const bool narrow = site.scope == Scope::block || (site.scope == Scope::cluster && cluster_ <= 1);
  mbarriers.acquire(mbarrier, *warp_, lanes, are_all_lanes(*warp_, lanes), site, cluster_ != 0 && !narrow);
}

bool HappensBefore::comes_before(std::uint64_t cell, std::uint32_t warp, std::uint32_t lane) const {
  const auto who = static_cast<std::uint32_t>(cell & cell_warp) >> 5;
  const auto when = static_cast<std::uint32_t>(cell >> 32);
  if (clocks_.active()) {
    if (clocks_.knows(cell, warp, lane)) return true;
    const Clock &others = clocks_.of(warp).others;
    if (!others.empty() && others.knows(block_, who, when)) return true;
  }
  return global.knows(warp, who, when);
}

bool HappensBefore::knows_copy(std::uint64_t writer, std::uint32_t lane) const {
  if (clocks_.knows_copy(writer, context_.warp, lane)) return true;
  const auto when = static_cast<std::uint32_t>(writer >> 32);
  for (std::uint32_t w = 0; global.tracked() && w < warps_; ++w)  // by a flag, from whoever has waited
    if (global.knows(context_.warp, w, when)) return true;
  return false;
}

bool HappensBefore::knows_of_block(std::uint64_t cell) const {
  return clocks_.active() && clocks_.knows_of_block(cell, global.block_of(cell), context_.warp);
}

std::uint32_t HappensBefore::known_before(std::uint32_t warp) const {
  std::uint32_t known = time.epoch();
  if (warp == context_.warp) known = std::max(known, static_cast<std::uint32_t>(warp_->warp_cell >> 32));
  return clocks_.active() ? std::max(known, clocks_.latest(context_.warp, warp)) : known;
}

bool HappensBefore::knows_other_warps() const {
  const auto epoch = static_cast<std::uint32_t>(context_.epoch_cell >> 32);
  for (std::uint32_t w = 0; w < warps_; ++w) {
    if (w == context_.warp) continue;
    if (clocks_.active() && clocks_.latest(context_.warp, w) > epoch) return true;
    if (flags_.used() && flags_.pending(context_.warp).latest(w) > epoch) return true;
    if (global.knows(context_.warp, w, epoch)) return true;
  }
  return false;
}

bool HappensBefore::knows_others() const {
  return global.knows_anything(context_.warp) || clocks_.knows_any_block(context_.warp);
}

Clock HappensBefore::acquired_from_blocks() const {
  Clock all;
  for (std::uint32_t w = 0; clocks_.active() && w < warps_; ++w) {
    all.join(clocks_.of(w).others);
    all.join(clocks_.of_some(w).seen.others);
  }
  return all;
}

Knowledge HappensBefore::lacks_fence(std::uint64_t writer, std::uint64_t reader) const {
  const auto who = static_cast<std::uint32_t>(writer & cell_warp) >> 5;
  if (!flags_.used() || who == context_.warp || writer < context_.epoch_cell) return Knowledge::known;
  const bool has_read_it =
      reader > writer && static_cast<std::uint32_t>(reader & cell_warp) >> 5 == context_.warp;
  if (has_read_it || comes_before(writer, any_lane)) return Knowledge::known;
  if (is_unfenced(writer)) return flags_.needs_fence(context_.warp) ? Knowledge::unfenced : Knowledge::known;
  return is_signaled(writer) ? Knowledge::signaled : Knowledge::none;
}

bool HappensBefore::may_know_of(std::uint64_t writer, std::uint64_t reader) const {
  const bool has_read_it =
      reader >> 32 >= writer >> 32 && static_cast<std::uint32_t>(reader & cell_warp) >> 5 == context_.warp;
  return has_read_it || comes_before(writer, any_lane) || is_signaled(writer);
}

bool HappensBefore::has_fenced() const {
  return flags_.used() && flags_.fence_of(context_.warp) >= context_.epoch_cell >> 32;
}

}  // namespace warpgrade::simt
