// Products of warpgroups, without a block around them: when a warp may continue, and which warps may rely on a product
// having completed.
#include "machine/group_products.hpp"

#include <gtest/gtest.h>

#include "machine/product_registers.hpp"
#include "machine/warp.hpp"

namespace warpgrade::simt {
namespace {

constexpr std::uint32_t mbarrier = 2048;

/// Two warpgroups, a product (operation 0), and a wait for all but `immediate` groups (operation 1).
struct GroupProductsTest : ::testing::Test {
  GroupProductsTest() {
    program.uses_warpgroups = true;
    program.ops.resize(2);
    program.blocks.resize(1);
    program.blocks[0].last = 2;
    products.begin(8, 4096, true);
  }
  void issue_and_commit(std::uint32_t warp) {
    products.issue(warp, program.ops[0], 1);
    products.commit(warp);
  }
  bool may_continue(std::uint32_t warp) {
    Warp w;
    w.index = warp;
    w.live = 0xFFFF'FFFF;
    return products.may_continue(w, program.blocks[0], Group{0, 0xFFFF'FFFF, false, 0});
  }
  void finish(std::uint32_t warp, std::uint64_t pending = 0) {
    products.finish(warp, pending, [](const FlyingProduct &) {});
  }
  Program program;
  GroupProducts products{program};
};

TEST_F(GroupProductsTest, WarpsContinueOnceAllFourHaveIssuedTheProduct) {
  for (std::uint32_t warp = 0; warp < 3; ++warp) issue_and_commit(warp);
  EXPECT_FALSE(may_continue(0));
  EXPECT_EQ(products.equally_far(0), 3u);
  issue_and_commit(4);  // of the other warpgroup
  EXPECT_FALSE(may_continue(0));
  issue_and_commit(3);
  EXPECT_TRUE(may_continue(0));
  EXPECT_FALSE(may_continue(4));
}

TEST_F(GroupProductsTest, AWaitLeavesThePendingGroupsInFlight) {
  issue_and_commit(0);
  issue_and_commit(0);
  finish(0, 1);
  ASSERT_EQ(products.of(0).flying.size(), 1u);
  EXPECT_EQ(products.of(0).flying[0].sequence, 2u);
  EXPECT_EQ(products.of(0).finished, 1u);
}

TEST_F(GroupProductsTest, AProductThatWasNotCommittedIsNotAwaited) {
  products.issue(0, program.ops[0], 1);
  finish(0);
  EXPECT_EQ(products.of(0).flying.size(), 1u);
}

TEST_F(GroupProductsTest, FinishingCompletesTheProductsOfAllFourWarps) {
  for (std::uint32_t warp = 0; warp < 4; ++warp) issue_and_commit(warp);
  int completed = 0;
  products.finish(1, 0, [&completed](const FlyingProduct &) { ++completed; });
  EXPECT_EQ(completed, 4);
}

TEST_F(GroupProductsTest, AWarpLearnsThatSharedMemoryIsFreeThroughAnMbarrier) {
  issue_and_commit(0);
  products.note_read(0, 1024, 1);
  EXPECT_EQ(products.unfinished_reader(5, 1024).product, &program.ops[0]);
  EXPECT_EQ(products.unfinished_reader(5, 1040).product, nullptr);  // the next 16 bytes
  products.release(0, mbarrier);                                    // before the wait: too early
  products.acquire(5, mbarrier);
  EXPECT_NE(products.unfinished_reader(5, 1024).product, nullptr);
  finish(0);
  products.release(0, mbarrier);
  EXPECT_NE(products.unfinished_reader(5, 1024).product, nullptr);
  products.acquire(5, mbarrier);
  EXPECT_EQ(products.unfinished_reader(5, 1024).product, nullptr);
}

TEST(ProductRegisters, TheFirstProductNeedsAFence) {
  const Program program;
  ProductRegisters registers(program);
  registers.begin(4);
  const GroupProduct product;
  EXPECT_TRUE(registers.look_for_fence(2, product, false).missing);
  EXPECT_TRUE(registers.look_for_fence(2, product, false).never);
  registers.fence(2);
  EXPECT_FALSE(registers.look_for_fence(2, product, false).missing);
  registers.wait(2);  // nothing has written its registers since
  EXPECT_FALSE(registers.look_for_fence(2, product, false).missing);
  EXPECT_TRUE(registers.look_for_fence(3, product, false).missing);
}

}  // namespace
}  // namespace warpgrade::simt
