// Plans with tensor maps and clusters, which take a GPU of compute capability 9.0.
#include <gtest/gtest.h>

#include "tests/gpu/device_code.hpp"
#include "tests/gpu/plans.hpp"

namespace warpgrade::gpu {
namespace {

using run::End;

class Hopper : public testing::Test {
 protected:
  Replay replay{machine().device, hopper_fat_binary(), {}, machine().options};
};

TEST_F(Hopper, ATensorMapIsEncodedForTheAddressOfEachRun) {
  for (int run = 0; run < 4; ++run) {  // each at another place
    const auto done = replay.replay(scaling_plan(0), inputs_to_scale());
    ASSERT_EQ(done.end, End::completed) << done.message;
    EXPECT_EQ(floats(done.buffers[1]), rising(1));
    EXPECT_TRUE(done.guards_written.empty());
  }
}

TEST_F(Hopper, ATensorMapInMemoryIsEncodedForTheAddressOfEachRun) {
  for (int run = 0; run < 4; ++run) {
    const auto done = replay.replay(scaling_plan_in_memory(), inputs_to_scale());
    ASSERT_EQ(done.end, End::completed) << done.message;
    EXPECT_EQ(floats(done.buffers[1]), rising(1));
  }
}

TEST_F(Hopper, BlocksOfAClusterStartTogether) {
  const auto done = replay.replay(scaling_plan(2), inputs_to_scale());
  ASSERT_EQ(done.end, End::completed) << done.message;
  EXPECT_EQ(floats(done.buffers[1]), rising(2));
}

TEST_F(Hopper, ATimedRunIsTheSame) {
  const auto timed = replay.time_once(scaling_plan(2), inputs_to_scale());
  ASSERT_EQ(timed.run.end, End::completed) << timed.run.message;
  EXPECT_EQ(floats(timed.run.buffers[1]), rising(2));
  EXPECT_GT(timed.sample.seconds, 0);
}

TEST_F(Hopper, ABrokenClusterIsRefusedWithAReason) {
  const auto done = replay.replay(scaling_plan(3), inputs_to_scale());
  EXPECT_EQ(done.end, End::launch_error);
  EXPECT_NE(done.message.find("a grid of 2 x 1 x 1 blocks cannot be divided into clusters of 3 x 1 x 1"),
            std::string::npos)
      << done.message;
}

TEST_F(Hopper, AMapThatReachesFarOutOfItsBufferFaults) {
  plan::LaunchPlan plan = scaling_plan(0);
  plan::TensorMapArgument &argument = std::get<plan::Launch>(plan.operations[0]).tensor_maps[0];
  argument.map.strides = {std::uint64_t{1} << 36};
  const auto done = replay.replay(plan, inputs_to_scale());
  EXPECT_NE(done.end, End::completed);
  const auto again = replay.replay(scaling_plan(0), inputs_to_scale());
  EXPECT_EQ(again.end, End::completed) << again.message;
}

}  // namespace
}  // namespace warpgrade::gpu
