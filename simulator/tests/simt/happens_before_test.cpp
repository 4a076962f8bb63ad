// The happens-before order of four warps, without a block around them: what fences, flags, barriers and mbarriers
// release and acquire.
#include "machine/checks/happens_before.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace warpgrade::simt {
namespace {

constexpr std::uint32_t all = 0xFFFF'FFFF, barrier = 1, mbarrier = 2048, flag = 1024;
constexpr std::uint64_t word = 0x7000'0000'0000;
enum : std::uint32_t { write_flag, read_flag, acquire_flag, copy };  // sites

Program program_with_flags() {
  Program made;
  made.orders_warps = made.tracks_order = made.has_fences = true;
  made.sites.resize(4);
  for (Site &site : made.sites) site.is_volatile = true;
  made.sites[write_flag].action = Site::Action::store;
  made.sites[read_flag].spins = true;
  made.sites[acquire_flag].acquires = true;
  return made;
}

struct HappensBeforeTest : ::testing::Test {
  HappensBeforeTest() : warps(4) {
    for (std::uint32_t w = 0; w < 4; ++w) warps[w].index = w, warps[w].live = all;
    shadow.time = 1;
    context.epoch_cell = std::uint64_t{1} << 32;
    begin(0);
  }
  void begin(std::uint64_t block) {
    shadow.starts.emplace_back(shadow.time, block);
    order.begin(block, warps.size(), 0);
  }
  void enter(std::uint32_t warp) {
    context.warp = warp;
    context.mask = all;
    order.time.set_cell();
    order.enter(warps[warp]);
  }
  /// An access by a lane of the warp, now, as a shadow word.
  std::uint64_t access(std::uint32_t warp, std::uint32_t lane = 0) {
    enter(warp);
    return context.now_cell | lane;
  }
  void at_shared_flag(std::uint32_t warp, std::uint32_t site) {
    enter(warp);
    order.access_shared(flag, program.sites[site], site != write_flag, site == write_flag);
  }
  void at_global_flag(std::uint32_t warp, std::uint32_t site) {
    enter(warp);
    order.access_global({program.sites[site], site, 0, word}, site != write_flag, site == write_flag, true);
  }
  void fence(std::uint32_t warp, Scope scope = Scope::device) {
    enter(warp);
    order.fence(scope);
  }
  void arrive(std::uint32_t warp, std::uint32_t lanes = all) {
    enter(warp);
    order.arrive(mbarrier, order.release(lanes, true), lanes, false);
    order.time.advance();
  }
  void end_phase() { order.mbarriers.end_phase(mbarrier, order.time.now() + 1, false); }
  void wait(std::uint32_t warp, std::uint32_t lanes = all) {
    enter(warp);
    order.acquire(mbarrier, lanes, program.sites[acquire_flag]);
  }
  bool comes_before(std::uint64_t cell, std::uint32_t warp, std::uint32_t lane = 0) {
    enter(warp);
    return order.comes_before(cell, lane);
  }

