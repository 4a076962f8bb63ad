#include <gtest/gtest.h>

#include <map>

#include "problem/problem.hpp"

namespace warpgrade::problem {
namespace {

const Problem &histogram = *find_problem("histogram"), &exercise = *find_problem("exercise");

Case numbers(std::int64_t n, std::int64_t bins, std::int64_t crowded = 0) {
  return {{n, bins, crowded}, {}};
}

/// Counts one after the other.
std::vector<run::HostBuffer> counted(const Case &c, std::uint64_t seed) {
  auto buffers = histogram.inputs(c, seed);
  const auto counts = buffers[1].as<std::uint32_t>();
  std::fill(counts.begin(), counts.end(), 0U);
  for (const std::uint32_t x : buffers[0].as<std::uint32_t>()) ++counts[x];
  return buffers;
}

Comparison compared(const Case &c, const std::vector<run::HostBuffer> &out, std::uint64_t seed) {
  const auto in = histogram.inputs(c, seed);
  return histogram.compare(c, in, histogram.reference(c, in), out, 1e-6);
}

TEST(Histogram, EqualsASequentialCount) {
  for (const Case &c : {numbers(1, 1), numbers(1000, 7), numbers(5000, 4096, 90)}) {
    const Comparison found = compared(c, counted(c, 7), 7);
    EXPECT_EQ(found.wrong, 0U) << histogram.case_name(c);
    EXPECT_EQ(found.checked, static_cast<std::uint64_t>(c.integers[1]));
    EXPECT_TRUE(found.changed_inputs.empty());
    EXPECT_EQ(found.output, "counts");
  }
}

TEST(Histogram, DrawsNumbersBelowTheBinsEvenlyOrInACrowd) {
  const auto most_common = [](const Case &c) {
    const auto in = histogram.inputs(c, 3);
    std::map<std::uint32_t, int> often;
    for (const std::uint32_t x : in[0].as<std::uint32_t>()) {
      EXPECT_LT(x, c.integers[1]);
      ++often[x];
    }
    int most = 0;
    for (const auto &[number, times] : often) most = std::max(most, times);
    return most;
  };
  EXPECT_LT(most_common(numbers(16384, 16)), 1200);       // 1024 on average
  EXPECT_GT(most_common(numbers(16384, 16, 90)), 14000);  // 0.9 of all, and some more
}

TEST(Histogram, FindsACountThatIsOffByOneAndSaysWhich) {
  const Case c = numbers(1000, 300);
  auto out = counted(c, 7);
  ++out[1].as<std::uint32_t>()[17];
  const Comparison found = compared(c, out, 7);
  ASSERT_EQ(found.wrong, 1U);
  EXPECT_EQ(found.first.front().where, "counts[17]");
  EXPECT_EQ(found.first.front().got, found.first.front().want + 1);
  EXPECT_EQ(found.located, "only counts[17]");
  EXPECT_TRUE(histogram.spot_check(c, histogram.inputs(c, 7), out, 0, 1));
}

TEST(Histogram, FindsWhatWasNeverWrittenAndANumberThatWasChanged) {
  const Case c = numbers(1000, 8);
  auto out = histogram.inputs(c, 7);
  ++out[0].as<std::uint32_t>()[3];
  const Comparison found = compared(c, out, 7);
  EXPECT_EQ(found.wrong, 8U);
  EXPECT_EQ(found.never_written, 8U);
  EXPECT_EQ(found.located, "every element");
  EXPECT_EQ(found.changed_inputs, std::vector<std::string>{"the read-only x (1 element)"});
}

TEST(Histogram, IsMeasuredInBytesOfTheNumbers) {
  EXPECT_EQ(histogram.rate_unit(), "GB/s");
  EXPECT_EQ(histogram.work(numbers(1000, 8)), 4000);
  EXPECT_FALSE(histogram.is_product());
  EXPECT_FALSE(histogram.product(numbers(1000, 8)));
}

TEST(Exercise, IsWhatItsThreadsLeave) {
  const Case c{{512}, {}};
  auto buffers = exercise.inputs(c, 7);
  const auto in = buffers;
  const auto a = in[0].as<float>(), b = in[1].as<float>(), of_c = in[2].as<float>();
  const auto d = buffers[3].as<float>(), e = buffers[4].as<float>();
  for (int block = 0; block < 2; ++block) {
    float sums[1024];
    for (int t = 0; t < 256; ++t)
      for (int j = 0; j < 4; ++j)
        sums[256 * j + t] = b[512 * j + 256 * block + t] + of_c[4 * (256 * block + t) + j];
    for (int t = 0; t < 256; ++t) {
      const int i = 256 * block + t;
      d[i + 8] = a[i];
      e[8 * i] = sums[4 * t];
    }
  }
  const Reference ref = exercise.reference(c, in);
  EXPECT_EQ(exercise.compare(c, in, ref, buffers, 0).wrong, 0U);
  e[1] = 0;  // between the results, where nothing may change
  EXPECT_EQ(exercise.compare(c, in, ref, buffers, 0).first.front().where, "e[1]");
}

TEST(Square, ByColumnsIsTheSameProductOfAnotherLayout) {
  const Problem &rows = *find_problem("square"), &columns = *find_problem("square_by_columns");
  const Case c{{5}, {}};
  const auto in = columns.inputs(c, 7);
  auto turned = in;
  const auto from = in[1].as<float>();
  const auto to = turned[1].as<float>();
  for (int k = 0; k < 5; ++k)
    for (int j = 0; j < 5; ++j) to[5 * k + j] = from[5 * j + k];
  EXPECT_EQ(columns.reference(c, in).want, rows.reference(c, turned).want);
}

}  // namespace
}  // namespace warpgrade::problem
