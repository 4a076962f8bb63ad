#include "ptx/launch_check.hpp"

#include <gtest/gtest.h>

namespace warpgrade::ptx {
namespace {

using Dim = std::array<std::uint32_t, 3>;

std::string why(Dim grid, Dim block, std::uint64_t dynamic = 0, const KernelNeeds &kernel = {}) {
  const auto refusal = check_launch({grid, block, dynamic}, kernel);
  return refusal ? refusal->words : "";
}

LaunchLimit limit(Dim grid, Dim block, std::uint64_t dynamic, const KernelNeeds &kernel = {}) {
  return check_launch({grid, block, dynamic}, kernel).value().limit;
}

TEST(LaunchCheck, AcceptsTheLargestAndRefusesOneMore) {
  EXPECT_EQ(why({0x7fffffff, 65535, 65535}, {1024, 1, 1}), "");
  EXPECT_EQ(why({0x80000000, 1, 1}, {1, 1, 1}),
            "a grid of 2147483648 x 1 x 1 blocks: gridDim.x is 2147483648; at most 2147483647 is possible");
  EXPECT_EQ(why({1, 65536, 1}, {1, 1, 1}),
            "a grid of 1 x 65536 x 1 blocks: gridDim.y is 65536; at most 65535 is possible (2147483647 for "
            "gridDim.x)");
  EXPECT_EQ(why({1, 1, 1}, {32, 32, 1}), "");
  EXPECT_EQ(why({1, 1, 1}, {32, 33, 1}),
            "a block of 32 x 33 x 1 has 1056 threads; at most 1024 are possible");
  EXPECT_EQ(why({1, 1, 1}, {1, 1, 64}), "");
  EXPECT_EQ(why({1, 1, 1}, {1, 1, 65}), "blockDim.z is 65; at most 64 is possible");
}

TEST(LaunchCheck, RefusesEmptyGridsAndBlocks) {
  EXPECT_EQ(why({0, 1, 1}, {1, 1, 1}),
            "a grid of 0 x 1 x 1 blocks is empty; is the number of blocks rounded down?");
  EXPECT_EQ(why({1, 1, 1}, {1, 0, 1}), "a block of 1 x 0 x 1 threads is empty");
}

TEST(LaunchCheck, DynamicSharedMemoryBeyond48KiBNeedsTheAttribute) {
  KernelNeeds kernel;
  kernel.static_shared = 1024;
  EXPECT_EQ(why({1, 1, 1}, {1, 1, 1}, 48128, kernel), "");  // 1024 + 48128 = 49152
  EXPECT_EQ(
      why({1, 1, 1}, {1, 1, 1}, 48129, kernel),
      "a block needs 49153 bytes of shared memory; at most 49152 are possible, unless cudaFuncSetAttribute "
      "raises this limit (up to 232448)");
  kernel.max_dynamic_shared = 60000;
  EXPECT_EQ(why({1, 1, 1}, {1, 1, 1}, 60000, kernel), "");
  EXPECT_EQ(
      why({1, 1, 1}, {1, 1, 1}, 60001, kernel),
      "a block needs 61025 bytes of shared memory; at most 61024 are possible, unless cudaFuncSetAttribute "
      "raises this limit (up to 232448)");
  EXPECT_EQ(why({1, 1, 1}, {1, 1, 1}, 300000, kernel),
            "a block needs 301024 bytes of shared memory; at most 232448 are possible");
  EXPECT_EQ(why({1, 1, 1}, {1, 1, 1}, ~std::uint64_t{0}, kernel),
            "a block needs 18446744073709551615 bytes of shared memory; at most 232448 are possible")
      << "a sum that wraps is not a small one";
}

TEST(LaunchCheck, LaunchBoundsAreALimit) {
  KernelNeeds kernel;
  kernel.max_threads = 128;
  EXPECT_EQ(why({1, 1, 1}, {128, 1, 1}, 0, kernel), "");
  EXPECT_EQ(why({1, 1, 1}, {129, 1, 1}, 0, kernel),
            "a block of 129 threads, but __launch_bounds__ promises at most 128");
}

TEST(LaunchCheck, RegistersOfABlockAreALimit) {
  KernelNeeds kernel;
  kernel.registers = 128;
  EXPECT_EQ(why({1, 1, 1}, {512, 1, 1}, 0, kernel), "");
  EXPECT_EQ(why({1, 1, 1}, {513, 1, 1}, 0, kernel),
            "a block of 513 threads with 128 registers each needs 69632, more than 65536");
}

TEST(LaunchCheck, SaysWhichLimitALaunchExceeds) {
  KernelNeeds bounded, large;
  bounded.max_threads = 32;
  large.registers = 255;
  EXPECT_EQ(limit({0, 1, 1}, {1, 1, 1}, 0), LaunchLimit::configuration);
  EXPECT_EQ(limit({1, 1, 1}, {64, 1, 1}, 0, bounded), LaunchLimit::launch_bounds);
  EXPECT_EQ(limit({1, 1, 1}, {1024, 1, 1}, 0, large), LaunchLimit::registers);
  EXPECT_EQ(limit({1, 1, 1}, {1, 1, 1}, 50000), LaunchLimit::shared_memory);
}

TEST(LaunchCheck, GridsAreDividedIntoWholeClusters) {
  const ClusterShape none{}, pair{2, 1, 1};
  EXPECT_EQ(check_cluster({3, 1, 1}, none, none, false), std::nullopt);
  EXPECT_EQ(check_cluster({4, 1, 1}, pair, none, false), std::nullopt);
  EXPECT_EQ(check_cluster({4, 1, 1}, none, pair, false), std::nullopt);
  EXPECT_EQ(check_cluster({3, 1, 1}, none, pair, false),
            "a grid of 3 x 1 x 1 blocks cannot be divided into clusters of 2 x 1 x 1");
  EXPECT_EQ(check_cluster({4, 1, 1}, {4, 1, 1}, pair, false),
            "a launch in clusters of 4 x 1 x 1 blocks, but the kernel has __cluster_dims__ of 2 x 1 x 1");
  EXPECT_EQ(check_cluster({4, 1, 1}, {2, 0, 1}, none, false), "a cluster of 2 x 0 x 1 blocks is empty");
}

TEST(LaunchCheck, ClustersOfMoreThanEightBlocksHaveToBeAllowed) {
  EXPECT_EQ(check_cluster({8, 2, 1}, {8, 1, 1}, {}, false), std::nullopt);
  EXPECT_EQ(check_cluster({8, 2, 1}, {8, 2, 1}, {}, false),
            "a cluster of 8 x 2 x 1 blocks has more than 8, which the kernel has to be allowed first: "
            "cudaFuncSetAttribute with cudaFuncAttributeNonPortableClusterSizeAllowed");
  EXPECT_EQ(check_cluster({8, 2, 1}, {8, 2, 1}, {}, true), std::nullopt);
  EXPECT_EQ(check_cluster({8, 4, 1}, {8, 4, 1}, {}, true),
            "a cluster of 8 x 4 x 1 blocks is too large; at most 16 blocks are possible");
}

}  // namespace
}  // namespace warpgrade::ptx