  const Program program = program_with_flags();
  Context context{};
  SharedMemory shared{program, 0, false, context};
  Shadow shadow;
  std::vector<Warp> warps;
  HappensBefore order{program, context, shared, shadow, true};
};

TEST_F(HappensBeforeTest, AFlagReleasesWhatWasDoneBeforeTheFence) {
  const std::uint64_t before = access(0);
  fence(0);
  const std::uint64_t after = access(0);
  at_shared_flag(0, write_flag);
  EXPECT_FALSE(comes_before(before, 1));
  at_shared_flag(1, acquire_flag);
  EXPECT_TRUE(comes_before(before, 1));
  EXPECT_FALSE(comes_before(after, 1));
  EXPECT_FALSE(comes_before(before, 2));
}

TEST_F(HappensBeforeTest, AReadThatDoesNotAcquireNeedsAFence) {
  const std::uint64_t before = access(0);
  fence(0);
  at_shared_flag(0, write_flag);
  at_shared_flag(1, read_flag);
  EXPECT_FALSE(comes_before(before, 1));
  EXPECT_TRUE(order.is_unfenced(before));
  fence(1);
  EXPECT_TRUE(comes_before(before, 1));
  EXPECT_FALSE(order.is_unfenced(before));
}

TEST_F(HappensBeforeTest, AFlagWithoutAFenceReleasesNothingAndShowsWhatWasMeant) {
  const std::uint64_t before = access(0);
  at_shared_flag(0, write_flag);
  at_shared_flag(1, read_flag);
  fence(1);
  EXPECT_FALSE(comes_before(before, 1));
  EXPECT_TRUE(order.is_signaled(before));
  EXPECT_EQ(&order.releasing_site(before), &program.sites[write_flag]);
  EXPECT_EQ(order.lacks_fence(before, 0), Knowledge::signaled);
}

TEST_F(HappensBeforeTest, AnMbarrierReleasesArrivalsToThreadsThatWait) {
  const std::uint64_t before = access(0);
  arrive(0);
  const std::uint64_t after = access(0);
  end_phase();
  EXPECT_FALSE(comes_before(before, 1));
  wait(1);
  EXPECT_TRUE(comes_before(before, 1));
  EXPECT_FALSE(comes_before(after, 1));
  EXPECT_FALSE(comes_before(before, 2));
}

TEST_F(HappensBeforeTest, ALaneDoesNotArriveForItsNeighbors) {
  const std::uint64_t neighbor = access(0, 5), own = access(0, 0);
  arrive(0, 1);
  end_phase();
  wait(1);
  EXPECT_TRUE(comes_before(own, 1));
  EXPECT_FALSE(comes_before(neighbor, 1));
  EXPECT_TRUE(comes_before(neighbor, 1, HappensBefore::any_lane));  // a __syncwarp() is missing
}

TEST_F(HappensBeforeTest, ALaneDoesNotWaitForItsNeighbors) {
  const std::uint64_t before = access(0);
  arrive(0);
  end_phase();
  wait(1, 1u << 3);
  EXPECT_TRUE(comes_before(before, 1, 3));
  EXPECT_FALSE(comes_before(before, 1, 4));
  order.sync_warp();
  EXPECT_TRUE(comes_before(before, 1, 4));
}

TEST_F(HappensBeforeTest, ThreadsThatWaitObserveTheCopiesOfThePhase) {
  const std::uint64_t starter = access(2, 7) | std::uint64_t{copy} << 12;
  arrive(0);
  const std::uint64_t writer = order.mbarriers.add_copy(mbarrier, starter) | std::uint64_t{order.time.now()}
                                                                                 << 32;
  end_phase();
  EXPECT_TRUE(has_arrived(writer));
  enter(1);
  EXPECT_FALSE(order.knows_copy(writer, 0));
  wait(1);
  EXPECT_TRUE(order.knows_copy(writer, 0));
  EXPECT_EQ(order.mbarriers.starter_of(writer), starter);
}

TEST_F(HappensBeforeTest, InitializingAnMbarrierForgetsItsArrivals) {
  const std::uint64_t before = access(0);
  arrive(0);
  end_phase();
  order.mbarriers.initialize(mbarrier);
  wait(1);
  EXPECT_FALSE(comes_before(before, 1));
}

TEST_F(HappensBeforeTest, ABarrierOfSomeWarpsOrdersThoseThatArrivedBeforeThoseThatWait) {
  const std::uint64_t before = access(0);
  order.arrive(barrier);
  const std::uint64_t after = access(0);
  enter(1);
  order.pass(barrier, {&warps[1]});
  EXPECT_TRUE(comes_before(before, 1));
  EXPECT_FALSE(comes_before(after, 1));
  EXPECT_FALSE(comes_before(before, 2));
}

TEST_F(HappensBeforeTest, AFlagInGlobalMemoryOrdersBlocks) {
  const std::uint64_t before = access(0);
  fence(0);
  at_global_flag(0, write_flag);
  shadow.time = 100;
  begin(1);
  enter(2);
  EXPECT_EQ(order.knowledge_of(before, nullptr), Knowledge::none);
  at_global_flag(2, acquire_flag);
  EXPECT_EQ(order.knowledge_of(before, nullptr), Knowledge::known);
  EXPECT_TRUE(order.knows_others());
}

TEST_F(HappensBeforeTest, AFenceOfTheScopeOfTheBlockDoesNotOrderBlocks) {
  const std::uint64_t before = access(0);
  fence(0, Scope::block);
  at_global_flag(0, write_flag);
  EXPECT_TRUE(order.global.has_weak_release(write_flag));
  at_global_flag(1, acquire_flag);
  EXPECT_EQ(order.knowledge_of(before, nullptr), Knowledge::known);  // within the block it does
  shadow.time = 100;
  begin(1);
  at_global_flag(2, acquire_flag);
  EXPECT_NE(order.knowledge_of(before, nullptr), Knowledge::known);
}

TEST_F(HappensBeforeTest, ABarrierOfTheBlockSharesWhatOneWarpHasAcquired) {
  const std::uint64_t before = access(0);
  fence(0);
  at_global_flag(0, write_flag);
  shadow.time = 100;
  begin(1);
  at_global_flag(2, acquire_flag);
  enter(3);
  EXPECT_EQ(order.knowledge_of(before, nullptr), Knowledge::none);
  order.pass_all();
  EXPECT_EQ(order.knowledge_of(before, nullptr), Knowledge::known);
}

TEST_F(HappensBeforeTest, ASyncOfLanesOrdersThoseThatItsMasksName) {
  const std::uint64_t inside = access(0, 1), outside = access(0, 20);
  order.time.advance();
  std::uint32_t masks[32];
  std::fill(std::begin(masks), std::end(masks), 0xFFFFu);
  context.mask = 0xFFFF;
  order.sync_lanes(masks);
  EXPECT_TRUE(order.has_synced_lanes());
  EXPECT_TRUE(order.knows_lane(0, inside));
  EXPECT_FALSE(order.knows_lane(0, outside));
  EXPECT_FALSE(order.knows_lane(20, inside));
}

TEST_F(HappensBeforeTest, ANewBlockHasAcquiredNothing) {
  const std::uint64_t before = access(0);
  arrive(0);
  end_phase();
  wait(1);
  ASSERT_TRUE(comes_before(before, 1));
  begin(1);
  EXPECT_FALSE(comes_before(before, 1));
  EXPECT_FALSE(order.has_synced_lanes());
}

TEST(UpdatesInProgress, AStoreLearnsWhatItsLoadOvertook) {
  UpdatesInProgress updates;
  updates.begin(3, word, 42);
  EXPECT_EQ(updates.end(3, word + 4), 0u);
  EXPECT_EQ(updates.end(2, word), 0u);
  EXPECT_EQ(updates.end(3, word), 42u);
  EXPECT_EQ(updates.end(3, word), 0u);  // once
}

TEST(UpdatesInProgress, ALoadThatIsInOrderReplacesOneThatWasNot) {
  UpdatesInProgress updates;
  updates.begin(3, word, 42);
  updates.begin(3, word, 0);
  EXPECT_EQ(updates.end(3, word), 0u);
}

TEST(WarpClocks, NothingIsKnownBeforeTheyAreUsed) {
  WarpClocks clocks;
  EXPECT_FALSE(clocks.knows(std::uint64_t{5} << 32, 0, 0));
  EXPECT_EQ(clocks.times_of(0), nullptr);
  clocks.use(2);
  clocks.of(1).add(0, all, true, 6);
  EXPECT_TRUE(clocks.knows(std::uint64_t{5} << 32, 1, 0));
  EXPECT_FALSE(clocks.knows(std::uint64_t{6} << 32, 1, 0));
  clocks.clear();
  EXPECT_FALSE(clocks.knows(std::uint64_t{5} << 32, 1, 0));
}

}  // namespace
}  // namespace warpgrade::simt
