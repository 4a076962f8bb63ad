// Blocks that represent others: what a few of them say about a launch holds for the whole launch.
#include "simulate/sample.hpp"

#include <gtest/gtest.h>

#include <cstring>

#include "ptx/parser.hpp"
#include "simulate/simulate.hpp"

namespace warpgrade::run {
namespace {

TEST(SampledBlocks, EachBlockOfTheGridIsRepresentedOnce) {
  for (const simt::Dim3 grid : {simt::Dim3{1, 1, 1}, simt::Dim3{4, 4, 1}, simt::Dim3{17, 1, 1},
                                simt::Dim3{64, 64, 1}, simt::Dim3{2, 300, 1}, simt::Dim3{5, 6, 7}}) {
    const SampleBlocks chosen = choose_blocks(grid);
    std::uint64_t all = 0;
    for (const SampleBlocks::Kind &kind : chosen.kinds) all += kind.stands_for;
    EXPECT_EQ(all, std::uint64_t{grid.x} * grid.y * grid.z) << grid.x << " x " << grid.y << " x " << grid.z;
  }
}

// y[row * n + col] = x[row * n + col], for row and col below n; blocks of 32 x 4 threads.
constexpr std::string_view copy_kernel = R"(
.version 7.1
.target sm_80
.address_size 64
.visible .entry copy(.param .u64 x, .param .u64 y, .param .u32 n) {
  .reg .pred %p<2>;
  .reg .b32 %r<9>;
  .reg .b64 %rd<6>;
  .reg .f32 %f<2>;
  ld.param.u64 %rd1, [x];
  ld.param.u64 %rd2, [y];
  ld.param.u32 %r1, [n];
  mov.u32 %r2, %ctaid.x;
  mov.u32 %r3, %tid.x;
  mad.lo.s32 %r4, %r2, 32, %r3;
  mov.u32 %r5, %ctaid.y;
  mov.u32 %r6, %tid.y;
  mad.lo.s32 %r7, %r5, 4, %r6;
  max.u32 %r8, %r4, %r7;
  setp.ge.u32 %p1, %r8, %r1;
  @%p1 bra done;
  mad.lo.s32 %r8, %r7, %r1, %r4;
  mul.wide.u32 %rd3, %r8, 4;
  add.s64 %rd4, %rd1, %rd3;
  add.s64 %rd5, %rd2, %rd3;
  ld.global.f32 %f1, [%rd4];
  add.f32 %f1, %f1, 0f3F800000;
  st.global.f32 [%rd5], %f1;
done:
  ret;
}
)";

plan::LaunchPlan plan_of(std::uint32_t n) {
  const std::uint64_t bytes = std::uint64_t{4} * n * n;
  plan::LaunchPlan plan;
  plan.buffers = {{plan::Owner::judge, "X", bytes}, {plan::Owner::judge, "Y", bytes}};
  plan::Launch launch;
  launch.kernel = "copy";
  launch.grid = {(n + 31) / 32, (n + 3) / 4, 1};
  launch.block = {32, 4, 1};
  launch.arguments.resize(20);
  std::memcpy(&launch.arguments[16], &n, sizeof n);
  launch.pointers = {{0, {0, 0}}, {8, {1, 0}}};
  plan.operations = {launch};
  return plan;
}

std::vector<HostBuffer> buffers(std::size_t elements) {
  return {host_buffer("X", Role::input, std::vector<float>(elements, 1.0f)),
          host_buffer("Y", Role::in_out, std::vector<float>(elements, 0.0f))};
}

// Each thread of a grid of one row of blocks reads x[(i * stride + thread) mod m] for i = 0 to 63.
constexpr std::string_view round_kernel = R"(
.version 7.1
.target sm_80
.address_size 64
.visible .entry round(.param .u64 x, .param .u64 y, .param .u32 stride, .param .u32 m) {
  .reg .pred %p<2>;
  .reg .b32 %r<9>;
  .reg .b64 %rd<5>;
  .reg .f32 %f<3>;
  ld.param.u64 %rd1, [x];
  ld.param.u64 %rd2, [y];
  ld.param.u32 %r1, [stride];
  ld.param.u32 %r2, [m];
  mov.u32 %r3, %ctaid.x;
  mov.u32 %r4, %ntid.x;
  mov.u32 %r5, %tid.x;
  mad.lo.s32 %r3, %r3, %r4, %r5;
  mov.u32 %r6, 0;
  mov.f32 %f1, 0f00000000;
again:
  rem.u32 %r7, %r3, %r2;
  mul.wide.u32 %rd3, %r7, 4;
  add.s64 %rd4, %rd1, %rd3;
  ld.global.f32 %f2, [%rd4];
  add.f32 %f1, %f1, %f2;
  add.s32 %r3, %r3, %r1;
  add.s32 %r6, %r6, 1;
  setp.lt.u32 %p1, %r6, 64;
  @%p1 bra again;
  mul.wide.u32 %rd3, %r5, 4;
  add.s64 %rd4, %rd2, %rd3;
  st.global.f32 [%rd4], %f1;
  ret;
}
)";

