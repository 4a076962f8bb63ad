// When a step has used up its time, and when the machine has.
#include "grading/time_so_far.hpp"

#include <gtest/gtest.h>

namespace warpgrade::grading {
namespace {

TEST(TimeSoFar, IsNobodysFaultUpToTheLimit) {
  EXPECT_EQ(time_so_far(60, 0, 60), TimeSoFar::left);
  EXPECT_EQ(time_so_far(60, 59, 60), TimeSoFar::left);
}

TEST(TimeSoFar, BeyondTheLimitIsTheStepsIfItWouldBeWithoutWaiting) {
  EXPECT_EQ(time_so_far(61, 0, 60), TimeSoFar::used_up);
  EXPECT_EQ(time_so_far(90, 20, 60), TimeSoFar::used_up);
  EXPECT_EQ(time_so_far(61, 1.5, 60), TimeSoFar::used_up) << "what a step waits on an idle machine";
  EXPECT_EQ(time_so_far(61, -30, 60), TimeSoFar::used_up)
      << "two threads had more of a processor than the clock shows";
}

TEST(TimeSoFar, BeyondTheLimitIsTheMachinesIfTheStepOnlyWaited) {
  EXPECT_EQ(time_so_far(61.9, 20, 60), TimeSoFar::machine_was_busy);
  EXPECT_EQ(time_so_far(90, 30, 60), TimeSoFar::machine_was_busy);
}

}  // namespace
}  // namespace warpgrade::grading
