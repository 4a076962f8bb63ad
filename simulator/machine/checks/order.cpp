#include "machine/checks/order.hpp"

#include <algorithm>

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

bool Clock::names_all_of(const Clock &other) const {
  auto own = horizons_.begin();
  for (const Horizon &one : other.horizons_) {
    while (own != horizons_.end() && own->who < one.who) ++own;
    if (own == horizons_.end() || own->who != one.who) return false;
  }
  return true;
}

void Clock::join(const Clock &other) {
  if (other.all_before_ > all_before_) all_before_ = other.all_before_;
  if (other.horizons_.empty()) return;
  if (horizons_.empty()) {
    horizons_ = other.horizons_;
    return;
  }
  if (names_all_of(other)) {  // the common case: update in place
    auto own = horizons_.begin();
    for (const Horizon &one : other.horizons_) {
      while (own->who < one.who) ++own;
      if (one.time > own->time) *own = one;
    }
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

void Clock::blame(std::uint32_t site, const Clock &acquired, const Clock &not_fenced, const Clock &released) {
  const auto times_of = [](const Clock &clock) {
    return [&clock, at = clock.horizons_.begin()](std::uint64_t who) mutable {
      while (at != clock.horizons_.end() && at->who < who) ++at;
      const bool known = at != clock.horizons_.end() && at->who == who;
      return std::max(clock.all_before_, known ? at->time : 0);
    };
  };
  auto in_acquired = times_of(acquired), in_pending = times_of(not_fenced), in_released = times_of(released);
  for (Horizon &one : horizons_) {
    const std::uint32_t had = in_acquired(one.who), has = in_pending(one.who), told = in_released(one.who);
    if (std::max(had, has) > told) one.site = site;
  }
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

std::uint32_t Clock::knows_blocks_before(std::uint64_t block, std::uint64_t others) const {
  std::uint64_t blocks = 0;
  std::uint32_t least = UINT32_MAX;
  for (const Horizon &one : horizons_) {
    if ((one.who & whole_block) != whole_block || one.who >> 6 == block) continue;
    ++blocks;
    least = std::min(least, one.time);
  }
  return blocks < others ? all_before_ : std::max(all_before_, least);
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

void join_order(WarpOrder &to, const WarpOrder &from) {
  to.known.join(from.known);
  to.known.join(from.pending);
  to.known.join(from.pending_in_block);
  to.without_acquire_fence.join(from.without_acquire_fence);
  to.without_fences.join(from.without_fences);
  to.signaled.join(from.signaled);
  to.released.join(from.released);
  to.released_in_block.join(from.released_in_block);
  to.fenced_weakly = to.fenced_weakly || from.fenced_weakly;
  to.keeps = to.keeps || from.keeps;
  to.read_narrowly = to.read_narrowly || from.read_narrowly;
  to.read_relaxed = to.read_relaxed || from.read_relaxed;
}

}  // namespace warpgrade::simt
