#include "base/statistics.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace warpgrade {
namespace {

TEST(Quantile, InterpolatesBetweenOrderStatistics) {
  EXPECT_DOUBLE_EQ(quantile({3, 1, 2}, 0.5), 2);
  EXPECT_DOUBLE_EQ(quantile({4, 1, 2, 3}, 0.5), 2.5);
  EXPECT_DOUBLE_EQ(quantile({0, 10}, 0.1), 1);
  EXPECT_DOUBLE_EQ(quantile({5}, 0.9), 5);
  EXPECT_DOUBLE_EQ(quantile({1, 2}, 1), 2);
}

TEST(Quantile, OfNothingIsNotANumber) {
  EXPECT_TRUE(std::isnan(quantile({}, 0.5)));
}

std::vector<double> one_to(int n) {
  std::vector<double> values;
  for (int i = n; i >= 1; --i) values.push_back(i);
  return values;
}

TEST(MedianInterval, TakesTheOrderStatisticsOfTheTables) {
  // Table of ranks for a 95 % interval of the median: n = 6: 1 and 6; 10: 2 and 9; 20: 6 and 15; 25: 8 and
  // 18; 50: 18 and 33; 100: 40 and 61.
  struct Row {
    int n;
    double low, high;
  };
  for (const Row &row :
       {Row{6, 1, 6}, Row{10, 2, 9}, Row{20, 6, 15}, Row{25, 8, 18}, Row{50, 18, 33}, Row{100, 40, 61}}) {
    const Interval got = median_interval(one_to(row.n));
    EXPECT_EQ(got.low, row.low) << row.n;
    EXPECT_EQ(got.high, row.high) << row.n;
  }
}

TEST(MedianInterval, OfAFewValuesIsAllOfThem) {
  EXPECT_EQ(median_interval({3}).low, 3);
  EXPECT_EQ(median_interval({3, 1}).low, 1);
  EXPECT_EQ(median_interval({3, 1, 2, 5, 4}).high, 5);
  EXPECT_TRUE(std::isnan(median_interval({}).low));
}

TEST(MedianInterval, HoldsTheMedianAtLeastAsOftenAsItClaims) {
  constexpr int trials = 4000;
  std::mt19937_64 random(11);
  std::exponential_distribution<double> skewed(1);
  for (const int n : {7, 20, 61}) {
    int held = 0;
    for (int t = 0; t < trials; ++t) {
      std::vector<double> values;
      for (int i = 0; i < n; ++i) values.push_back(skewed(random));
      const Interval interval = median_interval(values);
      held += interval.low <= std::log(2.0) && std::log(2.0) <= interval.high;
    }
    EXPECT_GE(held, 0.94 * trials) << n;
  }
}

TEST(MedianInterval, OfManyValuesStaysFinite) {
  const Interval interval = median_interval(one_to(5000));
  EXPECT_GT(interval.low, 2400);
  EXPECT_LT(interval.high, 2600);
}

}  // namespace
}  // namespace warpgrade
