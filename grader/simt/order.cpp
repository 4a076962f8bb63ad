#include "simt/order.hpp"

#include <algorithm>

#include "simt/block_run.hpp"
#include "simt/resolve.hpp"

namespace warpgrade::simt {
namespace {

// Bounds of what a launch may cost. Beyond them more counts as ordered, so nothing false is reported.
constexpr std::size_t most_horizons = 256;
constexpr std::size_t most_flags = 1 << 16;

}  // namespace

void Clock::add(const Horizon &one) {
  if (one.time <= all_before_) return;
  const auto at = std::lower_bound(horizons_.begin(), horizons_.end(), one.who,
                                   [](const Horizon &h, std::uint64_t who) { return h.who < who; });
  if (at != horizons_.end() && at->who == one.who) {
    if (one.time > at->time) *at = one;
    return;
  }
  horizons_.insert(at, one);
  shorten();
}

void Clock::join(const Clock &other) {
  if (other.all_before_ > all_before_) all_before_ = other.all_before_;
  if (other.horizons_.empty()) return;
  if (horizons_.empty()) {
    horizons_ = other.horizons_;
    return;
  }
  std::vector<Horizon> both;
  both.reserve(horizons_.size() + other.horizons_.size());
  auto a = horizons_.begin();
  for (const Horizon &one : other.horizons_) {
    while (a != horizons_.end() && a->who < one.who) both.push_back(*a++);
    if (a != horizons_.end() && a->who == one.who) {
      both.push_back(a->time >= one.time ? *a : one);
      ++a;
    } else {
      both.push_back(one);
    }
  }
  both.insert(both.end(), a, horizons_.end());
  horizons_ = std::move(both);
  shorten();
}

void Clock::know_all(std::uint32_t time) {
  all_before_ = std::max(all_before_, time);
}

/// So many blocks: whatever the latest of them knows counts as known of all.
void Clock::shorten() {
  if (horizons_.size() <= most_horizons) return;
  for (const Horizon &one : horizons_) all_before_ = std::max(all_before_, one.time);
  horizons_.clear();
}

bool Clock::knows(std::uint64_t block, std::uint32_t warp, std::uint32_t time, std::uint32_t *site) const {
  if (time < all_before_) return true;
  for (const std::uint32_t part : {warp, whole_block}) {
    const std::uint64_t who = block << 6 | part;
    const auto at = std::lower_bound(horizons_.begin(), horizons_.end(), who,
                                     [](const Horizon &h, std::uint64_t key) { return h.who < key; });
    if (at == horizons_.end() || at->who != who || time >= at->time) continue;
    if (site) *site = at->site;
    return true;
  }
  return false;
}

Flag *Flags::at(std::uint64_t address) {
  const auto known = flags_.find(address);
  if (known != flags_.end()) return &known->second;
  if (flags_.size() >= most_flags) return nullptr;
  return &flags_[address];
}

const Flag *Flags::find(std::uint64_t address) const {
  const auto known = flags_.find(address);
  return known == flags_.end() ? nullptr : &known->second;
}

/// Adds what the warp has done so far: its own accesses before now, and its block's before the last barrier.
void BlockRun::add_own(Clock &clock, std::uint32_t site) const {
  const std::uint64_t epoch = context.epoch_cell == UINT64_MAX ? time_ : context.epoch_cell >> 32;
  clock.add({block_number_ << 6 | whole_block, static_cast<std::uint32_t>(epoch), site});
  clock.add({block_number_ << 6 | context.warp, time_, site});
  for (std::uint32_t w = 0; hears_ && w < warps_.size(); ++w) {
    const std::uint32_t latest = latest_known(w);
    if (w != context.warp && latest > epoch) clock.add({block_number_ << 6 | w, latest, site});
  }
}

void BlockRun::fence_globally(Scope scope) {
  if (!tracks_) return;
  WarpOrder &own = orders_[context.warp];
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
    add_own(own.released, UINT32_MAX);
  }
  add_own(own.released_in_block, UINT32_MAX);
  own.seen = nullptr;
}

void join_order(WarpOrder &to, const WarpOrder &from) {
  to.known.join(from.known);
  to.known.join(from.pending);
  to.known.join(from.pending_in_block);
  to.lenient.join(from.lenient);
  to.ideal.join(from.ideal);
  to.meant.join(from.meant);
  to.released.join(from.released);
  to.released_in_block.join(from.released_in_block);
  to.fenced_weakly = to.fenced_weakly || from.fenced_weakly;
}

/// A barrier of the block: what one warp knows, all know.
void BlockRun::share_order() {
  locks.share();
  if (cluster_ && hears_) share_others();
  if (!tracks_) return;
  WarpOrder all;
  for (const WarpOrder &one : orders_) join_order(all, one);
  std::fill(orders_.begin(), orders_.end(), all);
}

