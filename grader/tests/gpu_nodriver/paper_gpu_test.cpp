// The whole way through both processes on a driver without a GPU (fake_driver.cpp): what the parent and the
// child say to each other, not what a GPU does.
#include <gtest/gtest.h>

#include <filesystem>
#include <span>

#include "tests/gpu/plans.hpp"
#include "tests/gpu_nodriver/paper.hpp"

namespace warpgrade::gpu {
namespace {

using run::End;

Replay new_replay(ReplayLimits limits = {}, const std::string &image = "image") {
  const auto bytes = std::as_bytes(std::span(image));
  return Replay(paper_gpu(), {bytes.begin(), bytes.end()}, limits, paper());
}

plan::LaunchPlan launching(const std::string &kernel, std::uint64_t floats = 4) {
  auto plan = plan_on_c(floats);
  auto launch = launch_of(kernel, {}, {32, 1, 1});
  ArgumentBuilder(launch).pointer(0);
  plan.operations.push_back(launch);
  return plan;
}

TEST(PaperGpu, IsFoundAndDescribed) {
  const auto query = query_devices(paper());
  ASSERT_EQ(query.devices.size(), 1u) << query.why_none;
  const auto &device = query.devices[0];
  EXPECT_EQ(device.name, "Paper GPU");
  EXPECT_EQ(device.properties.name, "Paper GPU");
  EXPECT_EQ(device.major, 9);
  EXPECT_EQ(device.multiprocessors, 132);
  EXPECT_EQ(device.memory, std::uint64_t{1} << 30);
  EXPECT_EQ(device.properties.shared_bytes_per_block_optin, 232448u);
  EXPECT_EQ(device.properties.l2_bytes, 1 << 20);
  EXPECT_EQ(device.pci_bus_id, "0000:01:00.0");
  EXPECT_NE(device.driver_version.find("CUDA 13.0"), std::string::npos);
}

TEST(PaperGpu, ComputesAProduct) {
  auto replay = new_replay();
  for (const Sgemm &problem : {Sgemm{1, 1, 1, 1, 0}, Sgemm{33, 17, 5, 0.5f, 2.0f}, Sgemm{3, 70, 65, 1, -1}}) {
    const auto inputs = sgemm_inputs(problem, 1);
    const auto run = replay.replay(sgemm_plan("sgemm", problem), inputs);
    ASSERT_EQ(run.end, End::completed) << run.message;
    EXPECT_LE(worst_error(problem, inputs, run.buffers.at(2).as<float>()), 2e-6);
    EXPECT_EQ(floats(run.buffers[0]), floats(inputs[0]));
    EXPECT_TRUE(run.guards_written.empty());
  }
}

TEST(PaperGpu, ScratchCopiesMemsetsAndSymbolsTakeEffectInOrder) {
  // C = 7 7 7 7; factor = {2, 1}; scratch = bytes of 0; its first float goes to C[1]; scale C.
  auto plan = plan_on_c(4);
  plan.buffers.push_back({.owner = plan::Owner::student, .name = "scratch 1", .bytes = 8});
  plan.buffers.push_back({.owner = plan::Owner::module, .name = "factor", .bytes = 8});
  const std::vector<float> two_one{2, 1};
  const auto bytes = std::as_bytes(std::span(two_one));
  auto launch = launch_of("scale", {}, {});
  ArgumentBuilder(launch).pointer(0).value(4);
  plan.operations = {plan::Allocate{1},
                     plan::SetMemory{.to = {1, 0}, .value = 0, .width = 8, .rows = 1, .pitch = 0},
                     plan::CopyIn{.to = {2, 0}, .bytes = {bytes.begin(), bytes.end()}},
                     plan::CopyWithin{.to = {0, 4}, .from = {1, 0}, .width = 4},
                     launch,
                     plan::Free{1}};
  auto replay = new_replay();
  for (int i = 0; i < 2; ++i) {
    const auto run = replay.replay(plan, sevens(4));
    ASSERT_EQ(run.end, End::completed) << run.message;
    EXPECT_EQ(floats(run.buffers[0]), (std::vector<float>{15, 1, 15, 15}));
  }
}

TEST(PaperGpu, TensorMapsGetTheAddressOfTheirBufferAndLaunchesTheirClusters) {
  auto replay = new_replay();
  for (const std::uint32_t cluster : {0u, 1u, 2u}) {
    const auto run = replay.replay(scaling_plan(cluster), inputs_to_scale());
    ASSERT_EQ(run.end, End::completed) << run.message;
    EXPECT_EQ(floats(run.buffers[1]), rising(cluster == 2 ? 2 : 1));
  }
}

TEST(PaperGpu, TensorMapsInMemoryGetTheAddressOfTheirBuffer) {
  auto replay = new_replay();
  for (int i = 0; i < 2; ++i) {
    const auto run = replay.replay(scaling_plan_in_memory(), inputs_to_scale());
    ASSERT_EQ(run.end, End::completed) << run.message;
    EXPECT_EQ(floats(run.buffers[1]), rising(1));
  }
}

TEST(PaperGpu, WhatTheDriverRefusesOfAMapOrAClusterHasAReason) {
  auto replay = new_replay();
  const auto broken = replay.replay(scaling_plan(3), inputs_to_scale());
  EXPECT_EQ(broken.end, End::launch_error);
  EXPECT_NE(broken.message.find("a grid of 2 x 1 x 1 blocks cannot be divided into clusters of 3 x 1 x 1"),
            std::string::npos)
      << broken.message;
  auto plan = scaling_plan(0);
  std::get<plan::Launch>(plan.operations[0]).tensor_maps[0].map.rank = 1;
  const auto refused = replay.replay(plan, inputs_to_scale());
  EXPECT_EQ(refused.end, End::launch_error);
  EXPECT_NE(refused.message.find("its tensor map of 'A' was refused"), std::string::npos) << refused.message;
  plan = scaling_plan_in_memory();
  std::get<plan::CopyIn>(plan.operations[1]).tensor_maps[0].map.rank = 1;
  EXPECT_NE(replay.replay(plan, inputs_to_scale())
                .message.find("a copy to the device cannot be made: its tensor map of 'A' was refused"),
            std::string::npos);
}

TEST(PaperGpu, GuardZonesAreCheckedOnBothSides) {
  auto replay = new_replay();
  EXPECT_EQ(replay.replay(storing_at(4096), sevens(1024)).guards_written,
            std::vector<std::string>{"C: 4 bytes past the end were overwritten, the nearest 1 byte past it"});
  EXPECT_EQ(replay.replay(storing_at(-8), sevens(1024)).guards_written,
            std::vector<std::string>{
                "C: 4 bytes before the start were overwritten, the nearest 5 bytes before it"});
  // Two bytes inside, two outside: 1.0f is 00 00 80 3f from low to high.
  EXPECT_EQ(replay.replay(storing_at(4094), sevens(1024)).guards_written,
            std::vector<std::string>{"C: 2 bytes past the end were overwritten, the nearest 1 byte past it"});
  EXPECT_TRUE(replay.replay(storing_at(4092), sevens(1024)).guards_written.empty());
}

TEST(PaperGpu, DeviceVariablesStartAfreshInEveryRun) {
  auto replay = new_replay();
  for (int i = 0; i < 3; ++i)
    EXPECT_EQ(replay.replay(launching("count_calls"), sevens(4)).buffers.at(0).as<float>()[0], 1);
}

TEST(PaperGpu, ErrorsOfTheGpuEndTheRunAndNotTheNextOne) {
  auto replay = new_replay();
  auto run = replay.replay(launching("fault"), sevens(4));
  EXPECT_EQ(run.end, End::fault);
  EXPECT_EQ(run.message, "kernel fault: CUDA_ERROR_ILLEGAL_ADDRESS (as the test wants it)");
  EXPECT_EQ(replay.replay(launching("nothing"), sevens(4)).end, End::completed);
  run = replay.replay(launching("trap"), sevens(4));
  EXPECT_EQ(run.end, End::device_error);
  EXPECT_EQ(replay.replay(launching("nothing"), sevens(4)).end, End::completed);
}

TEST(PaperGpu, RefusedLaunchesSayWhy) {
  auto replay = new_replay();
  auto plan = launching("missing");
  EXPECT_EQ(replay.replay(plan, sevens(4)).message, "the device code has no kernel missing");
  plan = launching("nothing");
  std::get<plan::Launch>(plan.operations[0]).block = {33, 33, 1};
  auto run = replay.replay(plan, sevens(4));
  EXPECT_EQ(run.end, End::launch_error);
  EXPECT_EQ(run.message,
            "kernel nothing was not launched: a block of 1089 threads; this GPU takes at most 1024 (ERROR_1 "
            "(as the test "
            "wants it))");
  plan = launching("nothing");
  std::get<plan::Launch>(plan.operations[0]).dynamic_shared_bytes = 50000;
  run = replay.replay(plan, sevens(4));
  EXPECT_EQ(run.end, End::launch_error);
  EXPECT_NE(run.message.find("50000 bytes of dynamic shared memory, allowed are 49152"), std::string::npos);
  EXPECT_EQ(replay.replay(launching("nothing"), sevens(4)).end, End::completed);
}

TEST(PaperGpu, AnEndlessKernelMeetsTheTimeLimit) {
  auto replay = new_replay({.run_seconds = 0.2});
  const auto run = replay.replay(launching("spin_forever"), sevens(4));
  EXPECT_EQ(run.end, End::time_limit);
  EXPECT_EQ(run.message, "the plan did not finish within 0.2 s");
  EXPECT_TRUE(replay.gpu_came_back());
  EXPECT_EQ(replay.replay(launching("nothing"), sevens(4)).end, End::completed);
}

TEST(PaperGpu, AProcessThatEndsInTheMiddleIsOurFailure) {
  auto replay = new_replay();
  const auto run = replay.replay(launching("die"), sevens(4));
  EXPECT_EQ(run.end, End::our_failure);
  EXPECT_EQ(run.message, "the GPU process ended while running: exit status 3");
  EXPECT_EQ(replay.replay(launching("nothing"), sevens(4)).end, End::completed);
}

TEST(PaperGpu, OutOfMemoryIsADeviceError) {
  auto replay = new_replay({.scratch_bytes = std::uint64_t{1} << 40});
  auto plan = plan_on_c(4);
  plan.buffers.push_back(
      {.owner = plan::Owner::student, .name = "scratch 1", .bytes = std::uint64_t{1} << 34});
  plan.operations.push_back(plan::Allocate{1});
  const auto run = replay.replay(plan, sevens(4));
  EXPECT_EQ(run.end, End::device_error);
  EXPECT_NE(run.message.find("out of memory"), std::string::npos) << run.message;
}

TEST(PaperGpu, PrintingIsCapturedAndCapped) {
  auto replay = new_replay();
  auto run = replay.replay(launching("chatter"), sevens(4));
  ASSERT_EQ(run.end, End::completed) << run.message;
  EXPECT_TRUE(run.printed.starts_with("number 0\nnumber 1\n"));
  EXPECT_LE(run.printed.size(), paper().output_bytes + 100);
  // 10000 lines: 10 of 9 bytes, 90 of 10, 900 of 11, 9000 of 12 = 118890 bytes; 65536 are kept.
  EXPECT_TRUE(run.printed.ends_with("\n[53354 more bytes were printed and dropped]\n"))
      << run.printed.substr(65500);
  EXPECT_EQ(replay.replay(launching("nothing"), sevens(4)).printed, "");
}

TEST(PaperGpu, BadDeviceCodeIsOurFailure) {
  auto replay = new_replay({}, "bad");
  const auto run = replay.replay(launching("nothing"), sevens(4));
  EXPECT_EQ(run.end, End::our_failure);
  EXPECT_EQ(run.message, "loading the device code: ERROR_200 (as the test wants it)");
}

TEST(PaperGpu, DeviceVariablesLargerThanTheGpuAreADeviceError) {
  auto replay = new_replay({}, "huge");
  const auto run = replay.replay(launching("nothing"), sevens(4));
  EXPECT_EQ(run.end, End::device_error);
  EXPECT_EQ(run.message, "out of memory for the kernels' __device__ variables");
}

TEST(PaperGpu, InputsMustFitThePlan) {
  auto replay = new_replay();
  EXPECT_EQ(replay.replay(plan_on_c(4), sevens(5)).message,
            "buffer C has 16 bytes in the plan and 20 as an input");
  EXPECT_EQ(replay.replay(plan_on_c(4), {}).message, "the plan has 1 judge buffers, but 0 inputs were given");
}

}  // namespace
}  // namespace warpgrade::gpu
