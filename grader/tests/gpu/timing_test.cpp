// Times: students' and cuBLAS's, on fresh inputs, every one verified.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <filesystem>
#include <random>

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

/// 200 random cells of C within 2e-6 of the reference: each sample of a measurement is checked so.
std::string check_cells(const Sgemm &problem, int sample, const std::vector<run::HostBuffer> &inputs,
                        const std::vector<run::HostBuffer> &outputs) {
  std::mt19937_64 random(static_cast<std::uint64_t>(sample) + 1);
  for (int i = 0; i < 200; ++i) {
    const auto row = static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(problem.m));
    const auto column = static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(problem.n));
    const auto cell = reference_of_cell(problem, inputs, row, column);
    const double got = outputs[2].values[static_cast<std::size_t>(row * problem.n + column)];
    if (!(std::abs(got - cell.want) <= 2e-6 * cell.scale))
      return "C[" + std::to_string(row) + ", " + std::to_string(column) + "] is " + std::to_string(got) +
             ", should be " + std::to_string(cell.want);
  }
  return "";
}

TEST(Cublas, AgreesWithTheDoubleReferenceAndIsNotTf32) {
  CublasReference cublas(machine().device, machine().options);
  for (const Sgemm &problem : {Sgemm{512, 512, 512, 1.0f, 0.0f}, Sgemm{300, 257, 1000, 0.5f, 2.0f},
                               Sgemm{1, 1, 1, 1.0f, 1.0f}, Sgemm{67, 1, 129, 1.0f, -1.0f}}) {
    const auto inputs = sgemm_inputs(problem, 21);
    const auto result = cublas.sgemm(problem, inputs[0].values, inputs[1].values, inputs[2].values);
    ASSERT_EQ(result.why, "");
    const double error = worst_error(problem, inputs, result.c);
    EXPECT_LE(error, 2e-6) << problem.m << " x " << problem.n << " x " << problem.k;
    std::printf("  %s: %lld x %lld x %lld: error %.2g, %.1f us\n", cublas.version().c_str(),
                static_cast<long long>(problem.m), static_cast<long long>(problem.n),
                static_cast<long long>(problem.k), error, result.sample.seconds * 1e6);
  }
  // The bound tells: the same product from inputs rounded to TF32 fails it, with exact sums even.
  const Sgemm problem{64, 64, 1000, 1.0f, 0.0f};
  const auto inputs = sgemm_inputs(problem, 22);
  auto rounded = inputs;
  for (auto *matrix : {&rounded[0].values, &rounded[1].values})
    for (auto &value : *matrix) value = as_tf32(value);
  std::vector<float> product;
  for (std::int64_t row = 0; row < problem.m; ++row)
    for (std::int64_t column = 0; column < problem.n; ++column)
      product.push_back(static_cast<float>(reference_of_cell(problem, rounded, row, column).want));
  EXPECT_GT(worst_error(problem, inputs, product), 5e-6);
}

TEST(Cublas, WrongSizesAreRefused) {
  CublasReference cublas(machine().device, machine().options);
  EXPECT_EQ(cublas.sgemm({2, 2, 2, 1, 0}, {1, 2, 3, 4}, {1, 2, 3, 4}, {1}).why,
            "the matrices for cuBLAS do not have the sizes of the problem");
}

TEST(Timing, EventsAndTheHostsClockAgreeOnShortKernels) {
  auto replay = new_replay();
  const Sgemm problem{32, 32, 32, 1.0f, 0.0f};
  for (int i = 0; i < 5; ++i) {
    const auto timed = replay.time_once(sgemm_plan("sgemm_tile", problem), sgemm_inputs(problem, 3));
    ASSERT_EQ(timed.run.end, End::completed) << timed.run.message;
    EXPECT_GT(timed.sample.seconds, 0);
    EXPECT_LE(timed.sample.seconds, timed.sample.outer_seconds);
    std::printf("  32 x 32 x 32: events %.1f us, outer %.1f us\n", timed.sample.seconds * 1e6,
                timed.sample.outer_seconds * 1e6);
  }
}

TEST(Timing, MeasuresATileKernelBesideCublas) {
  auto replay = new_replay();
  CublasReference cublas(machine().device, machine().options);
  const Sgemm problem{1024, 1024, 1024, 1.0f, 0.5f};
  std::vector<int> seen;
  const auto inputs = [&](int sample) {
    return sgemm_inputs(problem, static_cast<std::uint64_t>(sample + 1000));
  };
  const auto verify = [&](int sample, const auto &in, const auto &out) {
    seen.push_back(sample);
    return check_cells(problem, sample, in, out);
  };
  TimingOptions options;
  options.lock_directory = std::filesystem::temp_directory_path();
  double medians[2] = {};
  for (double &median : medians) {
    seen.clear();
    const auto m =
        measure(replay, &cublas, problem, sgemm_plan("sgemm_tile", problem), inputs, verify, options);
    ASSERT_TRUE(m.ok) << m.why;
    EXPECT_EQ(m.seconds.size(), 25u);
    EXPECT_EQ(seen.size(), 25u);  // every sample was verified
    EXPECT_LE(m.p10, m.median);
    EXPECT_LE(m.median, m.p90);
    EXPECT_LE((m.p90 - m.p10) / m.median, 0.05);
    ASSERT_TRUE(m.cublas_median) << m.why_no_cublas;
    EXPECT_EQ(m.cublas_seconds.size(), 25u);
    const double flops = 2.0 * 1024 * 1024 * 1024;
    std::printf(
        "  1024: tile %.1f us (p10 %.1f, p90 %.1f; outer %.1f) = %.0f GFLOPS, cuBLAS %.1f us = %.0f GFLOPS, "
        "%d warm-up runs\n",
        m.median * 1e6, m.p10 * 1e6, m.p90 * 1e6, quantile(m.outer_seconds, 0.5) * 1e6,
        flops / m.median * 1e-9, *m.cublas_median * 1e6, flops / *m.cublas_median * 1e-9, m.warmup_runs);
    median = m.median;
  }
  EXPECT_NEAR(medians[1] / medians[0], 1.0, 0.02);
}

TEST(Timing, AWrongSampleEndsTheMeasurementWithTheFinding) {
  auto replay = new_replay();
  const Sgemm problem{64, 64, 64, 1.0f, 0.0f};
  const auto m = measure(
      replay, nullptr, std::nullopt, sgemm_plan("sgemm_tile", problem),
      [&](int sample) { return sgemm_inputs(problem, static_cast<std::uint64_t>(sample + 1000)); },
      [](int sample, const auto &, const auto &) {
        return std::string(sample == 3 ? "C[0, 0] is wrong" : "");
      });
  EXPECT_FALSE(m.ok);
  EXPECT_EQ(m.why, "C[0, 0] is wrong");
  EXPECT_EQ(m.failed_sample, 3);
  EXPECT_EQ(m.seconds.size(), 3u);
  EXPECT_EQ(m.why_no_cublas, "no comparison with cuBLAS was asked for");
}

TEST(Timing, AFaultEndsTheMeasurementWithItsRun) {
  auto replay = new_replay();
  const auto m = measure(
      replay, nullptr, std::nullopt, storing_at(16 << 20), [](int) { return sevens(1024); },
      [](int, const auto &, const auto &) { return std::string(); });
  EXPECT_FALSE(m.ok);
  ASSERT_TRUE(m.failed);
  EXPECT_EQ(m.failed->end, End::fault);
}

}  // namespace
}  // namespace warpgrade::gpu
