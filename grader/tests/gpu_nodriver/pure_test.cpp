#include <gtest/gtest.h>

#include <cmath>

#include "gpu/measure.hpp"

namespace warpgrade::gpu {
namespace {

/// Seconds by the events and by the outer clock, and by the host that watched the events.
run::Sample time_of(double seconds, double outer, double host = 0) {
  return {seconds, outer, host};
}

TEST(ImpossibleTime, NothingIsWrongWithOrdinaryTimes) {
  EXPECT_EQ(impossible_time({time_of(1e-5, 9e-5), time_of(1.1e-5, 3e-4, 1.5e-5)}), "");
  EXPECT_EQ(impossible_time({time_of(2.0, 2.001, 2.0001)}), "");
}

TEST(ImpossibleTime, EventsCannotExceedTheHostsClock) {
  EXPECT_EQ(impossible_time({time_of(2e-3, 1e-3)}),
            "impossible time: a run took 2000.0 us by the GPU's events, but only 1000.0 us by the host's "
            "clock around them");
}

TEST(ImpossibleTime, NoTimeAtAllIsImpossible) {
  EXPECT_NE(impossible_time({time_of(0, 1e-3)}), "");
  EXPECT_NE(impossible_time({time_of(-1e-3, 1e-3)}), "");
  EXPECT_NE(impossible_time({time_of(std::nan(""), 1e-3)}), "");
  EXPECT_NE(impossible_time({}), "");
}

TEST(ImpossibleTime, EventsAlwaysFarBelowTheOuterClockAreForged) {
  // 10 us claimed, 50 ms passed, in every run: more than twice the claim and 20 ms of slack.
  EXPECT_NE(impossible_time(std::vector(3, time_of(1e-5, 5e-2))), "");
  // Once is a busy host.
  EXPECT_EQ(impossible_time({time_of(1e-5, 1e-4), time_of(1e-5, 5e-2), time_of(1e-5, 1e-4)}), "");
}

TEST(ImpossibleTime, EventsShorterThanTheHostsObservationAreForged) {
  // A tenth of half a millisecond claimed; the outer clock, with its flushes and messages, would not tell.
  EXPECT_EQ(impossible_time(std::vector(3, time_of(5e-5, 2e-3, 5e-4))),
            "impossible time: the runs took 50.0 us by the GPU's events, but 500.0 us by the host's clock "
            "between them");
  EXPECT_EQ(impossible_time(std::vector(3, time_of(5e-4, 2e-3, 5.3e-4))), "");
  EXPECT_EQ(
      impossible_time({time_of(5e-5, 2e-3, 5e-4), time_of(5e-5, 2e-3, 6e-5), time_of(5e-5, 2e-3, 7e-5)}), "")
      << "once is a busy host";
  EXPECT_EQ(impossible_time({time_of(5e-5, 2e-3, 5e-4), time_of(5e-5, 2e-3), time_of(5e-5, 2e-3)}), "")
      << "it hardly ever saw the first event";
}

}  // namespace
}  // namespace warpgrade::gpu