double loaded_before(std::uint32_t stride, std::uint32_t m) {
  plan::LaunchPlan plan;
  plan.buffers = {{plan::Owner::judge, "X", std::uint64_t{4} * m}, {plan::Owner::judge, "Y", 1024}};
  plan::Launch launch;
  launch.kernel = "round";
  launch.grid = {64, 1, 1};
  launch.block = {256, 1, 1};
  launch.arguments.resize(24);
  std::memcpy(&launch.arguments[16], &stride, sizeof stride);
  std::memcpy(&launch.arguments[20], &m, sizeof m);
  launch.pointers = {{0, {0, 0}}, {8, {1, 0}}};
  plan.operations = {launch};
  SimulateOptions few;
  few.sample_blocks = true;
  const auto code = std::make_shared<const simt::DeviceCode>(ptx::parse(round_kernel));
  const auto run = simulate(plan, code,
                            {host_buffer("X", Role::input, std::vector<float>(m, 1.0f)),
                             host_buffer("Y", Role::in_out, std::vector<float>(256, 0.0f))},
                            few);
  EXPECT_EQ(run.end, End::completed) << run.message;
  return run.sampled.empty() ? -1 : run.sampled[0].loaded_before;
}

TEST(SampledBlocks, DataLoadedEarlierByAnotherBlockDifferFromDataThatAllLoadTogether) {
  constexpr std::uint32_t grid = 64 * 256;
  EXPECT_EQ(loaded_before(grid, 64 * grid), 0) << "every element once";
  // Fewer elements than threads, and each turn begins elsewhere: most warps come to what others have had.
  EXPECT_GT(loaded_before(grid, grid / 8 - 352), 0.5);
}

TEST(SampledBlocks, CountersOfAFewBlocksAreThoseOfTheLaunch) {
  const auto code = std::make_shared<const simt::DeviceCode>(ptx::parse(copy_kernel));
  for (const std::uint32_t n : {256u, 200u, 131u}) {
    SimulateOptions few;
    few.sample_blocks = true;
    const auto all = simulate(plan_of(n), code, buffers(std::size_t{n} * n), {});
    const auto some = simulate(plan_of(n), code, buffers(64), few);
    ASSERT_EQ(all.end, End::completed) << all.message;
    ASSERT_EQ(some.end, End::completed) << some.message;
    ASSERT_EQ(some.sampled.size(), 1u);
    EXPECT_LT(some.sampled[0].blocks.size(), 16u);
    simt::LineCounters sum;
    for (const SampledBlock &block : some.sampled[0].blocks)
      for (std::uint64_t i = 0; i < block.stands_for; ++i) sum += block.counters;
    EXPECT_EQ(sum.warp_instructions, all.counters->warp_instructions) << n;
    EXPECT_EQ(sum.thread_instructions, all.counters->thread_instructions) << n;
    EXPECT_EQ(sum.by_class, all.counters->by_class) << n;
    EXPECT_EQ(sum.fp32_flops(), all.counters->fp32_flops()) << n;
    EXPECT_EQ(sum.global_load.requests, all.counters->global_load.requests) << n;
    EXPECT_EQ(sum.global_store.bytes, all.counters->global_store.bytes) << n;
    const std::uint64_t loaded = some.sampled[0].path.reuse().first;
    EXPECT_TRUE(loaded == 4 || (loaded == 5 && n % 8 != 0)) << "a warp loads 128 bytes, once: " << loaded;
    EXPECT_EQ(some.sampled[0].path.reuse().again, decltype(simt::Reuse::again){});
    if (n % 8 != 0) continue;  // else rows begin within a sector, and blocks differ by where
    EXPECT_EQ(sum.sectors(), all.counters->sectors()) << n;
  }
}

}  // namespace
}  // namespace warpgrade::run
