#include "judge/speed.hpp"

#include <gtest/gtest.h>

namespace warpgrade::judge {
namespace {

/// n times that grow evenly from `from` to `to`.
std::vector<double> between(double from, double to, int n = 20) {
  std::vector<double> values;
  for (int i = 0; i < n; ++i) values.push_back(from + (to - from) * i / (n - 1));
  return values;
}

TEST(Rate, IsThatOfTheMedianWithTheEndsOfItsInterval) {
  const Rate rate =
      rate_of(1e9, between(1e-3, 1.019e-3));  // steps of 1 us; the interval is from 5 to 14 of them
  EXPECT_NEAR(rate.median, 1 / 1.0095e-3, 1e-6);
  EXPECT_NEAR(rate.low, 1 / 1.014e-3, 1e-6);
  EXPECT_NEAR(rate.high, 1 / 1.005e-3, 1e-6);
}

TEST(Bar, IsInGflopsOrAShareOfCublas) {
  const Rate cublas{40000, 39000, 41000};
  EXPECT_DOUBLE_EQ(bar_of({3000, false}, cublas)->value, 3000);
  EXPECT_DOUBLE_EQ(bar_of({3000, false}, std::nullopt)->low, 3000);
  EXPECT_DOUBLE_EQ(bar_of({0.25, true}, cublas)->value, 10000);
  EXPECT_DOUBLE_EQ(bar_of({0.25, true}, cublas)->low, 9750);
  EXPECT_FALSE(bar_of({0.25, true}, std::nullopt));
}

TEST(Doubt, IsBelowTheThresholdWithinTheUncertainty) {
  EXPECT_TRUE(in_doubt({2990, 2970, 3005}, {3000, 3000}));
  EXPECT_FALSE(in_doubt({2980, 2970, 2995}, {3000, 3000}));
  EXPECT_FALSE(in_doubt({3001, 2900, 3100}, {3000, 3000})) << "it is reached: nothing to doubt";
  EXPECT_TRUE(in_doubt({2980, 2970, 2995}, {3000, 2990})) << "cuBLAS's own uncertainty counts too";
}

TEST(Doubt, OfTimesThatScatterGivesNoAdvantage) {
  EXPECT_FALSE(in_doubt({2000, 100, 9000}, {3000, 3000}));
  EXPECT_TRUE(in_doubt({2975, 100, 9000}, {3000, 3000}));
  EXPECT_FALSE(in_doubt({2900, 2890, 2910}, {3000, 100}));
}

TEST(Doubt, CountsAsReached) {
  EXPECT_DOUBLE_EQ(benefit_of_doubt({2990, 2970, 3005}, {3000, 3000}), 3000);
  EXPECT_DOUBLE_EQ(benefit_of_doubt({2900, 2890, 2910}, {3000, 3000}), 2900);
  EXPECT_DOUBLE_EQ(benefit_of_doubt({3100, 3000, 3200}, {3000, 3000}), 3100);
}

TEST(ImpossibleRate, IsAboveThePeakAndAPersonMustLook) {
  EXPECT_EQ(impossible_rate(66900, "GFLOPS", 66900), "");
  EXPECT_EQ(impossible_rate(1e9, "GFLOPS", std::nullopt), "");
  EXPECT_EQ(impossible_rate(67000, "GFLOPS", 66900),
            "67000 GFLOPS is more than this GPU can reach (66900): a person must look at it");
  EXPECT_EQ(impossible_rate(5000, "GB/s", 4800),
            "5000 GB/s is more than this GPU can reach (4800): a person must look at it");
}

}  // namespace
}  // namespace warpgrade::judge
