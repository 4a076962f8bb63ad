// Times: students' and cuBLAS's, on fresh inputs, every one verified.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <filesystem>

#include "base/statistics.hpp"
#include "gpu/measure.hpp"
#include "tests/gpu/device_code.hpp"
#include "tests/gpu/plans.hpp"

namespace warpgrade::gpu {
namespace {

using run::End;

Replay new_replay() {
  return Replay(machine().device, test_fat_binary(), {}, machine().options);
}

/// As the tensor cores of TF32 see a float: 10 bits after the point, rounded to nearest.
float as_tf32(float value) {
  std::uint32_t bits = 0;
  std::memcpy(&bits, &value, sizeof bits);
  bits = (bits + 0x1000u) & ~0x1fffu;
  std::memcpy(&value, &bits, sizeof bits);
  return value;
}

TEST(Cublas, AgreesWithTheDoubleReferenceAndIsNotTf32) {
  Referee referee(machine().device, machine().options);
  for (const Sgemm &problem : {Sgemm{512, 512, 512, 1.0f, 0.0f}, Sgemm{300, 257, 1000, 0.5f, 2.0f},
                               Sgemm{1, 1, 1, 1.0f, 1.0f}, Sgemm{67, 1, 129, 1.0f, -1.0f}}) {
    ASSERT_EQ(referee.take(product_of(problem), 2e-6), "");
    ASSERT_EQ(referee.deal(21), "");
    const auto time = referee.multiply();
    ASSERT_EQ(time.why, "");
    const auto inputs = problem::find_problem("sgemm")->inputs(case_of(problem), 21);
    const double error = worst_error(problem, inputs, referee.cublas_product());
    EXPECT_LE(error, 2e-6) << problem.m << " x " << problem.n << " x " << problem.k;
    std::printf("  %s: %lld x %lld x %lld: error %.2g, %.1f us\n", referee.cublas_version().c_str(),
                static_cast<long long>(problem.m), static_cast<long long>(problem.n),
                static_cast<long long>(problem.k), error, time.sample.seconds * 1e6);
  }
  // The bound tells: the same product from inputs rounded to TF32 fails it, with exact sums even.
  const Sgemm problem{64, 64, 1000, 1.0f, 0.0f};
  const auto inputs = sgemm_inputs(problem, 22);
  auto rounded = inputs;
  for (const auto matrix : {rounded[0].as<float>(), rounded[1].as<float>()})
    for (auto &value : matrix) value = as_tf32(value);
  std::vector<float> product;
  for (std::int64_t row = 0; row < problem.m; ++row)
    for (std::int64_t column = 0; column < problem.n; ++column)
      product.push_back(static_cast<float>(reference_of_cell(problem, rounded, row, column).want));
  EXPECT_GT(worst_error(problem, inputs, product), 5e-6);
}

TEST(Cublas, AgreesForManyProductsAndForEightBits) {
  Referee referee(machine().device, machine().options);
  const auto compare = [&](const char *name, const problem::Case &c) {
    const problem::Problem &p = *problem::find_problem(name);
    ASSERT_EQ(referee.take(p.product(c).value(), 8e-6), "");
    ASSERT_EQ(referee.deal(23), "");
    const auto time = referee.multiply();
    ASSERT_EQ(time.why, "") << name;
    const auto inputs = p.inputs(c, 23);
    auto outputs = inputs;
    outputs[2] = run::host_buffer("C", run::Role::in_out, referee.cublas_product());
    const auto seen = p.compare(c, inputs, p.reference(c, inputs), outputs, 8e-6);
    EXPECT_EQ(seen.wrong, 0u) << name;
    std::printf("  %s at %s: error %.2g of the bound, %.1f us\n", name, p.case_name(c).c_str(),
                seen.max_error, time.sample.seconds * 1e6);
  };
  compare("hgemm_batched", {{256, 256, 256, 64}, {1, 0}});
  compare("hgemm_batched", {{24, 136, 40, 3}, {-0.5, 3}});
  if (machine().device.major < 9) return;  // older GPUs do not multiply e4m3 in cuBLASLt, or not all of it
  compare("gemm_e4m3", {{512, 256, 512}, {1, 1}});
  compare("gemm_e4m3", {{256, 512, 8192}, {0.25, 3}});
}

TEST(Timing, EventsAndTheHostsClockAgreeOnShortKernels) {
  auto replay = new_replay();
  const Sgemm problem{32, 32, 32, 1.0f, 0.0f};
  for (int i = 0; i < 5; ++i) {
    const auto timed = replay.time_once(sgemm_plan("sgemm_tile", problem), sgemm_inputs(problem, 3));
    ASSERT_EQ(timed.run.end, End::completed) << timed.run.message;
    EXPECT_GT(timed.sample.seconds, 0);
    EXPECT_LE(timed.sample.seconds, timed.sample.outer_seconds);
    std::printf("  32 x 32 x 32: events %.1f us, host %.1f us, outer %.1f us\n", timed.sample.seconds * 1e6,
                timed.sample.host_seconds * 1e6, timed.sample.outer_seconds * 1e6);
  }
}

TEST(Referee, DrawsTheInputsOfTheProblemAndSharesItsMemory) {
  Referee referee(machine().device, machine().options);
  auto replay = new_replay();
  for (const Sgemm &problem :
       {Sgemm{65, 127, 33, 0.5f, 2.0f}, Sgemm{1, 1, 1, 1, 0}, Sgemm{1000, 3, 1025, 1, 1}}) {
    ASSERT_EQ(referee.take(product_of(problem), 2e-6), "");
    for (const std::uint64_t seed : {3u, 4u}) {
      ASSERT_EQ(referee.deal(seed), "");
      const auto timed = referee.run(replay, sgemm_plan("sgemm_naive", problem));
      ASSERT_EQ(timed.run.end, End::completed) << timed.run.message;
      EXPECT_TRUE(timed.run.buffers.empty()) << "this driver cannot share memory: it went over the host";
      const Checked checked = referee.check(99);
      EXPECT_EQ(checked.why, "");
      EXPECT_EQ(checked.finding, "");
      EXPECT_TRUE(checked.guards.empty());
    }
  }
}

TEST(Referee, FindsWrongResults) {
  Referee referee(machine().device, machine().options);
  auto replay = new_replay();
  const Sgemm problem{128, 64, 100, 1, 0.5f};
  const auto checked_with = [&](std::uint32_t buffer, std::int64_t at) {
    auto plan = sgemm_plan("sgemm_naive", problem);
    auto launch = launch_of("store_at", {}, {});
    ArgumentBuilder(launch).pointer(buffer).value(at);
    plan.operations.push_back(launch);
    EXPECT_EQ(referee.take(product_of(problem), 2e-6), "");
    EXPECT_EQ(referee.deal(8), "");
    const auto timed = referee.run(replay, plan);
    EXPECT_EQ(timed.run.end, End::completed) << timed.run.message;
    return referee.check(5);
  };
  EXPECT_TRUE(checked_with(2, (128 * 64 - 1) * 4).finding.starts_with("C[127, 63] is "));
  EXPECT_EQ(checked_with(0, 12).finding, "the read-only matrix A was changed");
  EXPECT_EQ(checked_with(2, 128 * 64 * 4).guards,
            std::vector<std::string>{"C: 4 bytes past the end were overwritten, the nearest 1 byte past it"});
}

TEST(Referee, ReadsClocksTemperatureAndPower) {
  Referee referee(machine().device, machine().options);
  auto replay = new_replay();
  const Sgemm problem{512, 512, 512, 1, 0};
  ASSERT_EQ(referee.take(product_of(problem), 2e-6), "");
  ASSERT_EQ(referee.deal(8), "");
  referee.run(replay, sgemm_plan("sgemm_tile", problem));
  const Checked checked = referee.check(5);
  ASSERT_TRUE(checked.state) << referee.why_no_state();
  std::printf("  SM %d MHz, memory %d MHz, %d C, %.0f W, reasons 0x%llx (%s)\n", checked.state->sm_mhz,
              checked.state->memory_mhz, checked.state->celsius, checked.state->watts,
              static_cast<unsigned long long>(checked.state->reasons),
              throttle_reasons(*checked.state).c_str());
  EXPECT_GT(checked.state->sm_mhz, 0);
}

TEST(Timing, MeasuresATileKernelBesideCublas) {
  auto replay = new_replay();
  Referee referee(machine().device, machine().options);
  const Sgemm problem{1024, 1024, 1024, 1.0f, 0.5f};
  const auto plan = sgemm_plan("sgemm_tile", problem);
  TimingOptions options;
  options.lock_directory = std::filesystem::temp_directory_path();
  double medians[2] = {};
  for (double &median : medians) {
    DealtTrial trial(replay, referee, plan, product_of(problem), 2e-6);
    const auto m = measure_alone({machine().device}, trial, options);
    ASSERT_TRUE(m.ok) << m.why;
    EXPECT_GE(m.samples.size(), 20u);
    const auto seconds = m.seconds();
    median = quantile(seconds, 0.5);
    EXPECT_LE((quantile(seconds, 0.9) - quantile(seconds, 0.1)) / median, 0.05);
    ASSERT_EQ(m.library_seconds().size(), m.samples.size()) << m.why_no_library;
    const double flops = 2.0 * 1024 * 1024 * 1024, cublas = quantile(m.library_seconds(), 0.5);
    std::printf(
        "  1024: tile %.1f us = %.0f GFLOPS, cuBLAS %.1f us = %.0f GFLOPS, %zu samples, %d warm-up runs%s, "
        "%zu throttled\n",
        median * 1e6, flops / median * 1e-9, cublas * 1e6, flops / cublas * 1e-9, m.samples.size(),
        m.warmup_runs, m.settled ? "" : ", never settled", m.throttled.size());
  }
  EXPECT_NEAR(medians[1] / medians[0], 1.0, 0.02);
}

TEST(Timing, AFaultEndsTheMeasurementWithItsRun) {
  auto replay = new_replay();
  Referee referee(machine().device, machine().options);
  const Sgemm problem{64, 64, 64, 1, 0};
  auto plan = sgemm_plan("sgemm_naive", problem);
  auto launch = launch_of("store_at", {}, {});
  ArgumentBuilder(launch).pointer(2).value(std::int64_t{16} << 20);
  plan.operations.push_back(launch);
  DealtTrial trial(replay, referee, plan, product_of(problem), 2e-6);
  const auto m = measure(trial, {});
  EXPECT_FALSE(m.ok);
  ASSERT_TRUE(m.failed);
  EXPECT_EQ(m.failed->end, End::fault);
}

}  // namespace
}  // namespace warpgrade::gpu
