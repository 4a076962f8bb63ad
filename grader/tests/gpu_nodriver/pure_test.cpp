#include <gtest/gtest.h>

#include <cmath>

#include "gpu/measure.hpp"

namespace warpgrade::gpu {
namespace {

TEST(ImpossibleTime, NothingIsWrongWithOrdinaryTimes) {
  EXPECT_EQ(impossible_time({1e-5, 1.1e-5}, {9e-5, 3e-4}), "");
  EXPECT_EQ(impossible_time({2.0}, {2.001}), "");
}

TEST(ImpossibleTime, EventsCannotExceedTheHostsClock) {
  EXPECT_EQ(impossible_time({2e-3}, {1e-3}),
            "impossible time: a run took 2000.0 us by the GPU's events, but only 1000.0 us by the host's "
            "clock around "
            "them");
}

TEST(ImpossibleTime, NoTimeAtAllIsImpossible) {
  EXPECT_NE(impossible_time({0}, {1e-3}), "");
  EXPECT_NE(impossible_time({-1e-3}, {1e-3}), "");
  EXPECT_NE(impossible_time({std::nan("")}, {1e-3}), "");
  EXPECT_NE(impossible_time({}, {}), "");
  EXPECT_NE(impossible_time({1e-3}, {1e-3, 1e-3}), "");
}

TEST(ImpossibleTime, EventsFarBelowTheHostsClockEveryTimeLie) {
  // 10 us claimed, 50 ms passed, in every run: more than twice the claim and 20 ms of slack.
  EXPECT_NE(impossible_time({1e-5, 1e-5, 1e-5}, {5e-2, 5e-2, 5e-2}), "");
  // Once is a busy host.
  EXPECT_EQ(impossible_time({1e-5, 1e-5, 1e-5}, {1e-4, 5e-2, 1e-4}), "");
}

}  // namespace
}  // namespace warpgrade::gpu
