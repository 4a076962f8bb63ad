#include "quiz/waits.hpp"

#include <gtest/gtest.h>

namespace warpgrade::quiz {
namespace {

/// `how_many` requests of a warp after so many barriers.
void add(std::vector<simt::TracedRequest> &trace, std::uint32_t warp, std::uint64_t phase, int how_many) {
  for (int i = 0; i < how_many; ++i) {
    simt::TracedRequest r;
    r.warp = warp, r.phase = phase;
    trace.push_back(r);
  }
}

TEST(LongestWait, IsThatOfTheWarpsWithLeastToDoBeforeTheBarriers) {
  // A tree over 4 warps: all bring an element (2 requests), then warps 0 and 1 add, then warp 0 does.
  std::vector<simt::TracedRequest> trace;
  for (std::uint32_t w = 0; w < 4; ++w) add(trace, w, 0, 2);
  add(trace, 0, 1, 3);
  add(trace, 1, 1, 3);
  add(trace, 0, 2, 3);
  const auto made = those_that_wait_longest(trace, 4, 3);
  ASSERT_TRUE(made);
  EXPECT_EQ(made->warps, (std::vector<std::uint32_t>{2, 3}));
  EXPECT_EQ(made->busiest, (std::vector<std::uint32_t>{0}));
  EXPECT_EQ(made->fewest, 2u);
  EXPECT_EQ(made->most, 8u);
}

TEST(LongestWait, DoesNotCountWhatComesAfterTheLastBarrier) {
  std::vector<simt::TracedRequest> trace;
  add(trace, 0, 0, 4);
  add(trace, 1, 0, 4);
  add(trace, 0, 1, 100);
  EXPECT_FALSE(those_that_wait_longest(trace, 2, 1));
}

TEST(LongestWait, IsNotAskedWhereWarpsHaveNearlyTheSameToDo) {
  std::vector<simt::TracedRequest> trace;
  add(trace, 0, 0, 10);
  add(trace, 1, 0, 11);
  EXPECT_FALSE(those_that_wait_longest(trace, 2, 1));
  add(trace, 1, 0, 2);  // 13 are a quarter more than 10
  EXPECT_TRUE(those_that_wait_longest(trace, 2, 1));
  EXPECT_FALSE(those_that_wait_longest(trace, 1, 1));  // who would wait?
}

}  // namespace
}  // namespace warpgrade::quiz
