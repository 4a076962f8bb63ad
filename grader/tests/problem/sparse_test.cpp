// Sparse matrices in three formats: are the index arrays valid in every case, and is the bound right?
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <random>
#include <set>

#include "problem/problem.hpp"

namespace warpgrade::problem {
namespace {

using Buffers = std::vector<run::HostBuffer>;
const Problem &coo = *find_problem("spmv_coo"), &csr = *find_problem("spmv_csr"),
              &ell = *find_problem("spmv_ell");

std::vector<Case> cases_of(const Problem &p) {
  std::vector<Case> all;
  const std::string third = p.integers()[2].name;
  constexpr std::array<std::array<int, 3>, 9> sizes = {{{0, 0, 0},
                                                        {5, 7, 0},
                                                        {1, 1, 1},
                                                        {6, 9, 1},
                                                        {1, 300, 257},
                                                        {3, 33, 99},
                                                        {257, 100, 300},
                                                        {3, 0, 5},
                                                        {2, 3, 1000}}};
  for (const auto &[rows, columns, more] : sizes)
    for (const char *kind : {"", " dense_row=1", " power_law=1", " equal=1", " cancelling=1", " exact=0"}) {
      if (&p == &ell && std::string_view(kind) == " power_law=1") continue;
      all.push_back(
          parse_case(p, fmt::format("rows={} columns={} {}={}{}", rows, columns, third, more, kind)));
    }
  return all;
}

struct Entry {
  std::int64_t row, column;
  float value;
};

/// Checks the index arrays and returns the entries.
std::vector<Entry> entries_of(const Problem &p, const Case &c, const Buffers &in) {
  const std::int64_t rows = c.integers[0], third = p.arguments(c).at(2);
  const auto ints = [&](std::size_t b) { return in[b].as<const std::int32_t>(); };
  std::vector<Entry> all;
  if (&p == &coo) {
    for (std::size_t e = 0; e < ints(0).size(); ++e)
      all.push_back({ints(0)[e], ints(1)[e], in[2].as<const float>()[e]});
    EXPECT_EQ(static_cast<std::int64_t>(all.size()), third);
  } else if (&p == &csr) {
    const auto start = ints(0), column = ints(1);
    EXPECT_EQ(start[0], 0);
    EXPECT_EQ(start[static_cast<std::size_t>(rows)], third);
    for (std::int64_t r = 0; r < rows; ++r) {
      const auto first = static_cast<std::size_t>(start[r]), end = static_cast<std::size_t>(start[r + 1]);
      EXPECT_LE(first, end);
      for (std::size_t e = first; e < end; ++e) {
        all.push_back({r, column[e], in[2].as<const float>()[e]});
        EXPECT_TRUE(e == first || column[e - 1] < column[e]) << "columns ascend";
      }
    }
    EXPECT_EQ(static_cast<std::int64_t>(all.size()), third);
  } else {
    std::int64_t longest = 0;
    for (std::int64_t r = 0; r < rows; ++r) {
      bool ended = false;
      for (std::int64_t k = 0; k < third; ++k) {
        const auto place = static_cast<std::size_t>(k * rows + r);
        if (ints(0)[place] < 0) {
          ended = true;
          EXPECT_EQ(ints(0)[place], -1);
          EXPECT_EQ(in[1].as<const float>()[place], 0.0f);
          continue;
        }
        EXPECT_FALSE(ended) << "padding is at the end";
        all.push_back({r, ints(0)[place], in[1].as<const float>()[place]});
        longest = std::max(longest, k + 1);
      }
    }
    EXPECT_TRUE(rows == 0 || longest == third) << "one row fills the width";
  }
  std::set<std::pair<std::int64_t, std::int64_t>> places;
  for (const Entry &e : all) {
    EXPECT_TRUE(e.row >= 0 && e.row < rows && e.column >= 0 && e.column < c.integers[1]);
    EXPECT_TRUE(places.emplace(e.row, e.column).second) << "a place is there twice";
  }
  return all;
}

class Format : public ::testing::TestWithParam<const Problem *> {};

TEST_P(Format, HasValidIndicesForEverySizeAndKindAlsoAfterAnExchange) {
  const Problem &p = *GetParam();
  for (const Case &c : cases_of(p))
    for (const std::uint64_t seed : {1U, 2U, 3U}) {
      SCOPED_TRACE(fmt::format("{} seed {}", p.case_name(c), seed));
      const Buffers in = p.inputs(c, seed);
      entries_of(p, c, in);
      entries_of(p, c, with_exchanged_elements(p, c, in, seed));
    }
}

// In floats, in a random order: so sums an honest kernel. In most cases no order may round.
TEST_P(Format, AcceptsAFloatSumInAnyOrderAndRefusesOneThatLacksAnEntry) {
  const Problem &p = *GetParam();
  for (const Case &c : cases_of(p)) {
    constexpr std::uint64_t seed = 5;
    SCOPED_TRACE(fmt::format("{} seed {}", p.case_name(c), seed));
    const Buffers in = p.inputs(c, seed);
    std::vector<Entry> entries = entries_of(p, c, in);
    std::mt19937_64 random(seed);
    std::shuffle(entries.begin(), entries.end(), random);
    const auto x = in[in.size() - 2].as<const float>();
    const auto result = [&](std::size_t from) {
      Buffers out = in;
      const auto y = out.back().as<float>();
      std::fill(y.begin(), y.end(), 0.0f);
      for (std::size_t e = from; e < entries.size(); ++e) {
        const float product = entries[e].value * x[static_cast<std::size_t>(entries[e].column)];
        y[static_cast<std::size_t>(entries[e].row)] += product;
      }
      return out;
    };
    const Reference want = p.reference(c, in);
    EXPECT_EQ(p.compare(c, in, want, result(0), 6e-8).wrong, 0U);
    EXPECT_EQ(p.compare(c, in, want, result(1), 6e-8).wrong, entries.empty() ? 0U : 1U);
  }
}

TEST(Sparse, APowerLawGivesTheLongestRowASixthOfTheEntriesAndADenseRowAsManyAsItHolds) {
  const auto longest = [](const Case &c) {
    const Buffers in = csr.inputs(c, 3);
    const auto start = in[0].as<const std::int32_t>();
    std::int32_t most = 0;
    for (std::size_t r = 1; r < start.size(); ++r) most = std::max(most, start[r] - start[r - 1]);
    return most;
  };
  // 1 / (1 + 1/2 + ... + 1/256) is 0.163.
  EXPECT_NEAR(longest(parse_case(csr, "rows=256 columns=10000 entries=10000 power_law=1")), 1633, 2);
  EXPECT_EQ(longest(parse_case(csr, "rows=256 columns=700 entries=1000 dense_row=1")), 700);
  EXPECT_LT(longest(parse_case(csr, "rows=256 columns=10000 entries=10000")), 120);  // 39 on average
}

TEST(Sparse, NamesTheCommonMistakes) {
  const Case c = parse_case(csr, "rows=20 columns=50 entries=200");
  const Buffers in = csr.inputs(c, 3);
  Buffers out = in;
  const auto start = in[0].as<const std::int32_t>(), column = in[1].as<const std::int32_t>();
  const auto y = out.back().as<float>();
  for (std::size_t r = 0; r < y.size(); ++r) {
    y[r] = 0;
    for (auto e = static_cast<std::size_t>(start[r]); e + 1 < static_cast<std::size_t>(start[r + 1]); ++e)
      y[r] += in[2].as<const float>()[e] * in[3].as<const float>()[static_cast<std::size_t>(column[e])];
  }
  const std::vector<std::string> expected = {"the last entry of each row is left out"};
  EXPECT_EQ(csr.mistakes(c, in, out, 6e-8), expected);
}

INSTANTIATE_TEST_SUITE_P(Of, Format, ::testing::Values(&coo, &csr, &ell),
                         [](const auto &p) { return std::string(p.param->name()); });

}  // namespace
}  // namespace warpgrade::problem
