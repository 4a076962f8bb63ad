#include "plan/launch_check.hpp"

#include <gtest/gtest.h>

namespace warpgrade::plan {
namespace {

std::string why(Dim3 grid, Dim3 block, std::uint64_t dynamic = 0, const KernelLayout &kernel = {},
                std::uint64_t raised = 0) {
  return refusal_of_launch(grid, block, dynamic, kernel, raised, {}).value_or("");
}

TEST(LaunchCheck, AcceptsTheLargestAndRefusesOneMore) {
  EXPECT_EQ(why({0x7fffffff, 65535, 65535}, {1024, 1, 1}), "");
  EXPECT_EQ(why({0x80000000, 1, 1}, {1, 1, 1}),
            "the grid (2147483648, 1, 1) is larger than (2147483647, 65535, 65535)");
  EXPECT_EQ(why({1, 65536, 1}, {1, 1, 1}),
            "the grid (1, 65536, 1) is larger than (2147483647, 65535, 65535)");
  EXPECT_EQ(why({1, 1, 1}, {32, 32, 1}), "");
  EXPECT_EQ(why({1, 1, 1}, {32, 33, 1}), "the block (32, 33, 1) has 1056 threads; at most 1024 are possible");
  EXPECT_EQ(why({1, 1, 1}, {1, 1, 65}),
            "the block (1, 1, 65) is larger than (1024, 1024, 64) in one direction");
}

TEST(LaunchCheck, RefusesEmptyGridsAndBlocks) {
  EXPECT_EQ(why({0, 1, 1}, {1, 1, 1}), "the grid (0, 1, 1) has no blocks");
  EXPECT_EQ(why({1, 1, 1}, {1, 0, 1}), "the block (1, 0, 1) has no threads");
}

TEST(LaunchCheck, DynamicSharedMemoryBeyond48KiBNeedsTheAttribute) {
  KernelLayout kernel;
  kernel.static_shared_bytes = 1024;
  EXPECT_EQ(why({1, 1, 1}, {1, 1, 1}, 48128, kernel), "");  // 1024 + 48128 = 49152
  EXPECT_EQ(why({1, 1, 1}, {1, 1, 1}, 48129, kernel),
            "49153 bytes of shared memory per block are asked for; 49152 are allowed unless "
            "cudaFuncSetAttribute raises it");
  EXPECT_EQ(why({1, 1, 1}, {1, 1, 1}, 60000, kernel, 60000), "");
  EXPECT_EQ(why({1, 1, 1}, {1, 1, 1}, 60001, kernel, 60000),
            "61025 bytes of shared memory per block are asked for; 61024 are allowed");
}

TEST(LaunchCheck, LaunchBoundsAreALimit) {
  KernelLayout kernel;
  kernel.max_threads = 128;
  EXPECT_EQ(why({1, 1, 1}, {128, 1, 1}, 0, kernel), "");
  EXPECT_EQ(why({1, 1, 1}, {129, 1, 1}, 0, kernel),
            "the block (129, 1, 1) has 129 threads; __launch_bounds__ allows 128");
}

}  // namespace
}  // namespace warpgrade::plan
