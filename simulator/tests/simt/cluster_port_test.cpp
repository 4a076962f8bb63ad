// What a block knows of its cluster, without blocks around it.
#include "machine/cluster_port.hpp"

#include <gtest/gtest.h>

namespace warpgrade::simt {
namespace {

constexpr std::uint32_t all = 0xFFFF'FFFF;

std::uint64_t accessed(std::uint32_t time, std::uint32_t warp) {
  return std::uint64_t{time} << 32 | std::uint64_t{warp} << 5;
}

/// Two blocks with the numbers 10 and 11 in the grid.
struct ClusterPortTest : ::testing::Test {
  ClusterPortTest() {
    here.join(cluster, 0), other.join(cluster, 1);
    here.begin(10), other.begin(11);
    cluster.begin();
  }
  Cluster cluster;
  ClusterPort here, other;
  Warp warp;
};

TEST_F(ClusterPortTest, KnowsWhichBlocksAreInItsCluster) {
  EXPECT_TRUE(here.contains(11));
  EXPECT_FALSE(here.contains(12));
  EXPECT_EQ(here.size(), 2u);
  const ClusterPort alone;
  EXPECT_FALSE(alone.joined());
  EXPECT_FALSE(alone.contains(11));
  EXPECT_EQ(alone.size(), 0u);
}

TEST_F(ClusterPortTest, APhaseOrdersWhatAWarpDidBeforeItArrived) {
  cluster.phase = 1;
  cluster.horizons[1][1 * warps_of_block + 3] = 50;  // warp 3 of the other block
  EXPECT_FALSE(here.orders(accessed(49, 3), 11, warp));
  EXPECT_FALSE(here.has_met(warp));
  here.pass(warp, all);
  EXPECT_TRUE(here.has_met(warp));
  EXPECT_TRUE(here.orders(accessed(49, 3), 11, warp));
  EXPECT_FALSE(here.orders(accessed(50, 3), 11, warp));
  EXPECT_FALSE(here.orders(accessed(49, 2), 11, warp));
  EXPECT_FALSE(here.orders(accessed(49, 3), 12, warp));  // of another cluster
}

TEST_F(ClusterPortTest, NoAccessIsInOrder) {
  EXPECT_TRUE(here.orders(0, 11, warp));
  EXPECT_TRUE(ClusterPort().orders(0, 11, warp));
}

TEST_F(ClusterPortTest, ArrivingOwesAWait) {
  ClusterPort::arrive(warp, 0xFF, 7);
  ClusterPort::arrive(warp, 0xFF00, 9);
  EXPECT_EQ(warp.cluster_arrived, 0xFFFFu);
  EXPECT_EQ(warp.cluster_time, 9u);
  here.pass(warp, 0xFF);
  EXPECT_EQ(warp.cluster_owes, 0xFF00u);
}

TEST_F(ClusterPortTest, ABarrierOfTheBlockSharesThePhaseOfOneWarp) {
  std::vector<Warp> warps(3);
  warps[1].cluster_phase = 4;
  ClusterPort::share(warps);
  for (const Warp &one : warps) EXPECT_EQ(one.cluster_phase, 4u);
}

TEST_F(ClusterPortTest, KeepsTheLastAccessOfEachWarpUntilTheNextBlock) {
  EXPECT_TRUE(here.accesses().empty());
  here.note_access(1, accessed(5, 3));
  here.note_access(1, accessed(6, 3));
  EXPECT_EQ(here.accesses()[1 * warps_of_block + 3], accessed(6, 3));
  here.end();
  EXPECT_TRUE(here.has_ended());
  here.begin(12);
  EXPECT_FALSE(here.has_ended());
  EXPECT_TRUE(here.accesses().empty());
  EXPECT_TRUE(other.contains(12));
}

}  // namespace
}  // namespace warpgrade::simt
