// Whole kernels as nvcc compiles them, bit for bit.
#include "sgemm.hpp"

namespace warpgrade::simt {
namespace {

using testing::Sgemm;

TEST(Sgemm, TileKernelIsExactOnRaggedSizes) {
  for (const auto &[m, n, k] :
       {std::array{1, 1, 1}, std::array{31, 33, 32}, std::array{67, 1, 129}, std::array{97, 65, 40}}) {
    Sgemm problem(m, n, k);
    const LaunchResult result = problem.device.launch(problem.tile32());
    ASSERT_EQ(result.status, Status::completed) << testing::last(result);
    EXPECT_TRUE(result.diagnostics.empty()) << testing::last(result);
    EXPECT_EQ(problem.result(), problem.want) << m << " x " << n << " x " << k;
  }
}

TEST(Sgemm, NaiveKernelIsExactOnRaggedSizes) {
  Sgemm problem(45, 37, 19);
  const LaunchResult result = problem.device.launch(problem.naive());
  ASSERT_EQ(result.status, Status::completed) << testing::last(result);
  EXPECT_EQ(problem.result(), problem.want);
}

TEST(Sgemm, BlockTilesAreExact) {
  for (const char *name : {"blocktile2d", "vectorized"}) {
    Sgemm problem(128, 256, 24);
    const LaunchResult result = problem.device.launch(problem.launch(name, {2, 1, 1}, {256, 1, 1}));
    ASSERT_EQ(result.status, Status::completed) << testing::last(result);
    EXPECT_TRUE(result.diagnostics.empty()) << testing::last(result);
    EXPECT_EQ(problem.result(), problem.want) << name;
  }
}

TEST(Sgemm, ResultsDoNotDependOnThreadsOrSeed) {
  Sgemm plain(70, 70, 70);
  const LaunchResult first = plain.device.launch(plain.tile32());
  for (const int threads : {2, 4}) {
    Options options;
    options.threads = threads;
    options.alone_until = 0;
    options.schedule_seed = static_cast<std::uint64_t>(threads);
    Sgemm other(70, 70, 70, options);
    const LaunchResult second = other.device.launch(other.tile32());
    EXPECT_EQ(other.result(), plain.result());
    EXPECT_EQ(second.counters, first.counters);
    EXPECT_EQ(second.warp_instructions, first.warp_instructions);
  }
}

TEST(Sgemm, OutOfBoundsNamesLineBufferAndDistance) {
  // C lacks its last 4 bytes: only the last element, of thread (31, 31), is outside.
  for (const int threads : {1, 3}) {
    Options options;
    options.threads = threads;
    options.alone_until = 0;
    Sgemm problem(64, 64, 32, options, 4);
    const LaunchResult result = problem.device.launch(problem.tile32());
    ASSERT_EQ(result.status, Status::fault);
    EXPECT_EQ(testing::last(result),
              "sgemm.cu:32: error: load of 4 bytes that starts at the end of C (16380 bytes): element 4095, "
              "the last is "
              "4094, thread (31,31,0) of block (1,1,0) of tile32");
    EXPECT_EQ(result.diagnostics.back().code, Code::out_of_bounds);
    EXPECT_EQ(result.diagnostics.back().buffer, "C");
    EXPECT_EQ(result.diagnostics.back().distance_bytes, 4);
  }
}

TEST(Sgemm, FlopsAreWhatTheKernelSays) {
  // 64^3 fma of the loop, and per element one fma and one mul to scale.
  Sgemm problem(64, 64, 64);
  const LaunchResult result = problem.device.launch(problem.tile32());
  EXPECT_EQ(result.counters.fp32_fma, 64u * 64 * 64 + 64 * 64);
  EXPECT_EQ(result.counters.fp32_mul, 64u * 64);
  // per k: As[y][k] and Bs[k][x], once per warp; a block of 32 warps, 4 blocks, 2 tiles of 32
  EXPECT_EQ(result.counters.shared_load.requests, 4u * 32 * 2 * 32 * 2);
  EXPECT_EQ(result.counters.shared_load.wavefronts, result.counters.shared_load.requests);
  EXPECT_EQ(result.counters.shared_load.conflicts, 0u);
  // A and B: 32 warps x 2 tiles x 2 loads x 4 blocks, of 4 sectors; C: 32 x 4 loads of 4
  EXPECT_EQ(result.counters.global_load.requests, 4u * 32 * 2 * 2 + 4 * 32);
  EXPECT_EQ(result.counters.global_load.sectors, 4 * result.counters.global_load.requests);
  EXPECT_EQ(result.counters.global_store.requests, 4u * 32);
  EXPECT_EQ(result.counters.lines.at({"sgemm.cu", 29}).fp32_fma, 64u * 64 * 64);
  EXPECT_EQ(result.counters.lines.at({"sgemm.cu", 29}).shared_load.requests, 4u * 32 * 2 * 32 * 2);
}

}  // namespace
}  // namespace warpgrade::simt