/// The same of what warps know of other blocks of the cluster.
void BlockRun::share_others() {
  Clock all;
  for (const Seen &one : seen_) all.join(one.others);
  for (const HeardBySome &one : heard_by_some_) all.join(one.seen.others);
  for (Seen &one : seen_) one.others = all;
}

void BlockRun::meet(const LaneAccess &access, bool reads, bool writes, bool changes) {
  if (!tracks_) return;
  const Site &site = access.site;
  WarpOrder &own = orders_[context.warp];
  if (writes && site.releases) {
    advance_time();
    fence_globally(site.scope);
  }
  Flag *const flag = shadow_->flags.at(access.address);
  if (!flag) {
    if (reads && program.has_fences) own.known.know_all(time_), own.lenient.know_all(time_);
    return;
  }
  if (reads && !(own.seen == flag && own.seen_version == flag->version)) {
    own.seen = flag;
    own.seen_version = flag->version;
    own.ideal.join(flag->ideal);
    if (site.spins || site.locks || site.counts) own.meant.join(flag->ideal);
    const bool here = flag->of == block_number_ && !flag->block.empty();
    const bool at_once =
        site.acquires || (site.action == Site::Action::atomic && !site.says_order && !site.locks);
    const bool wide = !is_narrow(site.scope);
    if (wide) own.lenient.join(flag->device);
    if (here) own.lenient.join(flag->block);
    if (at_once) {
      if (wide) own.known.join(flag->device);
      if (here) own.known.join(flag->block);
    } else {
      if (wide) own.pending.join(flag->device);
      if (here) own.pending_in_block.join(flag->block);
      if (here) own.pending_in_block.join(flag->device);
      if ((site.locks || site.says_order) && !flag->ideal.empty()) own.needs_fence = true;
    }
  }
  if (!writes) return;
  if (changes) flag->changed_by = context.now_cell | std::uint64_t{access.op.site} << 12 | access.lane;
  advance_time();  // what the warp does from now on comes after this
  if (!reads) {    // nobody can read what was there before
    flag->ideal.clear();
    flag->device.clear();
    flag->block.clear();
  }
  Clock done = own.ideal;
  add_own(done, access.op.site);
  if (own.fenced_weakly || site.scope == Scope::block) shadow_->flags.told_weakly.insert(access.op.site);
  flag->ideal.join(done);
  if (!is_narrow(site.scope)) flag->device.join(own.released);
  if (flag->of != block_number_) flag->block.clear();
  flag->of = block_number_;
  flag->block.join(own.released_in_block);
  ++flag->version;
}

void BlockRun::note_exchange(const LaneAccess &access) {
  constexpr std::size_t most_exchanged = 1 << 16;
  if (watching_ && shadow_->exchanged.size() < most_exchanged)
    shadow_->exchanged.emplace(access.address,
                               context.now_cell | std::uint64_t{access.op.site} << 12 | access.lane);
}

/// What is known of an access by another warp. `site`: the strong write that should have told of it.
Knowledge BlockRun::knowledge_of(std::uint64_t cell, std::uint32_t *site) const {
  if (!tracks_) return Knowledge::none;
  const std::uint64_t block = shadow_->block_at(cell);
  const auto who = static_cast<std::uint32_t>(cell & cell_warp) >> 5;
  const auto time = static_cast<std::uint32_t>(cell >> 32);
  const WarpOrder &own = orders_[context.warp];
  if (own.known.knows(block, who, time)) return Knowledge::known;
  own.ideal.knows(block, who, time, site);
  if (own.lenient.knows(block, who, time)) return Knowledge::unfenced;
  if (own.meant.knows(block, who, time, site)) return Knowledge::meant;
  return own.ideal.knows(block, who, time, site) ? Knowledge::told : Knowledge::none;
}

/// Whether a strong write that told of something came after a fence of the scope of the block, or has it.
bool BlockRun::told_weakly(std::uint32_t site) const {
  return tracks_ && shadow_->flags.told_weakly.count(site) != 0;
}

/// Whether the warp has learned of any other thread's work at all.
bool BlockRun::knows_others() const {
  if (has_met_cluster() || (tracks_ && !orders_[context.warp].known.empty())) return true;
  return hears_ && (!seen_[context.warp].others.empty() || !heard_by_some_[context.warp].seen.others.empty());
}

void BlockRun::forget_global_order() {
  locks.clear();
  if (tracks_) orders_.assign(warps_.size(), WarpOrder{});
}

}  // namespace warpgrade::simt
