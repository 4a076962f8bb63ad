// What one block knows of its cluster: which accesses of the other blocks happen before what its warps do now, by the
// barrier of the cluster, and who has accessed its shared memory. Internal to simt.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "machine/cluster.hpp"
#include "machine/warp.hpp"

namespace warpgrade::simt {

class ClusterPort {
 public:
  void join(Cluster &, std::uint32_t rank);
  /// A block begins, with this number in the grid.
  void begin(std::uint64_t block);
  void end() { ended_ = true; }
  bool has_ended() const { return ended_; }
  bool joined() const { return cluster_ != nullptr; }  ///< the kernel uses clusters
  std::size_t size() const { return cluster_ ? cluster_->size() : 0; }
  std::uint32_t rank() const { return rank_; }
  Cluster &cluster() const { return *cluster_; }

  bool contains(std::uint64_t block) const { return cluster_ && cluster_->rank_of(block) < size(); }
  /// Whether the warp knows that all blocks of its cluster have started.
  bool has_met(const Warp &w) const {
    return cluster_ && (w.cluster_phase != 0 || cluster_->all_before != 0);
  }
  /// Whether the cluster orders the access of a shadow word, by this block of it, before what the warp does now.
  bool orders(std::uint64_t cell, std::uint64_t block, const Warp &) const;
  /// The same for whoever has waited for a phase of its barrier; 0: nobody has.
  bool is_ordered_by(std::uint32_t phase, std::uint64_t cell, std::uint64_t block) const;

  /// Lanes arrive at the barrier of the cluster and release what the warp did until a time.
  static void arrive(Warp &, std::uint32_t lanes, std::uint32_t time);
  /// They have waited for it.
  void pass(Warp &, std::uint32_t lanes) const;
  /// What one warp of the block has acquired from the cluster, all have after a barrier of the block.
  static void share(std::vector<Warp> &);

  /// A warp of a block has accessed the shared memory of this one.
  void note_access(std::uint32_t rank, std::uint64_t cell);
  /// The last access by each warp of the cluster, as cells; 0: none. Empty if there is none at all.
  const std::vector<std::uint64_t> &accesses() const { return accesses_; }

 private:
  Cluster *cluster_ = nullptr;
  std::uint32_t rank_ = 0;
  bool ended_ = false;
  std::vector<std::uint64_t> accesses_;  // by rank * warps_of_block + warp
};

}  // namespace warpgrade::simt
