// What readings of a GPU's energy counter say of one run, with readings that a test makes up.
#include "gpu/energy.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace warpgrade::gpu {
namespace {

/// Readings every 5 ms of a GPU that draws `watts(t)` and ends a run each millisecond; its counter advances every
/// `step` seconds.
template <typename Watts>
std::vector<EnergyReading> readings(double seconds, double step, const Watts &watts) {
  constexpr double interval = 5e-3, run = 1e-3, slice = 1e-4;
  std::vector<EnergyReading> all;
  double used = 0, shown = 0, next = step;
  const auto slices = static_cast<int>(std::lround(seconds / slice));
  const int slices_between = static_cast<int>(std::lround(interval / slice));
  for (int i = 1; i <= slices; ++i) {
    const double t = i * slice;
    used += watts(t) * slice;
    if (t >= next) shown = used, next += step;
    if (i % slices_between == 0) all.push_back({t, std::floor(t / run), shown});
  }
  return all;
}

TEST(EnergyOfARun, IsWhatWasUsedBetweenTwoAdvancesOfTheCounterOverTheRunsBetweenThem) {
  const run::Energy e = energy_of(readings(1.3, 0.1, [](double) { return 400; }));
  EXPECT_EQ(e.why_not, "");
  // Advances at 0.3, 0.4, ... 1.3 s: 1 s, in which 1000 runs end and 400 J are used.
  EXPECT_NEAR(e.joules, 0.4, 0.4 * e.wrong_by);
  EXPECT_NEAR(e.seconds, 1, 0.01);
  EXPECT_NEAR(e.runs, 1000, 10);
  EXPECT_NEAR(e.watts, 400, 400 * e.wrong_by);
  // Each end lies within the 5 runs between two readings; halves of 500 runs may differ by as much for this alone.
  EXPECT_GE(e.wrong_by, 0.0099);
  EXPECT_LE(e.wrong_by, 0.0201);
}

TEST(EnergyOfARun, LeavesOutTheRiseOfThePower) {
  const run::Energy e = energy_of(readings(1.5, 0.1, [](double t) { return t < 0.2 ? 100 : 400; }));
  EXPECT_NEAR(e.joules, 0.4, 0.4 * e.wrong_by);
  EXPECT_LT(e.wrong_by, 0.02);
}

TEST(EnergyOfARun, IsLessCertainWhereThePowerDrifts) {
  const run::Energy steady = energy_of(readings(2, 0.1, [](double) { return 400; }));
  const run::Energy drifts = energy_of(readings(2, 0.1, [](double t) { return 300 + 100 * t; }));
  EXPECT_GT(drifts.wrong_by, steady.wrong_by + 0.05);
}

TEST(EnergyOfARun, IsNotGivenWhereTheCounterHardlyAdvances) {
  const run::Energy e = energy_of(readings(1, 0.3, [](double) { return 400; }));
  EXPECT_EQ(e.why_not,
            "the GPU's counter of energy advanced 3 times while the run was repeated, which is too few");
  EXPECT_EQ(e.joules, 0);
  EXPECT_NE(energy_of({}).why_not, "");
}

TEST(EnergyOfARun, IsNotGivenWhereNoRunEndedBetweenAdvances) {
  std::vector<EnergyReading> all;
  for (int i = 0; i < 10; ++i) all.push_back({0.3 + 0.1 * i, 1, 40.0 * i});
  EXPECT_NE(energy_of(all).why_not, "");
}

}  // namespace
}  // namespace warpgrade::gpu
