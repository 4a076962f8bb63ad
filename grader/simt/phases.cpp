#include "simt/phases.hpp"

#include <algorithm>

#include "simt/block_run.hpp"
#include "simt/lanes.hpp"

namespace warpgrade::simt {

Phases &BlockRun::phases_of(std::uint32_t barrier) {
  const auto [at, fresh] = phases_.try_emplace(barrier);
  if (fresh) at->second.number = std::min(static_cast<std::uint32_t>(phases_.size()), most_mbarriers) - 1;
  return at->second;
}

void BlockRun::forget_phases(std::uint32_t barrier) {
  Phases &phases = phases_of(barrier);
  const std::uint32_t number = phases.number;
  phases = {};
  phases.number = number;
}

bool BlockRun::are_all_lanes(std::uint32_t lanes) const {
  // The instructions of warpgroups take all lanes of a warp together, and their authors rely on it.
  return (warp->live & ~lanes) == 0 || program.uses_warpgroups;
}

Told BlockRun::tell(std::uint32_t lanes, bool releases) {
  Told told;
  if (!watching_) return told;
  hear();
  shared.enter_reads();
  advance_time();
  const std::uint32_t w = context.warp;
  if (!releases && warp->fence_time == 0) return told;
  told.seen = seen_[w];
  if ((heard_by_some_[w].lanes & lanes) != 0) told.seen.join(heard_by_some_[w].seen);
  if (releases) {
    std::uint32_t synced = lanes;  // and those that have met them
    for (std::uint32_t rest = warp->lanes_seen.empty() ? 0 : lanes; rest; rest &= rest - 1) {
      const LaneTimes &seen = warp->lanes_seen[first_lane(rest)];
      for (std::uint32_t lane = 0; lane < seen.size(); ++lane)
        if (seen[lane] > warp->warp_cell >> 32) synced |= 1u << lane;
    }
    told.seen.add(w, 0, true, static_cast<std::uint32_t>(warp->warp_cell >> 32));
    told.seen.add(w, synced, are_all_lanes(lanes), time_ + 1);
    // A product is one operation of four warps: a thread that waited for it passes on what all of them read.
    if (program.uses_warpgroups)
      for (std::uint32_t other = w & ~3u; other <= (w | 3u); ++other)
        told.seen.add(other, 0, true, time_ + 1);
  } else {
    told.seen.add(w, 0, true, warp->fence_time);
  }
  if (tracks_) join_order(told.order, orders_[w]);
  return told;
}

void BlockRun::note_arrival(std::uint32_t barrier, const Told &told, std::uint32_t lanes, bool waits) {
  Phases &phases = phases_of(barrier);
  phases.coming.join(told, tracks_);
  if (waits && (warp->live & ~lanes) == 0)
    phases.meet |= 1u << context.warp;
  else
    phases.some_part = true;
}

void BlockRun::note_arrival_of(const BlockRun &other, std::uint32_t barrier, Told told) {
  other.add_block(told.seen);
  phases_of(barrier).of_others.join(told, tracks_);
}

/// Turns a release within this block into what other blocks acquire from it.
void BlockRun::add_block(Seen &told) const {
  const std::uint64_t epoch = context.epoch_cell == UINT64_MAX ? time_ : context.epoch_cell >> 32;
  told.others.add({block_number_ << 6 | whole_block, static_cast<std::uint32_t>(epoch), UINT32_MAX});
  for (std::uint32_t w = 0; w < warps_.size(); ++w)
    if (told.latest(w) > epoch) told.others.add({block_number_ << 6 | w, told.latest(w), UINT32_MAX});
  told.before = {};
  told.some = {};
  told.has_some = false;
}

void BlockRun::hear_phase(std::uint32_t barrier, std::uint32_t lanes, const Site &site) {
  products.acquire(context.warp, barrier);
  if (!watching_) return;
  hear();
  const Phases &phases = phases_of(barrier);
  hear_told(phases.over, lanes, site.acquires);
  if (cluster_ && !is_narrow(site.scope)) hear_told(phases.over_of_others, lanes, site.acquires);
}

void BlockRun::hear_told(const Told &told, std::uint32_t lanes, bool acquires) {
  if (tracks_) join_order(orders_[context.warp], told.order);
  if (acquires) return learn(lanes, told.seen);
  if (!program.orders_warps) return;
  unfenced_[context.warp].join(told.seen);
  needs_fence_[context.warp] = true;
}

void BlockRun::learn(std::uint32_t lanes, const Seen &seen) {
  if (are_all_lanes(lanes)) return seen_[context.warp].join(seen);
  heard_by_some_[context.warp].seen.join(seen);
  share_heard(*warp, lanes);
}

/// What some lanes of the warp know, these know too.
void BlockRun::share_heard(const Warp &w, std::uint32_t lanes) {
  if (!hears_) return;
  HeardBySome &heard = heard_by_some_[w.index];
  heard.lanes |= lanes;
  if ((w.live & ~heard.lanes) != 0) return;
  seen_[w.index].join(heard.seen);
  heard = {};
}

void BlockRun::complete_phase(std::uint32_t barrier) {
  forget_transactions(barrier);
  Phases &phases = phases_of(barrier);
  advance_time();
  for (Warp &one : warps_)
    std::erase_if(one.copies, [&](const PendingCopy &copy) {
      if (copy.barrier != barrier) return false;
      const std::uint64_t starter = std::uint64_t{block_time_} << 32 | std::uint64_t{one.index} << 5 |
                                    std::uint64_t{copy.site} << 12 | copy.lane;
      deliver_counted(copy.to, copy.bytes, copy.data, phases, starter);
      return true;
    });
  std::erase_if(remote_copies_, [&](const RemoteCopy &copy) {
    if (copy.barrier != barrier) return false;
    receive(copy, phases);
    return true;
  });
  const std::uint32_t meet = phases.some_part ? 0 : phases.meet;
  phases.end_phase(tracks_, cluster_ != nullptr);
  phases.over.seen.before[warps_of_block + phases.number] = time_ + 1;
  const bool all_meet = std::all_of(warps_.begin(), warps_.end(), [meet](const Warp &one) {
    return one.live == 0 || (meet >> one.index & 1) != 0;
  });
  all_meet ? order_block() : advance_time();
}

/// A copy that an mbarrier counts arrives: only threads that have waited for it observe it.
void BlockRun::deliver_counted(std::uint32_t to, std::uint32_t bytes, const std::byte *data, Phases &phases,
                               std::uint64_t starter) {
  define_shared(to, bytes);
  std::memcpy(context.shared + to, data, bytes);
  if (!context.writers) return;
  const std::uint64_t site = starter >> 12 & cell_sites;
  phases.started[static_cast<std::uint32_t>(site)] = starter;
  const std::uint64_t cell = std::uint64_t{time_} << 32 | site << 12 | writer_pending | phases.number;
  for (std::uint64_t i = to >> cell_shift(); i <= (to + bytes - 1) >> cell_shift(); ++i)
    (context.writers[i] == remote_mark ? shared.remote(i).hidden : context.writers[i]) = cell;
}

std::uint64_t BlockRun::who_started(std::uint64_t writer) const {
  const auto site = static_cast<std::uint32_t>(writer >> 12 & cell_sites);
  for (const auto &[barrier, phases] : phases_) {
    if (phases.number != (writer & cell_thread)) continue;
    if (const auto known = phases.started.find(site); known != phases.started.end()) return known->second;
  }
  return writer & ~std::uint64_t{writer_pending | cell_thread};
}

}  // namespace warpgrade::simt
