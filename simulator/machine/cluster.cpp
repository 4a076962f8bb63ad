// The barrier of a cluster, and which accesses of other blocks a warp knows of.
#include "machine/cluster.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "machine/block_run.hpp"
#include "machine/lanes.hpp"

namespace warpgrade::simt {

BlockRun *BlockRun::block_of_rank(std::size_t rank) {
  if (!cluster.joined()) return rank == 0 ? this : nullptr;
  return rank < cluster.size() ? cluster.cluster().blocks[rank] : nullptr;
}

void BlockRun::arrive_at_cluster(Warp &w, const Block &block, std::uint32_t mask) {
  if ((w.cluster_owes & mask) != 0)
    fail(diagnostic(Code::barrier_divergence, Severity::error,
                    side(w.index, first_lane(w.cluster_owes & mask), line_of(block.location)),
                    "the thread arrives at the barrier of the cluster a second time without having waited "
                    "(barrier.cluster.wait, barrier_wait) in between"));
  order.time.advance();
  ClusterPort::arrive(w, mask, block.relaxed ? w.fence_time : time_);
}

/// Ends the phase of the barrier if every thread of the cluster that lives has arrived.
void BlockRun::end_cluster_phase() {
  for (const BlockRun *one : cluster.cluster().blocks)
    for (const Warp &w : one->warps_)
      if ((w.live & ~w.cluster_arrived) != 0) return;
  const std::vector<std::uint32_t> &before = cluster.cluster().horizons[cluster.cluster().phase % 2];
  std::vector<std::uint32_t> &horizons = cluster.cluster().horizons[++cluster.cluster().phase % 2];
  for (std::size_t rank = 0; rank < cluster.cluster().blocks.size(); ++rank)
    for (Warp &w : cluster.cluster().blocks[rank]->warps_) {
      const std::size_t at = rank * warps_of_block + w.index;
      // All that a warp did before it ended is released.
      horizons[at] = std::max(before[at], w.live == 0 ? time_ + 1 : w.cluster_time);
    }
  ++time_;
  for (BlockRun *one : cluster.cluster().blocks) {
    // A relaxed arrival releases what was fenced; fences of one warp count for its block.
    bool releases = true, fenced = false;
    for (Warp &w : one->warps_) {
      releases = releases && (w.live == 0 || w.cluster_time != w.fence_time);
      fenced = fenced || w.fence_time != 0;
      w.cluster_arrived = 0;
    }
    one->meet_in_cluster(releases || fenced);
  }
  order.time.advance();
}

/// The threads of the block have met the others. orders: what each of them did before is visible in the block.
void BlockRun::meet_in_cluster(bool orders) {
  if (orders) {
    shared.enter_reads();
    begin_epoch();
  }
  shared.uncover([this](std::uint64_t cell) {
    return cell >> 32 < cluster.cluster().all_before || cell == 0 ||
           cluster.is_ordered_by(cluster.cluster().phase, cell, shared_shadow->block_at(cell));
  });
}

void BlockRun::meet_others() {
  cluster.cluster().all_before = time_ + 1;
  for (BlockRun *one : cluster.cluster().blocks) {
    one->order_block();
    one->shared.uncover([this](std::uint64_t cell) { return cell >> 32 < cluster.cluster().all_before; });
  }
  order.time.advance();
}

bool BlockRun::cluster_ready(const Warp &w, const Block &block, std::uint32_t mask) {
  if ((mask & ~w.cluster_owes) != 0)
    fail(diagnostic(
        Code::barrier_divergence, Severity::error,
        side(w.index, first_lane(mask & ~w.cluster_owes), line_of(block.location)),
        "the thread waits at the barrier of the cluster without having arrived (barrier.cluster.arrive, "
        "barrier_arrive) before"));
  if ((w.cluster_arrived & mask) != 0) end_cluster_phase();
  return (w.cluster_arrived & mask) == 0;
}

bool BlockRun::waits_for_cluster(const Warp &w) const {
  return w.state == Warp::State::at_barrier &&
         std::any_of(w.groups.begin(), w.groups.end(), [this](const Group &group) {
           return program.blocks[group.block].barrier == BarrierKind::cluster_wait;
         });
}

bool BlockRun::waits_in_cluster() const {
  return cluster.joined() &&
         std::any_of(warps_.begin(), warps_.end(), [this](const Warp &w) { return waits_for_cluster(w); });
}

void BlockRun::report_cluster_wait() {
  std::uint32_t missing = 0;
  std::optional<Side> other;
  for (const BlockRun *one : cluster.cluster().blocks)
    for (const Warp &w : one->warps_) {
      const std::uint32_t lanes = w.live & ~w.cluster_arrived;
      missing += lanes_in(lanes);
      if (lanes == 0 || other) continue;
      for (const Group &group : w.groups)
        if ((group.mask & lanes) != 0) {
          const Block &block = program.blocks[group.block];
          const SourceLine at =
              line_of(block.last > block.first ? program.op_locations[block.first] : block.location);
          other = one->side(w.index, first_lane(group.mask & lanes), at);
          break;
        }
    }
  const auto here =
      std::find_if(warps_.begin(), warps_.end(), [this](const Warp &w) { return waits_for_cluster(w); });
  const auto group = std::find_if(here->groups.begin(), here->groups.end(), [this](const Group &one) {
    return program.blocks[one.block].barrier == BarrierKind::cluster_wait;
  });
  Diagnostic made = diagnostic(
      Code::deadlock, Severity::error,
      side(here->index, first_lane(group->mask), line_of(program.blocks[group->block].location)),
      fmt::format(
          "the thread waits at the barrier of the cluster for {} that {} arrived and wait{} elsewhere; "
          "every thread of the cluster has to reach the same cluster.sync()",
          missing == 1 ? "1 thread" : fmt::format("{} threads", missing),
          missing == 1 ? "has not" : "have not", missing == 1 ? "s" : ""));
  made.other = other;
  fail(std::move(made));
}

}  // namespace warpgrade::simt
