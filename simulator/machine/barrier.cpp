// Barriers of a block: which warps wait where, and what to report when they wait forever.
#include <fmt/format.h>

#include <algorithm>

#include "machine/block_run.hpp"
#include "machine/checks/warpgroup_checks.hpp"
#include "machine/lanes.hpp"
#include "machine/recorder.hpp"
#include "machine/resolve.hpp"
#include "machine/stall_reports.hpp"

namespace warpgrade::simt {
/// Called when no warp can run. Opens a barrier; false when all warps are done.
bool BlockRun::release_barriers() {
  const auto stuck = std::find_if(warps_.begin(), warps_.end(), [this](const Warp &w) {
    return waits_at(program, w, BarrierKind::warpgroup);
  });
  if (stuck != warps_.end()) {
    if (!release_counted_barriers()) report_warpgroup_wait(*this, *stuck);
    return true;
  }
  if (std::none_of(warps_.begin(), warps_.end(),
                   [](const Warp &w) { return w.state == Warp::State::at_barrier; }))
    return false;
  if (!open_barriers(true)) report_stuck(*this);
  return true;
}

/// Opens barriers that have as many threads as they ask for, while others of the block may still come or wait
/// in another way.
bool BlockRun::release_counted_barriers() {
  return open_barriers(false);
}

/// complete: all warps that have not ended wait at barriers
bool BlockRun::open_barriers(bool complete) {
  for (std::vector<Warp *> &here : waiting_) here.clear();
  std::size_t all = 0;
  for (Warp &w : warps_) {
    if (w.state != Warp::State::at_barrier || waits_at(program, w, BarrierKind::warpgroup) ||
        waits_for_cluster(w))
      continue;
    ++all;
    const Block &barrier = barrier_of(program, w);
    if ((barrier.id & 1) == 0) enter(w);  // the id is in a register of the warp
    const std::uint64_t id = value(barrier.id, first_lane(w.groups.front().mask), false);
    if (id >= waiting_.size()) {
      enter(w);
      fail(diagnostic(Code::barrier_divergence, Severity::error,
                      side(w.index, first_lane(w.groups.front().mask), line_of(barrier.location)),
                      fmt::format("barrier {} does not exist: there are 16", id)));
    }
    waiting_[id].push_back(&w);
  }
  bool released = false;
  for (std::uint32_t id = 0; id < waiting_.size(); ++id) {
    const std::vector<Warp *> &here = waiting_[id];
    if (here.empty()) continue;
    enter(*here.front());
    const Block &barrier = barrier_of(program, *here.front());
    bool open = complete && here.size() == all;
    if (barrier.has_count) {
      const std::uint64_t wanted = value(barrier.count, first_lane(here.front()->groups.front().mask), false);
      open = here.size() * 32 + arrivals_[id] >= wanted;
    }
    if (!open) continue;
    release(id, here);
    released = true;
  }
  return released;
}

void BlockRun::release(std::uint32_t id, const std::vector<Warp *> &waiting) {
  const Warp &first = *waiting.front();
  const std::int32_t location = barrier_of(program, first).location;
  const std::uint32_t lane = first_lane(first.groups.front().mask);
  std::uint32_t count = 0, all = 0;
  for (Warp *w : waiting) {
    for (const Group &group : w->groups) {
      const Block &block = program.blocks[group.block];
      if (block.aligned && !block.has_count && block.location != location &&
          !(line_of(block.location) == line_of(location))) {
        enter(*w);
        report_different(*this, {waiting.begin(), waiting.end()}, side(first.index, lane, line_of(location)),
                         side(w->index, first_lane(group.mask), line_of(block.location)));
      }
      all += lanes_in(group.mask);
      if (block.barrier == BarrierKind::sync) continue;
      enter(*w);
      if (undefined_) undefined_->look_at_condition(block.source, block.location, group.mask);
      std::uint32_t holds;
      __builtin_memcpy(&holds, context.base[block.source & 1] + block.source, 4);
      if (block.source_negated) holds = ~holds;
      count += lanes_in(holds & group.mask);
    }
  }
  if (some_exited_ && !barrier_of(program, first).has_count && all < threads_) {
    const Side gone = side(first_exit_.warp, first_exit_.lane, line_of(first_exit_.location));
    const SourceLine line = line_of(location);
    enter(*waiting.back());
    Diagnostic made = diagnostic(
        Code::barrier_divergence, Severity::warning, side(first.index, lane, line),
        fmt::format(
            "{} of the block {} at the barrier in {}, and {} have left the kernel at {} and never reach it",
            all == 1 ? "1 thread" : fmt::format("{} threads", all), all == 1 ? "waits" : "wait",
            place_text(line), threads_ - all, place_text(gone.at)));
    made.other = gone;
    note(std::move(made));
  }
  ++barriers_;
  arrivals_[id] = 0;
  // Of a barrier with a count, a warp that has ended may have gone on after it arrived.
  const bool counted = barrier_of(program, first).has_count;
  const auto passes = [&waiting, counted](const Warp &w) {
    if (w.state == Warp::State::done && !counted) return true;
    return std::find(waiting.begin(), waiting.end(), &w) != waiting.end();
  };
  const bool whole = waiting.size() == warps_.size() || std::all_of(warps_.begin(), warps_.end(), passes);
  for (const Warp *w : waiting) order.sync_warp(*w);
  if (!whole) order.pass(id, waiting);
  ++time_;
  const std::uint64_t now = std::uint64_t{time_} << 32;
  if (whole) {
    begin_epoch();
    order.forget_arrivals();
  }
  if (cluster.joined()) ClusterPort::share(warps_);
  if (!products.empty())
    for (Warp *w : waiting) {
      enter(*w);
      products.release(w->index, id);
    }
  for (Warp *w : waiting) {
    enter(*w);
    if (!products.empty()) products.acquire(w->index, id);
    w->warp_cell = now;
    w->state = Warp::State::ready;
    for (Group &group : w->groups) {
      const Block &block = program.blocks[group.block];
      BlockStatistics &statistics = statistics_[group.block];
      ++statistics.executions;
      statistics.lanes += lanes_in(group.mask);
      charge(block.instructions);
      if (recorder_) recorder_->release(*this, w->index, block.location, group.mask);
      if (block.barrier == BarrierKind::red_popc) {
        for (std::uint32_t rest = group.mask; rest; rest &= rest - 1)
          __builtin_memcpy(context.rows + block.d + first_lane(rest) * 4, &count, 4);
      } else if (block.barrier == BarrierKind::red_and || block.barrier == BarrierKind::red_or) {
        const bool holds = block.barrier == BarrierKind::red_and ? count == all : count > 0;
        std::uint32_t predicate;
        __builtin_memcpy(&predicate, context.rows + block.d, 4);
        predicate = holds ? predicate | group.mask : predicate & ~group.mask;
        __builtin_memcpy(context.rows + block.d, &predicate, 4);
      }
      if (undefined_ && block.barrier != BarrierKind::sync) undefined_->define(block.d, group.mask);
      group.block = block.next;
      group.waiting = false;
    }
    // Groups that waited at different places of one unaligned barrier may merge after it.
    for (std::size_t i = 0; i < w->groups.size(); ++i) w->merge(i);
  }
}

void BlockRun::note_poll(const Site &site, bool writes) {
  constexpr std::uint32_t most_polls = 64;
  if (site.spins && !writes && warp->groups.size() == 1 && ++vain_looks_ >= most_polls) turn_left_ = 1;
}

/// Whether each flag that the block's warps poll is in memory that the host shares.
bool BlockRun::waits_for_host() {
  bool any = false;
  for (Warp &w : warps_) {
    if (w.state != Warp::State::ready) continue;
    enter(w);
    for (const Group &group : w.groups) {
      const Block &block = program.blocks[group.block];
      for (std::uint32_t i = block.first; i < block.last; ++i) {
        const Op &op = program.ops[i];
        if (!op.accesses_memory || !program.sites[op.site].is_volatile) continue;
        std::uint64_t addresses[32];
        addresses_of(op, program.sites[op.site], context, addresses);
        const Address flag = addresses[first_lane(group.mask)];
        const Allocation *const found = launch.memory->find(flag, flag + 1);
        if (!found || !found->data || found->data.get_deleter().owned) return false;
        any = true;
      }
    }
  }
  return any;
}

void BlockRun::look_for_host_wait() {
  if (!waits_for_host()) return;
  fail(diagnostic(Code::unsupported, Severity::error, first_wait(*this),
                  "the kernel waits for the host to write to mapped or managed memory; the simulator runs a "
                  "kernel to its end before the host goes on"),
       Status::unsupported);
}

void BlockRun::report_endless_wait(std::uint64_t not_started) {
  for (Warp &w : warps_)
    if (w.state == Warp::State::ready) {
      enter(w);
      break;
    }
  const std::string others =
      not_started == 0
          ? std::string()
          : fmt::format("; {} of its blocks have not started, because no others fit", not_started);
  fail(diagnostic(
           Code::time_limit, Severity::error, place_now(),
           fmt::format("the kernel waits for ever: its warps read the same words again and again, and no "
                       "thread changes them{}{}",
                       others, awaited_word())),
       Status::time_limit);
}

}  // namespace warpgrade::simt
