// Running one warp: groups of lanes at different places, the lowest one first, so that they meet again.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "machine/block_run.hpp"
#include "machine/checks/warpgroup_checks.hpp"
#include "machine/lanes.hpp"
#include "machine/recorder.hpp"
#include "machine/stall_reports.hpp"

namespace warpgrade::simt {
namespace {

constexpr std::uint32_t spin_limit = 50'000;  // blocks that a group may run while others of its warp could; a
                                              // block with an atomic or volatile access counts as 100
// After that, the group that has waited longest has a turn of as many blocks, in which such a block counts as more, since
// this group may poll too. Then the lowest one may run so many blocks again.
constexpr std::uint32_t cost_of_look_in_turn = 1000, share_of_lowest = 2000;
constexpr std::uint32_t warp_turn = 1 << 18;  // blocks that a warp may run before the next warp has its turn
// What such a block counts in a warp's turn: the warp may wait for another one there. A turn is long enough that
// each group of a warp has its share of it.
constexpr std::uint32_t cost_of_look = 256;
// The same where all blocks of the grid take turns, and for a warp that waits for another block.
constexpr std::uint32_t turn_together = 256, turn_of_waiting = 8;
// The same where blocks take turns to share work that the first one would do alone.
constexpr std::uint32_t turn_to_share = 32;

}  // namespace

void set_mask(Context &context, std::uint32_t mask) {
  if (context.mask == mask) return;
  context.mask = mask;
  for (int i = 0; i < 32; ++i) context.lanes[i] = 0 - (mask >> i & 1);
}

void run_guarded(const Op &op, Context &context) {
  const std::uint32_t before = context.mask;
  const Ref ref = op.guard & ~Ref{2};
  std::uint32_t holds;
  __builtin_memcpy(&holds, context.base[ref & 1] + ref, 4);
  if (op.guard & 2) holds = ~holds;
  const std::uint32_t mask = before & holds;
  context.guard_lost[op.slot] += lanes_in(before & ~holds);
  if (mask == 0) return;
  set_mask(context, mask);
  try {
    op.guarded(op, context);
  } catch (const Undefined::Found &found) {  // the operation begins once more, unless it is done
    if (!found.done) context.guard_lost[op.slot] -= lanes_in(before & ~holds);
    throw;
  }
  set_mask(context, before);
}

/// Whether what the group waits for during its warp's turn has happened.
bool BlockRun::may_go_on(const Warp &w, const Block &block, const Group &group) {
  if (block.end == End::barrier)
    return block.barrier == BarrierKind::cluster_wait
               ? cluster_ready(w, block, group.mask)
               : block.barrier == BarrierKind::warpgroup && products.may_continue(w, block, group);
  return block.end == End::sync && sync_ready(w, block, group);
}

/// The lowest group that can run; waiting ones count when what they wait for has happened. -1 if there is
/// none.
int BlockRun::pick(Warp &w) {
  int best = -1;
  for (std::size_t i = 0; i < w.groups.size(); ++i) {
    Group &group = w.groups[i];
    const Block &block = program.blocks[group.block];
    if (group.waiting && !may_go_on(w, block, group)) continue;
    if (best < 0 || group.block < w.groups[static_cast<std::size_t>(best)].block) best = static_cast<int>(i);
  }
  return best;
}

/// Of the groups that can run, the one with the lane that has waited longest for a turn. Lanes that part keep their times,
/// so lanes that poll, and meet and part again, do not come before one that could go on.
std::size_t BlockRun::waited_longest(const Warp &w, std::size_t index) {
  for (std::size_t i = 0; i < w.groups.size(); ++i) {
    const Group &group = w.groups[i];
    if (group.turn >= w.groups[index].turn) continue;
    if (!group.waiting || may_go_on(w, program.blocks[group.block], group)) index = i;
  }
  return index;
}

void BlockRun::run_warp(Warp &w) {
  // Kept from turn to turn: these may be shorter than it takes to notice that a lane spins.
  std::uint32_t &spins = w.spins;
  wait_detector.begin_turn();
  vain_looks_ = 0;
  others_first_ = false;
  ++warp_turns_;
  turn_left_ = !launch.together  ? warp_turn
               : w.waits         ? turn_of_waiting
               : launch.in_turns ? turn_to_share
                                 : turn_together;
  turn_given_ = turn_left_;
  const std::uint32_t look = launch.together ? 1 : cost_of_look;
  while (!w.groups.empty()) {
    const int lowest = pick(w);
    if (lowest < 0) return nothing_runs(w);
    auto index = static_cast<std::size_t>(lowest);
    std::uint32_t turn = 1;
    const bool in_turn = spins > spin_limit && w.groups.size() > 1;
    if (w.groups.size() == 1) {
      spins = 0;
    } else if (in_turn) {
      // A lane that spins on a lock must not starve the one that holds it.
      spins = spin_limit - share_of_lowest;
      turn = spin_limit;
      index = waited_longest(w, index);
      w.groups[index].turn = ++turns_;
    }
    while (turn > 0 && index < w.groups.size()) {
      const bool may_spin = program.blocks[w.groups[index].block].may_spin;
      turn -= std::min(turn, may_spin ? cost_of_look_in_turn : 1);
      if (may_spin && !in_turn) spins += w.groups.size() > 1 ? 100 : 0;
      w.groups[index].waiting = false;
      bool alone = true;
      while (alone && turn_left_ > 0) {
        const Block &block = program.blocks[w.groups[index].block];
        const std::uint32_t cost = block.may_spin ? look : 1, mask = w.groups[index].mask;
        alone = run_group(w, index);
        wait_detector.note_block(block.looks, block.acts);
        turn_left_ -= std::min(turn_left_, cost);
        if (wait_detector.records() && (block.looks || block.stores)) [[unlikely]] {
          note_looks(block, mask);
          if (wait_detector.only_looks()) return;
        }
      }
      if (turn_left_ == 0) return;  // other warps too
      if (!in_turn) ++spins;
      if (std::exchange(others_first_, false)) {
        spins = spin_limit + 1;
        break;
      }
      if (index < w.groups.size() && w.groups[index].waiting) break;
    }
  }
  w.state = Warp::State::done;
}

/// Whether the group continues after a barrier immediately. One of the block opens when all warps wait:
/// release_barriers(). Not inlined: the loop over basic blocks is faster without it.
[[gnu::noinline]] bool BlockRun::passes_barrier(Warp &w, const Block &block, Group &group) {
  bool passes = true;
  switch (block.barrier) {
    case BarrierKind::arrive: {
      const std::uint32_t id = value(block.id, first_lane(group.mask), false) & 15;
      arrivals_[id] += 32;
      order.arrive(id);
      products.release(w.index, id);
      break;
    }
    case BarrierKind::warpgroup:
      passes = products.may_continue(w, block, group);
      break;
    case BarrierKind::cluster_arrive:
      arrive_at_cluster(w, block, group.mask);
      break;
    case BarrierKind::cluster_wait:
      passes = cluster_ready(w, block, group.mask);
      if (passes) cluster.pass(w, group.mask);
      break;
    default:
      follow(w, group.block);
      passes = false;
  }
  if (recorder_) recorder_->arrive(*this, w.index, block.location, group.mask);
  group.waiting = !passes;
  return passes;
}

/// Runs one basic block of a group. False when the group waits, ended, or should be chosen again.
bool BlockRun::run_group(Warp &w, std::size_t &index) {
  Group &group = w.groups[index];
  const Block &block = program.blocks[group.block];
  if (block.end == End::barrier) {
    if (!passes_barrier(w, block, group)) return false;
  } else if (block.end == End::sync) {
    if (!sync_ready(w, block, group)) {
      group.waiting = true;
      return false;
    }
    if (unnamed_ != 0) [[unlikely]]
      report_unnamed(block);
    if (recorder_) [[unlikely]]
      recorder_->sync(context, block, group.mask);
  }
  BlockStatistics &statistics = statistics_[group.block];
  ++statistics.executions;
  statistics.lanes += lanes_in(group.mask);
  charge(block.instructions);
  follow(w, group.block);
  run_ops(block, group.mask);
  if (undefined_) look_at_end(block, group.mask);
  return finish_basic_block(w, index, block);
}

void BlockRun::run_ops(const Block &block, std::uint32_t mask) {
  set_mask(context, mask);
  const Op *const op = program.ops.data() + block.first, *const end = program.ops.data() + block.last;
  if (!products.empty() && launch.options.check_races) watch_registers(*this, op, end);
  if (undefined_) return undefined_->run(op, end, mask);
  try {
    run_plainly(op, end, mask);
  } catch (const Undefined::Found &found) {
    undefined_ = std::make_unique<Undefined>(*this);
    set_mask(context, mask);
    if (found.done) undefined_->take_replaced(*found.op);
    undefined_->run(found.op + (found.done ? 1 : 0), end, mask);
  }
}

/// What decides where the lanes go on must have a value.
void BlockRun::look_at_end(const Block &block, std::uint32_t mask) {
  if (block.end != End::branch && block.end != End::table && !block.guarded) return;
  const std::int32_t location =
      block.last > block.first ? program.op_locations[block.last - 1] : block.location;
  undefined_->look_at_condition(block.condition, location, mask);
}

void BlockRun::run_plainly(const Op *op, const Op *end, std::uint32_t mask) {
  if ((context.live & ~mask) == 0) {
    if (op == end) return;
    context.end = end;
    program.loop(*op, context);
  } else {
    for (; op != end; ++op) op->masked(*op, context);
  }
}

/// Removes lanes that exit.
void BlockRun::leave(Warp &w, std::size_t &index, const Block &block, std::uint32_t mask) {
  if (recorder_) recorder_->leave(*this, w.index, block.location, mask);
  w.live &= ~mask;
  context.live = w.live;
  if (!some_exited_) {
    // A `return` mostly jumps to the one exit of the kernel, which has no line worth naming: the test that
    // decided on it has.
    const std::uint32_t decided = w.groups[index].decided;
    const bool bare = !block.guarded && block.first == block.last && decided < program.blocks.size();
    first_exit_ = {w.index, first_lane(mask), bare ? program.blocks[decided].location : block.location};
  }
  some_exited_ = true;
  w.groups[index].mask &= ~mask;
  if (w.groups[index].mask == 0) {
    w.remove(index);
    index = w.groups.size();
  }
}

void BlockRun::note_divergence(const Block &block) {
  ++statistics_[static_cast<std::size_t>(&block - program.blocks.data())].divergences;
}

/// The lanes that a branch or a guarded exit sends each way.
[[gnu::noinline]] void BlockRun::note_choice(const Block &block, std::uint32_t mask, std::uint32_t taken) {
  if (recorder_ && block.end == End::branch) recorder_->branch(context, block, mask, taken);
  if (branches.empty()) return;
  BranchCount &count = branches[static_cast<std::size_t>(&block - program.blocks.data())];
  count.ptx_line = block.last_line;
  count.taken += lanes_in(taken);
  count.not_taken += lanes_in(mask & ~taken);
}

bool BlockRun::finish_basic_block(Warp &w, std::size_t &index, const Block &block) {
  Group &group = w.groups[index];
  const std::uint32_t mask = group.mask;
  const auto condition = [&] {
    std::uint32_t holds;
    __builtin_memcpy(&holds, context.base[block.condition & 1] + block.condition, 4);
    return (block.negated ? ~holds : holds) & mask;
  };
  switch (block.end) {
    case End::next:
    case End::sync:
      group.block = block.next;
      break;
    case End::jump:
      group.block = block.target;
      break;
    case End::branch: {
      const std::uint32_t taken = condition();
      if (notes_choices_) [[unlikely]]
        note_choice(block, mask, taken);
      group.decided = static_cast<std::uint32_t>(&block - program.blocks.data());
      if (taken == mask) {
        group.block = block.target;
      } else {
        group.block = block.next;
        if (taken != 0) {
          note_divergence(block);
          group.mask = mask & ~taken;
          const std::uint32_t decided = group.decided;
          const std::uint64_t turn = group.turn;
          w.merge(index);
          w.add({block.target, taken, false, turn, decided});
          return false;
        }
      }
      break;
    }
    case End::exit: {
      const std::uint32_t gone = block.guarded ? condition() : mask;
      if (block.guarded && notes_choices_) [[unlikely]]
        note_choice(block, mask, gone);
      if (gone != mask) group.block = block.next;
      if (gone != 0) leave(w, index, block, gone);
      if (index == w.groups.size()) return false;
      break;
    }
    case End::ret: {
      const std::uint32_t gone = block.guarded ? condition() : mask;
      if (block.guarded && notes_choices_) [[unlikely]]
        note_choice(block, mask, gone);
      if (gone == 0) {
        group.block = block.next;
        break;
      }
      do_return(w, index, block, gone);
      return false;
    }
    case End::table: {
      const auto &table = program.tables[block.target];
      std::uint32_t left = mask;
      const std::uint64_t turn = group.turn;
      w.remove(index);
      while (left != 0) {
        const auto entry = static_cast<std::uint32_t>(value(block.condition, first_lane(left), false));
        std::uint32_t same = 0;
        for (std::uint32_t rest = left; rest; rest &= rest - 1)
          if (static_cast<std::uint32_t>(value(block.condition, first_lane(rest), false)) == entry)
            same |= 1u << first_lane(rest);
        if (left == mask && same != mask) note_divergence(block);
        if (entry >= table.size())
          fail(diagnostic(Code::unsupported, Severity::error,
                          side(w.index, first_lane(left), line_of(block.location)),
                          "brx.idx: the index is beyond the table"),
               Status::unsupported);
        w.add({table[entry], same, false, turn});
        left &= ~same;
      }
      return false;
    }
    case End::call: {
      if (block.recursive) push_frames(w, block, mask);
      if (!program.unset.empty()) forget_registers(block.target, mask);
      for (std::uint32_t rest = mask; rest; rest &= rest - 1)
        __builtin_memcpy(context.rows + block.return_row + first_lane(rest) * 4, &block.next, 4);
      group.block = block.target;
      break;
    }
    case End::trap:
      fail(diagnostic(
          Code::trap, Severity::error, side(w.index, first_lane(mask), line_of(block.location)),
          program.waits_for_grid && launch.workspace == 0
              ? "grid.sync() in a launch that is not cooperative (or __trap()); launch the kernel with "
                "cudaLaunchCooperativeKernel"
              : "the kernel called __trap()"));
    case End::unsupported:
      fail(diagnostic(Code::unsupported, Severity::error,
                      side(w.index, first_lane(mask), line_of(block.location)), block.why),
           Status::unsupported);
    case End::barrier:
      group.block = block.next;
      break;  // bar.arrive does not wait, and wgmma.wait_group has waited
  }
  if (w.groups.size() > 1) {
    w.merge(index);
    return false;
  }
  return true;
}

/// Saves the registers of recursive functions before one of them is called.
void BlockRun::push_frames(const Warp &w, const Block &block, std::uint32_t mask) {
  for (std::uint32_t rest = mask; rest; rest &= rest - 1) {
    const std::uint32_t lane = first_lane(rest);
    if (const char *problem = frames_.push(context, lane, program.local_bytes))
      fail(diagnostic(
          Code::out_of_bounds, Severity::error, side(w.index, lane, line_of(block.location)),
          fmt::format("the stack of the thread overflows: {} {}", frames_.depth(context, lane), problem)));
  }
}

void BlockRun::pop_frame(std::uint32_t lane) {
  frames_.pop(context, lane);
  if (!undefined_) return;
  const FrameRows &rows = program.frame;
  for (const auto *list : {&rows.words, &rows.wides, &rows.predicates})
    for (const Ref ref : *list) undefined_->define(ref, 1u << lane);
}

/// Sends lanes back to where each was called from.
void BlockRun::do_return(Warp &w, std::size_t &index, const Block &block, std::uint32_t mask) {
  const std::uint64_t turn = w.groups[index].turn;
  w.groups[index].mask &= ~mask;
  if (w.groups[index].mask == 0) {
    w.remove(index);
  } else {
    w.groups[index].block = block.next;
    w.merge(index);
  }
  std::uint32_t targets[32];
  for (std::uint32_t rest = mask; rest; rest &= rest - 1) {
    const std::uint32_t lane = first_lane(rest);
    targets[lane] = static_cast<std::uint32_t>(value(block.return_row, lane, false));
    if (block.recursive) pop_frame(lane);
  }
  while (mask != 0) {
    const std::uint32_t to = targets[first_lane(mask)];
    std::uint32_t same = 0;
    for (std::uint32_t rest = mask; rest; rest &= rest - 1)
      if (targets[first_lane(rest)] == to) same |= 1u << first_lane(rest);
    w.add({to, same, false, turn});
    mask &= ~same;
  }
}

/// Whether every live lane that is named in the masks of the group's lanes is there.
bool BlockRun::sync_ready(const Warp &w, const Block &block, const Group &group) {
  std::uint32_t masks[32];
  std::memcpy(masks, context.base[block.id & 1] + block.id, sizeof masks);
  std::uint32_t named = 0, missing = 0;
  for (std::uint32_t lane = 0; lane < 32; ++lane) {  // of all lanes alike, since every shuffle comes here
    const std::uint32_t here = group.mask >> lane & 1;
    named |= masks[lane] & (0 - here);
    missing |= (here & ~(masks[lane] >> lane)) << lane;
  }
  unnamed_ = missing;
  return (named & w.live & ~group.mask) == 0;
}

/// Lanes have come to a shuffle, vote or __syncwarp() with a mask that leaves them out.
void BlockRun::report_unnamed(const Block &block) {
  const std::uint32_t lane = first_lane(unnamed_);
  note(diagnostic(Code::invalid_shuffle, Severity::error, side(context.warp, lane, line_of(block.location)),
                  fmt::format("the thread is lane {} of its warp, but its mask {:#010x} does not name it",
                              lane, value(block.id, lane, false))));
}

/// All groups wait: at one barrier, which is fine, or for each other.
void BlockRun::nothing_runs(Warp &w) {
  bool same = true;
  for (const Group &group : w.groups) {
    const Block &block = program.blocks[group.block];
    if (block.end != End::barrier) report_divergent_warp(*this, w);
    const bool in_cluster = block.barrier == BarrierKind::cluster_wait;
    const Block &first = program.blocks[w.groups.front().block];
    if (block.aligned && w.groups.size() > 1) same = false;
    if (in_cluster != (first.barrier == BarrierKind::cluster_wait)) same = false;
  }
  if (!same) report_divergent_warp(*this, w);
  w.state = Warp::State::at_barrier;
}

}  // namespace warpgrade::simt
