// Plans that go wrong: each ends with its own reason and leaves the next run unharmed.
#include <gtest/gtest.h>

#include <cstdio>

#include "tests/gpu/device_code.hpp"
#include "tests/gpu/plans.hpp"

namespace warpgrade::gpu {
namespace {

using run::End;

class Fault : public testing::Test {
 protected:
  Replay replay_{machine().device, test_fat_binary(), {.run_seconds = 2}, machine().options};

  /// An honest plan that must work whatever came before it.
  void expect_next_run_works() {
    const Sgemm problem{33, 31, 17, 1.0f, 1.0f};
    const auto inputs = sgemm_inputs(problem, 5);
    const auto run = replay_.replay(sgemm_plan("sgemm_naive", problem), inputs);
    ASSERT_EQ(run.end, End::completed) << run.message;
    EXPECT_LE(worst_error(problem, inputs, run.buffers[2].as<float>()), 2e-6);
  }
  run::Run replay_launch(const plan::Launch &launch, std::uint64_t floats = 16) {
    auto plan = plan_on_c(floats);
    plan.operations.push_back(launch);
    auto run = replay_.replay(plan, sevens(floats));
    std::printf("  %s\n", run.message.c_str());
    return run;
  }
};

TEST_F(Fault, AStoreFarOutsideIsAFault) {
  for (const std::int64_t distance :
       {std::int64_t{16} << 20, -(std::int64_t{16} << 20), std::int64_t{1} << 40}) {
    const auto run = replay_.replay(storing_at(distance), sevens(1024));
    EXPECT_EQ(run.end, End::fault) << distance << ": " << run.message;
    EXPECT_NE(run.message.find("CUDA_ERROR_ILLEGAL_ADDRESS"), std::string::npos) << run.message;
    EXPECT_NE(run.message.find("store_at"), std::string::npos) << run.message;
    EXPECT_TRUE(run.buffers.empty());
    expect_next_run_works();
  }
}

TEST_F(Fault, AMisalignedStoreIsAFault) {
  const auto run = replay_.replay(storing_at(2), sevens(1024));
  EXPECT_EQ(run.end, End::fault) << run.message;
  EXPECT_NE(run.message.find("CUDA_ERROR_MISALIGNED_ADDRESS"), std::string::npos) << run.message;
  expect_next_run_works();
}

TEST_F(Fault, AFaultInATimedRunIsAFault) {
  const auto timed = replay_.time_once(storing_at(16 << 20), sevens(1024));
  EXPECT_EQ(timed.run.end, End::fault) << timed.run.message;
  expect_next_run_works();
}

TEST_F(Fault, ATrapIsADeviceError) {
  EXPECT_EQ(replay_launch(launch_of("trap_now", {}, {})).end, End::device_error);
  expect_next_run_works();
}

TEST_F(Fault, AFailedAssertIsADeviceErrorWithItsText) {
  auto launch = launch_of("assert_now", {}, {});
  ArgumentBuilder(launch).value(1);
  const auto run = replay_launch(launch);
  EXPECT_EQ(run.end, End::device_error);
  EXPECT_NE(run.message.find("CUDA_ERROR_ASSERT"), std::string::npos);
  EXPECT_NE(run.printed.find("one == 2"), std::string::npos) << run.printed;
  expect_next_run_works();
}

TEST_F(Fault, AnEndlessKernelMeetsTheTimeLimit) {
  auto launch = launch_of("spin_forever", {}, {});
  ArgumentBuilder(launch).pointer(0);
  const auto run = replay_launch(launch);
  EXPECT_EQ(run.end, End::time_limit) << run.message;
  EXPECT_EQ(run.message, "the plan did not finish within 2.0 s");
  std::printf("  from SIGKILL to the end of the process: %.0f ms\n", replay_.last_kill_seconds() * 1e3);
  ASSERT_TRUE(replay_.gpu_came_back());
  expect_next_run_works();
}

TEST_F(Fault, TooMuchDynamicSharedMemoryIsALaunchErrorThatSaysWhatToDo) {
  auto launch = launch_of("uses_shared", {}, {256, 1, 1});
  launch.dynamic_shared_bytes = 49408;  // 256 over
  ArgumentBuilder(launch).pointer(0);
  const auto run = replay_launch(launch, 256);
  EXPECT_EQ(run.end, End::launch_error);
  EXPECT_NE(run.message.find("49408 bytes of dynamic shared memory, allowed are 49152"), std::string::npos);
  EXPECT_NE(run.message.find("cudaFuncSetAttribute"), std::string::npos);
  expect_next_run_works();
}

TEST_F(Fault, ATooLargeBlockIsALaunchError) {
  auto launch = launch_of("fill", {}, {33, 33, 1});
  ArgumentBuilder(launch).pointer(0).value(16).value(1.0f);
  const auto run = replay_launch(launch);
  EXPECT_EQ(run.end, End::launch_error);
  EXPECT_NE(run.message.find("a block of 1089 threads; this GPU takes at most 1024"), std::string::npos);
}

TEST_F(Fault, AnEmptyGridIsALaunchError) {
  auto launch = launch_of("fill", {0, 1, 1}, {32, 1, 1});
  ArgumentBuilder(launch).pointer(0).value(16).value(1.0f);
  const auto run = replay_launch(launch);
  EXPECT_EQ(run.end, End::launch_error);
  EXPECT_NE(run.message.find("no threads"), std::string::npos);
}

TEST_F(Fault, ATooTallGridIsALaunchError) {
  auto launch = launch_of("fill", {1, 70000, 1}, {32, 1, 1});
  ArgumentBuilder(launch).pointer(0).value(16).value(1.0f);
  EXPECT_EQ(replay_launch(launch).end, End::launch_error);
}

TEST_F(Fault, AnUnknownKernelIsALaunchError) {
  const auto run = replay_launch(launch_of("no_such_kernel", {}, {}));
  EXPECT_EQ(run.end, End::launch_error);
  EXPECT_EQ(run.message, "the device code has no kernel no_such_kernel");
}

TEST_F(Fault, MoreMemoryThanTheGpuHasIsADeviceError) {
  Replay replay(machine().device, test_fat_binary(), {.scratch_bytes = std::uint64_t{1} << 50},
                machine().options);
  auto plan = plan_on_c(4);
  plan.buffers.push_back(
      {.owner = plan::Owner::student, .name = "scratch 1", .bytes = std::uint64_t{1} << 42});
  plan.operations.push_back(plan::Allocate{1});
  auto run = replay.replay(plan, sevens(4));
  EXPECT_EQ(run.end, End::device_error) << run.message;
  EXPECT_NE(run.message.find("out of memory"), std::string::npos) << run.message;
  std::printf("  %s\n", run.message.c_str());
  run = replay.replay(plan_on_c(4), sevens(4));
  EXPECT_EQ(run.end, End::completed) << run.message;
}

TEST_F(Fault, InvalidDeviceCodeIsOurFailure) {
  Replay replay(machine().device, std::vector<std::byte>(1000, std::byte{'x'}), {}, machine().options);
  const auto run = replay.replay(plan_on_c(4), sevens(4));
  EXPECT_EQ(run.end, End::our_failure);
  EXPECT_NE(run.message.find("loading the device code"), std::string::npos) << run.message;
}

}  // namespace
}  // namespace warpgrade::gpu
