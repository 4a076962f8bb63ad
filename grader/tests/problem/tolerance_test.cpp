// The tolerance of an assignment is a claim about arithmetic; here it is measured for every K that hw6
// grades.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "course/assignment.hpp"
#include "tests/places.hpp"
#include "tests/problem/arithmetic.hpp"

namespace warpgrade {
namespace {

/// The largest error of `method` on a case, in units of the tolerance. Sizes m and n are cut to 64: what
/// matters is K.
double worst_error(const problem::Problem &p, problem::Case c, std::uint64_t seed, double tolerance,
                   const tests::Method &method) {
  c.integers[0] = std::min<std::int64_t>(c.integers[0], 64);
  c.integers[1] = std::min<std::int64_t>(c.integers[1], 64);
  const std::int64_t m = c.integers[0], n = c.integers[1], k = c.integers[2];
  const auto in = p.inputs(c, seed);
  const problem::Reference ref = p.reference(c, in);
  const auto alpha = static_cast<float>(c.reals[0]), beta = static_cast<float>(c.reals[1]);
  double worst = 0;
  for (std::int64_t i = 0; i < m; ++i)
    for (std::int64_t j = 0; j < n; ++j) {
      const float sum = method.dot(&in[0].as<float>()[i * k], &in[1].as<float>()[j], n, k);
      const float got = alpha * sum + beta * in[2].as<float>()[i * n + j];
      worst = std::max(worst, std::fabs(got - ref.want[i * n + j]) / (tolerance * ref.scale[i * n + j]));
    }
  return worst;
}

struct Graded {
  course::Assignment assignment = course::read_assignment(std::string(place::assignments) + "/hw6");
  std::map<std::string, problem::Case> cases;  // each once
  Graded() {
    for (const course::Step &step : assignment.steps)
      for (const course::Case &c : step.cases)
        if (!c.advisory) cases.emplace(c.name, c.values);
    for (const std::int64_t k : {2048, 4096})  // the sizes that are timed and benchmarked
      cases.emplace(fmt::format("timed k={}", k), problem::Case{{64, 64, k}, {1.0, 0.0}});
  }
};

TEST(Tolerance, PassesHonestSinglePrecisionInEverySummationOrderWithRoomAtEveryGradedK) {
  const Graded graded;
  for (const auto &[name, values] : graded.cases)
    for (const std::uint64_t seed : {graded.assignment.seed, std::uint64_t{20261234}})
      for (const tests::Method &method : tests::honest_methods())
        EXPECT_LT(worst_error(*graded.assignment.steps.front().problem, values, seed,
                              graded.assignment.tolerance, method),
                  0.25)
            << method.name << " at " << name << ", seed " << seed;
}

TEST(Tolerance, FailsTf32Bf16AndFp16ProductsWithRoomAtEveryGradedK) {
  const Graded graded;
  for (const auto &[name, values] : graded.cases)
    for (const tests::Method &method : tests::short_methods())
      EXPECT_GT(worst_error(*graded.assignment.steps.front().problem, values, graded.assignment.seed,
                            graded.assignment.tolerance, method),
                4.0)
          << method.name << " at " << name << ", seed " << graded.assignment.seed;
}

TEST(Tolerance, TableOfMeasuredErrors) {
  // Printed for docs/tolerance.md; the claim is that the two kinds of arithmetic never overlap.
  const Graded graded;
  double most_honest = 0, least_short = 1e300;
  fmt::print("{:>6} {:>8}", "K", "fp32");
  for (const tests::Method &method : tests::short_methods()) fmt::print(" {:>16}", method.name);
  fmt::print("\n");
  for (const std::int64_t k : {1, 2, 33, 129, 257, 511, 1023, 2049, 4096}) {
    const problem::Case c{{64, 64, k}, {1.5, 0.5}};
    double honest = 0;
    const auto error = [&](const tests::Method &m) {
      return worst_error(*graded.assignment.steps.front().problem, c, 42, graded.assignment.tolerance, m);
    };
    for (const tests::Method &method : tests::honest_methods()) honest = std::max(honest, error(method));
    fmt::print("{:>6} {:>8.3f}", k, honest);
    for (const tests::Method &method : tests::short_methods()) {
      const double e = error(method);
      least_short = std::min(least_short, e);
      fmt::print(" {:>16.1f}", e);
    }
    fmt::print("\n");
    most_honest = std::max(most_honest, honest);
  }
  EXPECT_GT(least_short, 10 * most_honest);
}

}  // namespace
}  // namespace warpgrade
