// Formulas from numbers.
#include "launches/fit.hpp"

#include <gmock/gmock.h>

namespace warpgrade::launches {
namespace {

const std::vector<std::string> names = {"m", "n", "k"};

const std::vector<std::vector<std::int64_t>> sizes = {
    {37, 64, 1},     {129, 1000, 33}, {200, 4097, 17}, {513, 257, 96}, {5, 37, 64},   {1, 129, 1000},
    {33, 200, 4097}, {3, 32767, 3},   {3, 32768, 3},   {32768, 3, 3},  {32767, 3, 3}, {3, 3, 32768}};

/// The text of the formula that fits this one at all of `sizes`; "" if there is none.
template <typename Value>
std::string fitted(const Value &value, const std::set<std::int64_t> &preferred = {}) {
  std::vector<Observation> seen;
  for (const auto &s : sizes) seen.push_back({s, value(s[0], s[1], s[2])});
  const auto found = fit(names, seen, preferred);
  if (!found) return "";
  for (const Observation &o : seen) EXPECT_TRUE(found->gives(o)) << found->text;
  return found->text;
}

std::int64_t up(std::int64_t a, std::int64_t b) {
  return (a + b - 1) / b;
}

TEST(Formulas, AreFoundForWhatLaunchersCompute) {
  using N = std::int64_t;
  EXPECT_EQ(fitted([](N, N, N) { return 16; }), "16");
  EXPECT_EQ(fitted([](N, N n, N) { return n; }), "n");
  EXPECT_EQ(fitted([](N m, N, N k) { return m * k; }), "m * k");
  EXPECT_EQ(fitted([](N, N n, N) { return 4 * n; }), "4 * n");
  EXPECT_EQ(fitted([](N m, N, N) { return up(m, 32); }), "ceil_div(m, 32)");
  EXPECT_EQ(fitted([](N, N n, N) { return n / 64; }), "(n / 64)");
  EXPECT_EQ(fitted([](N m, N n, N) { return up(m * n, 256); }), "ceil_div(m * n, 256)");
  EXPECT_EQ(fitted([](N, N n, N) { return n + 1; }), "(n + 1)");
  EXPECT_EQ(fitted([](N, N n, N) { return 2 * n - 1; }), "(2 * n - 1)");
  EXPECT_EQ(fitted([](N m, N n, N) { return up(m, 64) * up(n, 32); }), "ceil_div(m, 64) * ceil_div(n, 32)");
}

TEST(Formulas, HaveABoundWhereItWasSeenForSeveralSizes) {
  using N = std::int64_t;
  EXPECT_EQ(fitted([](N, N n, N) { return std::min<N>(up(n, 8), 4000); }), "min(ceil_div(n, 8), 4000)");
  EXPECT_EQ(fitted([](N m, N, N) { return std::max<N>(m / 64, 1); }), "max((m / 64), 1)");
}

TEST(Formulas, AreNotInventedForOtherNumbers) {
  using N = std::int64_t;
  EXPECT_EQ(fitted([](N m, N n, N) { return m ^ n; }), "");
  EXPECT_EQ(fitted([](N, N n, N) { return n % 7; }), "");
}

TEST(Formulas, TakeThePreferredDivisorWhereSeveralFit) {
  // Of 100 and 150, quotients rounded up by 48 and by 49 are the same: 3 and 4.
  const std::vector<Observation> seen = {{{100}, 3}, {{150}, 4}};
  EXPECT_EQ(fit({"n"}, seen, {48})->text, "ceil_div(n, 48)");
  EXPECT_EQ(fit({"n"}, seen, {49})->text, "ceil_div(n, 49)");
}

}  // namespace
}  // namespace warpgrade::launches
