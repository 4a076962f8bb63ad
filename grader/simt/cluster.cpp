// The barrier of a cluster, and which accesses of other blocks a warp knows of.
#include "simt/cluster.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "simt/block_run.hpp"
#include "simt/lanes.hpp"

namespace warpgrade::simt {
void Cluster::begin() {
  phase = all_before = 0;
  for (auto &one : horizons) one.assign(blocks.size() * warps_of_block, 0);
}

std::size_t Cluster::rank_of(std::uint64_t block_number) const {
  std::size_t rank = 0;
  while (rank < blocks.size() && blocks[rank]->block_number() != block_number) ++rank;
  return rank;
}

BlockRun *BlockRun::block_of_rank(std::size_t rank) {
  if (!cluster_) return rank == 0 ? this : nullptr;
  return rank < cluster_->blocks.size() ? cluster_->blocks[rank] : nullptr;
}

void BlockRun::join_cluster(Cluster &cluster, std::uint32_t rank) {
  cluster_ = &cluster;
  rank_ = rank;
}

bool BlockRun::shares_cluster(std::uint64_t cell) const {
  return cluster_ && cluster_->rank_of(shadow_->block_at(cell)) < cluster_->blocks.size();
}

bool BlockRun::has_met_cluster() const {
  return cluster_ && (warp->cluster_phase != 0 || cluster_->all_before != 0);
}

bool BlockRun::cluster_orders(std::uint64_t cell) const {
  if (cell == 0) return true;
  if (!cluster_) return false;
  const auto time = static_cast<std::uint32_t>(cell >> 32);
  if (time < cluster_->all_before) return true;
  return is_known_since(warp->cluster_phase, cell);
}

bool BlockRun::is_known_since(std::uint32_t phase, std::uint64_t cell) const {
  if (phase == 0) return false;
  const std::size_t rank = cluster_->rank_of(shadow_->block_at(cell));
  return rank < cluster_->blocks.size() &&
         cell >> 32 < cluster_->horizons[phase % 2][rank * warps_of_block + ((cell & cell_warp) >> 5)];
}

void BlockRun::arrive_at_cluster(Warp &w, const Block &block, std::uint32_t mask) {
  if ((w.cluster_owes & mask) != 0)
    fail(diagnostic(Code::barrier_divergence, Severity::error,
                    side(w.index, first_lane(w.cluster_owes & mask), line_of(block.location)),
                    "the thread arrives at the barrier of the cluster a second time without having waited "
                    "(barrier.cluster.wait, barrier_wait) in between"));
  order.time.advance();
  if (w.cluster_arrived == 0) w.cluster_time = 0;
  w.cluster_time = std::max(w.cluster_time, block.relaxed ? w.fence_time : time_);
  w.cluster_arrived |= mask;
  w.cluster_owes |= mask;
}

/// Ends the phase of the barrier if every thread of the cluster that lives has arrived.
void BlockRun::end_cluster_phase() {
  for (const BlockRun *one : cluster_->blocks)
    for (const Warp &w : one->warps_)
      if ((w.live & ~w.cluster_arrived) != 0) return;
  const std::vector<std::uint32_t> &before = cluster_->horizons[cluster_->phase % 2];
  std::vector<std::uint32_t> &horizons = cluster_->horizons[++cluster_->phase % 2];
  for (std::size_t rank = 0; rank < cluster_->blocks.size(); ++rank)
    for (Warp &w : cluster_->blocks[rank]->warps_) {
      const std::size_t at = rank * warps_of_block + w.index;
      // All that a warp did before it ended is released.
      horizons[at] = std::max(before[at], w.live == 0 ? time_ + 1 : w.cluster_time);
    }
  ++time_;
  for (BlockRun *one : cluster_->blocks) {
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
    return cell >> 32 < cluster_->all_before || cell == 0 || is_known_since(cluster_->phase, cell);
  });
}

void BlockRun::meet_others() {
  cluster_->all_before = time_ + 1;
  for (BlockRun *one : cluster_->blocks) {
    one->order_block();
    one->shared.uncover([this](std::uint64_t cell) { return cell >> 32 < cluster_->all_before; });
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

void BlockRun::pass_cluster(Warp &w, std::uint32_t mask) {
  w.cluster_owes &= ~mask;
  w.cluster_phase = cluster_->phase;
}

/// What one warp of the block has acquired from the cluster, all have after a barrier of the block.
void BlockRun::share_cluster() {
  std::uint32_t phase = 0;
  for (const Warp &w : warps_) phase = std::max(phase, w.cluster_phase);
  for (Warp &w : warps_) w.cluster_phase = phase;
}

bool BlockRun::waits_for_cluster(const Warp &w) const {
  return w.state == Warp::State::at_barrier &&
         std::any_of(w.groups.begin(), w.groups.end(), [this](const Group &group) {
           return program.blocks[group.block].barrier == BarrierKind::cluster_wait;
         });
}

bool BlockRun::waits_in_cluster() const {
  return cluster_ &&
         std::any_of(warps_.begin(), warps_.end(), [this](const Warp &w) { return waits_for_cluster(w); });
}

void BlockRun::report_cluster_wait() {
  std::uint32_t missing = 0;
  std::optional<Side> other;
  for (const BlockRun *one : cluster_->blocks)
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
