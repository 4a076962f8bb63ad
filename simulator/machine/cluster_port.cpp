#include "machine/cluster_port.hpp"

#include <algorithm>

namespace warpgrade::simt {

void Cluster::begin() {
  phase = all_before = 0;
  for (auto &one : horizons) one.assign(size() * warps_of_block, 0);
}

std::size_t Cluster::rank_of(std::uint64_t block) const {
  return static_cast<std::size_t>(std::find(numbers.begin(), numbers.end(), block) - numbers.begin());
}

void ClusterPort::join(Cluster &cluster, std::uint32_t rank) {
  cluster_ = &cluster;
  rank_ = rank;
  cluster.numbers.resize(std::max<std::size_t>(cluster.numbers.size(), rank + 1));
}

void ClusterPort::begin(std::uint64_t block) {
  ended_ = false;
  accesses_.clear();
  if (cluster_) cluster_->numbers[rank_] = block;
}

bool ClusterPort::orders(std::uint64_t cell, std::uint64_t block, const Warp &w) const {
  if (cell == 0) return true;
  if (!cluster_) return false;
  return cell >> 32 < cluster_->all_before || is_ordered_by(w.cluster_phase, cell, block);
}

bool ClusterPort::is_ordered_by(std::uint32_t phase, std::uint64_t cell, std::uint64_t block) const {
  if (phase == 0) return false;
  const std::size_t rank = cluster_->rank_of(block);
  return rank < size() &&
         cell >> 32 < cluster_->horizons[phase % 2][rank * warps_of_block + ((cell & cell_warp) >> 5)];
}

void ClusterPort::arrive(Warp &w, std::uint32_t lanes, std::uint32_t time) {
  if (w.cluster_arrived == 0) w.cluster_time = 0;
  w.cluster_time = std::max(w.cluster_time, time);
  w.cluster_arrived |= lanes;
  w.cluster_owes |= lanes;
}

void ClusterPort::pass(Warp &w, std::uint32_t lanes) const {
  w.cluster_owes &= ~lanes;
  w.cluster_phase = cluster_->phase;
}

void ClusterPort::share(std::vector<Warp> &warps) {
  std::uint32_t phase = 0;
  for (const Warp &w : warps) phase = std::max(phase, w.cluster_phase);
  for (Warp &w : warps) w.cluster_phase = phase;
}

void ClusterPort::note_access(std::uint32_t rank, std::uint64_t cell) {
  if (accesses_.empty()) accesses_.resize(size() * warps_of_block);
  accesses_[rank * warps_of_block + ((cell & cell_warp) >> 5)] = cell;
}

}  // namespace warpgrade::simt
