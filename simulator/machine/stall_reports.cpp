#include "machine/stall_reports.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "machine/lanes.hpp"

namespace warpgrade::simt {

std::string place_text(const SourceLine &at) {
  return at.line == 0 ? std::string("an unknown line") : fmt::format("{}:{}", at.file, at.line);
}

bool polls(const Program &program, const Warp &w) {
  if (w.groups.empty()) return false;
  bool reads_flags = false;
  for (const Group &group : w.groups) {
    const Block &block = program.blocks[group.block];
    if (block.end == End::barrier && block.barrier != BarrierKind::arrive) continue;
    if (!block.may_spin) return false;
    for (std::uint32_t i = block.first; i < block.last; ++i) {
      const Op &op = program.ops[i];
      if (!op.accesses_memory) continue;
      if (program.sites[op.site].action != Site::Action::load) return false;
      reads_flags = reads_flags || program.sites[op.site].is_volatile;
    }
  }
  return reads_flags;
}

Side first_wait(const BlockRun &run) {
  for (const Warp &w : run.all_warps()) {
    if (!w.waits) continue;
    const auto at = std::find_if(w.groups.begin(), w.groups.end(), [&run](const Group &group) {
      return run.program.blocks[group.block].end != End::barrier;
    });
    const Group &group = at == w.groups.end() ? w.groups.front() : *at;
    const Block &block = run.program.blocks[group.block];
    const SourceLine line =
        run.line_of(block.last > block.first ? run.program.op_locations[block.first] : block.location);
    return run.side(w.index, first_lane(group.mask), line);
  }
  return run.side(0, 0, {});
}

void report_divergent_warp(const BlockRun &run, const Warp &w) {
  const Group &first = w.groups.front();
  const Block &block = run.program.blocks[first.block];
  const Side here = run.side(w.index, first_lane(first.mask), run.line_of(block.location));
  if (w.groups.size() == 1) {  // a sync that is ready would have run
    run.fail(
        run.diagnostic(Code::deadlock, Severity::error, here, "the warp waits for lanes that never arrive"));
  }
  const Group &second = w.groups[1];
  const Block &other = run.program.blocks[second.block];
  const Side there = run.side(w.index, first_lane(second.mask), run.line_of(other.location));
  const bool barriers = block.end == End::barrier && other.end == End::barrier;
  const bool tensor = block.whole_warp || other.whole_warp;
  Diagnostic made = run.diagnostic(
      barriers || tensor ? Code::barrier_divergence : Code::deadlock, Severity::error, here,
      barriers ? fmt::format("threads of one warp wait at different barriers: {} at {}, {} at {}",
                             lanes_in(first.mask), place_text(here.at), lanes_in(second.mask),
                             place_text(there.at))
      : tensor
          ? fmt::format("a tensor-core instruction needs all 32 lanes of the warp together: {} of them are "
                        "here, {} at {}",
                        lanes_in(first.mask), lanes_in(second.mask), place_text(there.at))
          : fmt::format("threads of one warp wait for each other: {} of them here, {} at {}",
                        lanes_in(first.mask), lanes_in(second.mask), place_text(there.at)));
  made.other = there;
  run.fail(std::move(made));
}

void report_different(const BlockRun &run, const std::vector<const Warp *> &waiting, const Side &here,
                      const Side &there) {
  std::uint32_t at_here = 0, at_there = 0;
  for (const Warp *w : waiting)
    for (const Group &group : w->groups) {
      const SourceLine line = run.line_of(run.program.blocks[group.block].location);
      if (line == here.at) at_here += lanes_in(group.mask);
      if (line == there.at) at_there += lanes_in(group.mask);
    }
  Diagnostic made = run.diagnostic(
      Code::barrier_divergence, Severity::error, here,
      fmt::format("threads of one block wait at different barriers: {} at {}, {} at {}; every thread has to "
                  "reach the same __syncthreads()",
                  at_here, place_text(here.at), at_there, place_text(there.at)));
  made.other = there;
  run.fail(std::move(made));
}

void report_stuck(const BlockRun &run) {
  const Warp *first = nullptr, *second = nullptr;
  for (const Warp &w : run.all_warps()) {
    if (w.state != Warp::State::at_barrier) continue;
    if (!first)
      first = &w;
    else if (!second && barrier_of(run.program, w).location != barrier_of(run.program, *first).location)
      second = &w;
  }
  const Side here = run.side(first->index, first_lane(first->groups.front().mask),
                             run.line_of(barrier_of(run.program, *first).location));
  if (!second)
    run.fail(
        run.diagnostic(Code::deadlock, Severity::error, here,
                       "the threads of the block wait at a barrier that needs more threads than there are"));
  const Side there = run.side(second->index, first_lane(second->groups.front().mask),
                              run.line_of(barrier_of(run.program, *second).location));
  std::vector<const Warp *> waiting;
  for (const Warp &w : run.all_warps())
    if (w.state == Warp::State::at_barrier) waiting.push_back(&w);
  report_different(run, waiting, here, there);
}

void report_grid_wait(const BlockRun &run) {
  run.fail(
      run.diagnostic(Code::deadlock, Severity::error, first_wait(run),
                     "the block waits for other blocks of the grid that never come: each has ended or waits "
                     "itself; does every thread of the grid reach this grid.sync()?"));
}

void report_vain_wait(const BlockRun &run, const VainWait &wait) {
  const Transactions &bytes = wait.bytes;
  std::string why =
      fmt::format("the thread waits at an mbarrier for arrivals that never come: {} of {} are missing",
                  wait.missing, wait.expected);
  if (wait.missing == 0 && bytes.expected > bytes.copied)
    why = fmt::format(
        "the thread waits at an mbarrier for bytes that never come: it expects {}, and copies "
        "bring {}",
        bytes.expected, bytes.copied);
  else if (wait.missing == 0)
    why = fmt::format(
        "the thread waits at an mbarrier whose copies bring more bytes than it expects: {} "
        "instead of {}",
        bytes.copied, bytes.expected);
  run.fail(run.diagnostic(Code::deadlock, Severity::error,
                          run.side(wait.warp, wait.lane, run.line_of(*wait.op)), std::move(why)));
}

}  // namespace warpgrade::simt
