// Plans that run: results, buffers, symbols, copies, guards, printing.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <span>

#include "ptx/fatbin.hpp"
#include "tests/gpu/device_code.hpp"
#include "tests/gpu/plans.hpp"

namespace warpgrade::gpu {
namespace {

using run::End;

Replay new_replay(ReplayLimits limits = {}) {
  return Replay(machine().device, test_fat_binary(), limits, machine().options);
}

std::vector<std::byte> bytes_of(const std::vector<float> &values) {
  const auto bytes = std::as_bytes(std::span(values));
  return {bytes.begin(), bytes.end()};
}

TEST(Device, DescribesItself) {
  const auto &device = machine().device;
  EXPECT_FALSE(device.name.empty());
  EXPECT_GE(device.major, 7);
  EXPECT_GT(device.multiprocessors, 0);
  EXPECT_GT(device.memory, std::uint64_t{1} << 30);
  EXPECT_EQ(device.properties.max_threads_per_block, 1024);
  EXPECT_GE(device.properties.shared_bytes_per_block_optin, 65536u);
  EXPECT_GT(device.properties.l2_bytes, 1 << 20);
  EXPECT_NE(device.driver_version.find("CUDA "), std::string::npos);
  std::printf("  reads host memory (HMM or ATS): %s\n", device.reads_host_memory ? "yes" : "no");
}

TEST(Replay, NaiveProductIsRightAtAwkwardSizes) {
  auto replay = new_replay();
  // fp32 sums in any order err by at most (K + 2) * 2^-24 of the scale: 1.6e-5 at K = 257. In practice far
  // less.
  for (const Sgemm &problem : {Sgemm{1, 1, 1, 1.0f, 0.0f}, Sgemm{31, 33, 32, 1.0f, 0.0f},
                               Sgemm{65, 127, 33, 0.5f, 2.0f}, Sgemm{129, 129, 129, -1.25f, 0.75f},
                               Sgemm{67, 1, 129, 1.0f, 1.0f}, Sgemm{257, 255, 257, 2.0f, -1.0f}}) {
    const auto inputs = sgemm_inputs(problem, 11);
    const auto run = replay.replay(sgemm_plan("sgemm_naive", problem), inputs);
    ASSERT_EQ(run.end, End::completed) << run.message;
    ASSERT_EQ(run.buffers.size(), 3u);
    EXPECT_LE(worst_error(problem, inputs, run.buffers[2].as<float>()), 2e-6)
        << problem.m << " x " << problem.n << " x " << problem.k;
    EXPECT_EQ(floats(run.buffers[0]), floats(inputs[0]));
    EXPECT_EQ(floats(run.buffers[1]), floats(inputs[1]));
    EXPECT_EQ(run.buffers[2].name, "C");
    EXPECT_TRUE(run.guards_written.empty());
    EXPECT_EQ(run.printed, "");
  }
  std::printf("  module load: %.2f ms\n", replay.module_load_seconds() * 1e3);
}

// What clang makes is PTX, wrapped by us; the driver reads the wrapping, and once died of it.
TEST(Replay, PtxThatWeWrapIsRunAsNvccsFatBinaryIs) {
  for (const ptx::Image &image : ptx::read_fatbin(test_fat_binary())) {
    if (image.kind != ptx::Image::Kind::ptx) continue;
    Replay replay(machine().device, ptx::wrap_ptx(image.bytes, image.sm), {}, machine().options);
    const Sgemm problem{65, 127, 33, 0.5f, 2.0f};
    const auto inputs = sgemm_inputs(problem, 11);
    const auto run = replay.replay(sgemm_plan("sgemm_naive", problem), inputs);
    ASSERT_EQ(run.end, End::completed) << run.message;
    EXPECT_LE(worst_error(problem, inputs, run.buffers[2].as<float>()), 2e-6);
    return;
  }
  FAIL() << "the test's fat binary has no PTX";
}

TEST(Replay, PlanWithoutLaunchLeavesTheBuffersAsTheyWere) {
  auto replay = new_replay();
  const auto run = replay.replay(plan_on_c(100), sevens(100));
  ASSERT_EQ(run.end, End::completed) << run.message;
  ASSERT_EQ(run.buffers.size(), 1u);
  EXPECT_EQ(floats(run.buffers[0]), std::vector<float>(100, 7.0f));
}

TEST(Replay, ScratchCopiesAndMemsetsCarryValuesThrough) {
  // scratch = bytes 0x00, host values copied over its second half, scaled copy to C: C = scratch + 7.
  auto plan = plan_on_c(8);
  plan.buffers.push_back({.owner = plan::Owner::student, .name = "scratch 1", .bytes = 32});
  plan.buffers.push_back({.owner = plan::Owner::student, .name = "scratch 2", .bytes = 32});
  plan.operations.push_back(plan::Allocate{1});
  plan.operations.push_back(plan::Allocate{2});
  plan.operations.push_back(plan::SetMemory{.to = {1, 0}, .value = 0, .width = 32, .rows = 1, .pitch = 0});
  plan.operations.push_back(plan::CopyIn{.to = {1, 16}, .bytes = bytes_of({1, 2, 3, 4})});
  plan.operations.push_back(plan::CopyWithin{.to = {2, 0}, .from = {1, 0}, .width = 32});
  auto launch = launch_of("add", {}, {32, 1, 1});
  ArgumentBuilder(launch).pointer(0).pointer(2).value(8);
  plan.operations.push_back(launch);
  plan.operations.push_back(plan::Free{1});
  plan.operations.push_back(plan::Free{2});
  auto replay = new_replay();
  const auto run = replay.replay(plan, sevens(8));
  ASSERT_EQ(run.end, End::completed) << run.message;
  EXPECT_EQ(floats(run.buffers[0]), (std::vector<float>{7, 7, 7, 7, 8, 9, 10, 11}));
}

TEST(Replay, RowsOfMemsetsAndCopiesKeepTheirPitch) {
  // C is 4 rows of 4. Zero the first two columns, then copy column 3 of rows 0 and 1 to column 0 of rows 2
  // and 3.
  auto plan = plan_on_c(16);
  plan.operations.push_back(plan::SetMemory{.to = {0, 0}, .value = 0, .width = 8, .rows = 4, .pitch = 16});
  plan.operations.push_back(plan::CopyWithin{
      .to = {0, 32}, .from = {0, 12}, .width = 4, .rows = 2, .to_pitch = 16, .from_pitch = 16});
  auto replay = new_replay();
  const auto run = replay.replay(plan, sevens(16));
  ASSERT_EQ(run.end, End::completed) << run.message;
  EXPECT_EQ(floats(run.buffers[0]), (std::vector<float>{0, 0, 7, 7, 0, 0, 7, 7, 7, 0, 7, 7, 7, 0, 7, 7}));
}

TEST(Replay, ScratchHoldsNoUsableValueBeforeItIsWritten) {
  auto plan = plan_on_c(4);
  plan.buffers.push_back({.owner = plan::Owner::student, .name = "scratch 1", .bytes = 16});
  plan.operations.push_back(plan::Allocate{1});
  auto launch = launch_of("add", {}, {32, 1, 1});
  ArgumentBuilder(launch).pointer(0).pointer(1).value(4);
  plan.operations.push_back(launch);
  auto replay = new_replay();
  const auto run = replay.replay(plan, sevens(4));
  ASSERT_EQ(run.end, End::completed) << run.message;
  for (const float value : run.buffers[0].as<float>()) EXPECT_TRUE(std::isnan(value));
}

TEST(Replay, CopyToASymbolReachesConstantMemory) {
  auto plan = plan_on_c(4);
  plan.buffers.push_back({.owner = plan::Owner::module, .name = "factor", .bytes = 8});
  plan.operations.push_back(plan::CopyIn{.to = {1, 0}, .bytes = bytes_of({3.0f, 0.5f})});
  auto launch = launch_of("scale", {}, {32, 1, 1});
  ArgumentBuilder(launch).pointer(0).value(4);
  plan.operations.push_back(launch);
  auto replay = new_replay();
  const auto run = replay.replay(plan, sevens(4));
  ASSERT_EQ(run.end, End::completed) << run.message;
  EXPECT_EQ(floats(run.buffers[0]), std::vector<float>(4, 21.5f));
}

TEST(Replay, SymbolOfAnotherSizeIsRefused) {
  auto plan = plan_on_c(4);
  plan.buffers.push_back({.owner = plan::Owner::module, .name = "factor", .bytes = 12});
  auto replay = new_replay();
  const auto run = replay.replay(plan, sevens(4));
  EXPECT_EQ(run.end, End::launch_error);
  EXPECT_EQ(run.message, "variable factor has 8 bytes in the device code, but the plan says 12");
}

TEST(Replay, DeviceVariablesDoNotSurviveToTheNextRun) {
  auto plan = plan_on_c(1);
  auto launch = launch_of("count_calls", {}, {});
  ArgumentBuilder(launch).pointer(0);
  plan.operations.assign(3, launch);
  auto replay = new_replay();
  for (int i = 0; i < 3; ++i) {
    const auto run = replay.replay(plan, sevens(1));
    ASSERT_EQ(run.end, End::completed) << run.message;
    EXPECT_EQ(run.buffers[0].as<float>()[0], 3.0f) << "run " << i;  // three launches, counted from zero
    const auto timed = replay.time_once(plan, sevens(1));
    ASSERT_EQ(timed.run.end, End::completed) << timed.run.message;
    EXPECT_EQ(timed.run.buffers[0].as<float>()[0], 3.0f) << "timed run " << i;
  }
}

TEST(Replay, DynamicSharedMemoryAboveTheDefaultWorksOnceAllowed) {
  auto plan = plan_on_c(256);
  plan.operations.push_back(
      plan::SetFunctionAttribute{.kernel = "uses_shared",
                                 .attribute = plan::FunctionAttribute::max_dynamic_shared_bytes,
                                 .value = 60000});
  auto launch = launch_of("uses_shared", {}, {256, 1, 1});
  launch.dynamic_shared_bytes = 60000;
  ArgumentBuilder(launch).pointer(0);
  plan.operations.push_back(launch);
  auto replay = new_replay();
  const auto run = replay.replay(plan, sevens(256));
  ASSERT_EQ(run.end, End::completed) << run.message;
  EXPECT_EQ(run.buffers[0].as<float>()[0], 510.0f);  // 2 * (256 - 1 - 0)
}

TEST(Guards, AStoreJustPastTheEndIsFound) {
  auto replay = new_replay();
  const auto run = replay.replay(storing_at(4096), sevens(1024));
  ASSERT_EQ(run.end, End::completed) << run.message;
  ASSERT_EQ(run.guards_written.size(), 1u);
  // 1.0f is 0x3f800000 and the pattern 0x7fbadbad: all 4 bytes differ.
  EXPECT_EQ(run.guards_written[0], "C: 4 bytes past the end were overwritten, the nearest 1 byte past it");
}

TEST(Guards, AStoreBeforeTheStartIsFound) {
  auto replay = new_replay();
  const auto run = replay.replay(storing_at(-8), sevens(1024));
  ASSERT_EQ(run.end, End::completed) << run.message;
  ASSERT_EQ(run.guards_written.size(), 1u);
  EXPECT_EQ(run.guards_written[0],
            "C: 4 bytes before the start were overwritten, the nearest 5 bytes before it");
}

TEST(Guards, AreRestoredForTheNextRun) {
  auto replay = new_replay();
  ASSERT_EQ(replay.replay(storing_at(4096), sevens(1024)).guards_written.size(), 1u);
  EXPECT_TRUE(replay.replay(storing_at(0), sevens(1024)).guards_written.empty());
}

TEST(Guards, AreCheckedInTimedRunsToo) {
  auto replay = new_replay();
  const auto timed = replay.time_once(storing_at(60000), sevens(1024));
  ASSERT_EQ(timed.run.end, End::completed) << timed.run.message;
  EXPECT_EQ(timed.run.guards_written.size(), 1u);
}

TEST(Guards, AReadPastTheEndReturnsNaN) {
  auto plan = plan_on_c(1024);
  auto launch = launch_of("load_at", {}, {});
  ArgumentBuilder(launch).pointer(0).value(std::int64_t{4096}).pointer(0);
  plan.operations.push_back(launch);
  auto replay = new_replay();
  const auto run = replay.replay(plan, sevens(1024));
  ASSERT_EQ(run.end, End::completed) << run.message;
  EXPECT_TRUE(std::isnan(run.buffers[0].as<float>()[0]));
}

TEST(Printing, DevicePrintfIsCapturedAndCapped) {
  auto plan = plan_on_c(1);
  auto launch = launch_of("chatter", {}, {2, 1, 1});
  ArgumentBuilder(launch).value(42);
  plan.operations.push_back(launch);
  auto replay = new_replay();
  auto run = replay.replay(plan, sevens(1));
  ASSERT_EQ(run.end, End::completed) << run.message;
  EXPECT_EQ(run.printed, "thread 0 says 42\nthread 1 says 42\n");

  auto flood = launch_of("chatter", {64, 1, 1}, {1024, 1, 1});
  ArgumentBuilder(flood).value(42);
  plan.operations.assign(1, flood);  // 65536 lines of 17 to 21 bytes: a megabyte
  run = replay.replay(plan, sevens(1));
  ASSERT_EQ(run.end, End::completed) << run.message;
  EXPECT_LE(run.printed.size(), machine().options.output_bytes + 100);
  EXPECT_NE(run.printed.find("more bytes were printed and dropped"), std::string::npos);
}

}  // namespace
}  // namespace warpgrade::gpu
