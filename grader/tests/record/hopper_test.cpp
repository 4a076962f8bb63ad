// Launchers that use what only GPUs of compute capability 9.0 have (launchers/hopper.cu): from their calls
// through a plan to the simulator.
#include <gtest/gtest.h>

#include "plan/codec.hpp"
#include "simulate/simulate.hpp"
#include "studio.hpp"

namespace warpgrade::record {
namespace {

using Outcome = Recording::Outcome;

class Hopper : public testing::Test {
 protected:
  const tests::Studio studio{"hopper.cu", {}, sandbox::Sandbox::detect(), "compute_90a"};
  void SetUp() override { ASSERT_TRUE(studio.build.ok) << studio.build.message << studio.build.log; }
  std::string operations(int M) {
    recording = studio.record(M, plan::simulated_device(90));
    EXPECT_EQ(recording.outcome, Outcome::plan) << recording.message;
    return studio.operations(recording);
  }
  std::string refusal(int M) {
    recording = studio.record(M, plan::simulated_device(90));
    return said();
  }
  /// What the worker said.
  std::string said() const {
    EXPECT_EQ(recording.outcome, Outcome::bad_plan);
    const std::size_t from = recording.message.find('"') + 1;
    return recording.message.substr(from, recording.message.rfind('"') - from);
  }
  /// C after the plan has been to another process and has run on the simulator. A holds 0 to 15, B ten times
  /// that.
  std::vector<float> result() {
    Writer to;
    plan::encode(to, recording.plan);
    Reader from(to.bytes());
    const plan::LaunchPlan plan = plan::decode_plan(from);
    EXPECT_EQ(plan, recording.plan);
    std::vector<float> a(16), b(16);
    for (std::size_t i = 0; i < a.size(); ++i) a[i] = static_cast<float>(i), b[i] = 10 * a[i];
    const auto code = std::make_shared<const simt::DeviceCode>(studio.build.module);
    const run::Run run =
        run::simulate(plan, code,
                      {run::host_buffer("A", run::Role::input, a), run::host_buffer("B", run::Role::input, b),
                       run::host_buffer("C", run::Role::in_out, std::vector<float>(16))},
                      {});
    end = run.end;
    message = run.message;
    if (run.end != run::End::completed) return {};
    const auto c = run.buffers.at(2).as<float>();
    return {c.begin(), c.end()};
  }
  Recording recording;
  run::End end = run::End::our_failure;
  std::string message;
};

std::vector<float> multiples_of(float factor) {
  std::vector<float> all(16);
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = factor * static_cast<float>(i);
  return all;
}

TEST_F(Hopper, ATensorMapFetchesRowsOfA) {
  EXPECT_EQ(
      operations(1),
      "launch scale_rows <<<(2, 1, 1), (8, 1, 1)>>> with {tensor map of A: 4 x 4 f32, 16 bytes apart, in "
      "boxes of 4 x 2}, C\n");
  EXPECT_EQ(result(), multiples_of(1)) << message;
}

TEST_F(Hopper, AFunctionFoundByNameAndClusters) {
  EXPECT_EQ(operations(2),
            "launch scale_rows <<<(2, 1, 1), (8, 1, 1)>>> in clusters of 2 x 1 x 1 with {tensor map of B: 4 "
            "x 4 f32, "
            "16 bytes apart, in boxes of 4 x 2}, C\n");
  EXPECT_EQ(result(), multiples_of(20)) << message;
}

TEST_F(Hopper, ATensorMapInAStruct) {
  const std::string words = operations(3);  // the size of a CUtensorMap is not the same in all toolkits
  EXPECT_TRUE(words.starts_with("launch takes_struct(Arguments) <<<(4, 1, 1), (32, 1, 1)>>> with {"))
      << words;
  EXPECT_TRUE(words.ends_with(" bytes: C, tensor map of A: 4 x 4 f32, 16 bytes apart, in boxes of 4 x 2}\n"))
      << words;
  std::vector<float> ones(16);
  std::fill_n(ones.begin(), 4, 1.0f);
  EXPECT_EQ(result(), ones) << message;
}

TEST_F(Hopper, ATensorMapInConstantMemory) {
  EXPECT_EQ(
      operations(6),
      "copy 128 bytes from the host to kept: tensor map of A: 4 x 4 f32, 16 bytes apart, in boxes of 4 x 2\n"
      "launch scale_rows_kept <<<(2, 1, 1), (8, 1, 1)>>> with C\n");
  EXPECT_EQ(result(), multiples_of(1)) << message;
}

TEST_F(Hopper, TensorMapsInDeviceMemory) {
  const std::string words = operations(11);
  EXPECT_NE(
      words.find("copy 256 bytes from the host to scratch 1: tensor map of A: 4 x 4 f32, 16 bytes apart, in "
                 "boxes of 4 x 2, tensor map of B: 4 x 4 f32, 16 bytes apart, in boxes of 4 x 2\n"),
      std::string::npos)
      << words;
  EXPECT_EQ(result(), multiples_of(10)) << message;
}

TEST_F(Hopper, TheLauncherGetsTheErrorOfAGridOfHalfACluster) {
  const std::string words = operations(10);
  EXPECT_TRUE(words.ends_with("set 64 bytes at C to 0x01\n")) << words;
}

TEST_F(Hopper, AGridOfHalfAClusterIsReportedByTheReplay) {
  operations(4);
  EXPECT_TRUE(result().empty());
  EXPECT_EQ(end, run::End::launch_error);
  EXPECT_EQ(message, "a grid of 2 x 1 x 1 blocks cannot be divided into clusters of 3 x 1 x 1");
}

TEST_F(Hopper, WhatCudaWouldRefuseIsSaidWhereItIsCalled) {
  EXPECT_EQ(refusal(5), "cuTensorMapEncodeTiled: boxDim[1] is 300: it has to be 1 to 256");
  EXPECT_GT(studio.recorder.line_of(recording.callers), 0);
  EXPECT_EQ(refusal(7), "cuTensorMapEncodeTiled: globalAddress is not in memory of the device");
  EXPECT_EQ(refusal(9), "cudaGetDriverEntryPoint: device code comes from the compiled file only");
}

TEST_F(Hopper, TheDeviceHasTheLimitsOfItsGeneration) {
  EXPECT_EQ(operations(8),
            "allow scale_rows clusters of more than 8 blocks\n"
            "set 64 bytes at C to 0x01\n"
            "launch scale_rows <<<(2, 1, 1), (8, 1, 1)>>> in clusters of 2 x 1 x 1 with {tensor map of A: 4 "
            "x 4 f32, "
            "16 bytes apart, in boxes of 4 x 2}, C\n");
  EXPECT_EQ(result(), multiples_of(2)) << message;
}

TEST_F(Hopper, AnOlderDeviceHasNoTensorMaps) {
  recording = studio.record(1, {});
  EXPECT_EQ(said(),
            "cuTensorMapEncodeTiled: tensor maps need a GPU of compute capability 9.0, and this step is for "
            "older ones "
            "too");
}

}  // namespace
}  // namespace warpgrade::record
