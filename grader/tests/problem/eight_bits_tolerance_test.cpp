// The bound of products in 8 bits must accept what tensor cores add, in any order, and reject a lost product, a wrong
// scale, operands that are out of place and sums in half precision, at every K that hw7 grades or times.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>

#include "course/assignment.hpp"
#include "decode/tensor.hpp"
#include "problem/matrix_problem.hpp"
#include "tests/places.hpp"

namespace warpgrade {
namespace {

using simt::tensor::Element;

/// A case of 16 x 16 results, and what becomes of it if a kernel computes it otherwise.
struct Drawn {
  static constexpr std::int64_t m = 16, n = 16;
  const problem::Problem &problem = *problem::find_problem("gemm_e4m3");
  problem::Case values;
  std::vector<run::HostBuffer> in;
  std::span<const std::uint8_t> a, b;
  std::int64_t k;

  Drawn(std::int64_t depth, std::uint64_t seed, double a_scale = 1, double b_scale = 1)
      : values{{m, n, depth}, {a_scale, b_scale}},
        in(problem.inputs(values, seed)),
        a(in[0].as<std::uint8_t>()),
        b(in[1].as<std::uint8_t>()),
        k(depth) {}

  /// Which element of a row of A, and of one of B, the sum takes where it should take number q; -1: none.
  struct Order {
    std::function<std::int64_t(std::int64_t q)> of_a = [](std::int64_t q) { return q; },
                                                of_b = [](std::int64_t q) { return q; };
    std::int64_t rows = 0;  ///< by which rows of B are off
  };

  /// Instructions of 32 products, as the simulator adds them: bit by bit as an H200's wgmma.
  std::vector<float> sums(const Order &order, Element sum = Element::f32, std::int64_t part = 1 << 20) const {
    std::vector<float> all(m * n);
    simt::tensor::Product product;
    product.a = product.b = Element::e4m3;
    product.c = product.d = sum;
    product.k = product.step = 32;
    for (std::int64_t j0 = 0; j0 < n; j0 += 8)
      for (std::int64_t from = 0; from < k; from += part) {
        simt::tensor::Matrices x{};
        for (std::int64_t q0 = from; q0 < std::min(from + part, k); q0 += 32) {
          for (std::int64_t q = 0; q < 32; ++q) {
            const std::int64_t of_a = q0 + q < k ? order.of_a(q0 + q) : -1,
                               of_b = q0 + q < k ? order.of_b(q0 + q) : -1;
            for (std::int64_t i = 0; i < m; ++i)
              x.a[i][q] = of_a < 0 ? 0 : a[static_cast<std::size_t>(i * k + of_a)];
            for (std::int64_t j = 0; j < 8; ++j)
              x.b[j][q] = of_b < 0 ? 0 : b[static_cast<std::size_t>((j0 + j + order.rows) % n * k + of_b)];
          }
          simt::tensor::multiply(product, x);
          std::copy(&x.d[0][0], &x.d[0][0] + 16 * 8, &x.c[0][0]);
        }
        for (std::int64_t i = 0; i < m; ++i)
          for (std::int64_t j = 0; j < 8; ++j)
            all[static_cast<std::size_t>(i * n + j0 + j)] +=
                sum == Element::f32 ? std::bit_cast<float>(x.c[i][j])
                                    : static_cast<float>(problem::value_of(problem::Type::f16, x.c[i][j]));
      }
    return all;
  }

  /// The largest error in units of the tolerance.
  double error(const std::vector<float> &sums, double tolerance, float scale) const {
    const problem::Reference ref = problem.reference(values, in);
    double worst = 0;
    for (std::size_t e = 0; e < sums.size(); ++e)
      worst = std::max(worst, std::fabs(scale * sums[e] - ref.want[e]) / (tolerance * ref.scale[e]));
    return worst;
  }
};

struct Graded {
  course::Assignment assignment = course::read_assignment(std::string(place::assignments) + "/hw7");
  std::set<std::int64_t> depths = {512, 4096, 8192,
                                   16384};  // the sizes that are benchmarked, and the ends of ranges
  Graded() {
    for (const course::Step &step : assignment.steps)
      if (step.problem->name() == "gemm_e4m3")
        for (const course::Case &c : step.cases) depths.insert(c.values.integers[2]);
  }
};

TEST(EightBitsTolerance, SumsOfTensorCoresAreExactInEveryOrder) {
  const Graded graded;
  EXPECT_GT(graded.depths.size(), 10u);
  for (const std::int64_t k : graded.depths)
    for (const std::uint64_t seed : {graded.assignment.seed, std::uint64_t{20261234}}) {
      const Drawn drawn(k, seed);
      const Drawn::Order backwards{[k](std::int64_t q) { return k - 1 - q; },
                                   [k](std::int64_t q) { return k - 1 - q; }};
      EXPECT_EQ(drawn.error(drawn.sums({}), 1, 1), 0) << k << ", seed " << seed;
      EXPECT_EQ(drawn.error(drawn.sums(backwards), 1, 1), 0) << k << ", seed " << seed;
      EXPECT_EQ(drawn.error(drawn.sums({}, Element::f32, (k / 4 + 31) / 32 * 32), 1, 1), 0)
          << k << ", seed " << seed;
    }
}

TEST(EightBitsTolerance, PassesAnyScales) {
  const Graded graded;
  for (const auto &[a_scale, b_scale] :
       {std::pair{0.3, 1.7}, std::pair{-2.5, 0.125}, std::pair{1e-3, 333.0}}) {
    const Drawn drawn(656, graded.assignment.seed, a_scale, b_scale);
    std::vector<float> sums = drawn.sums({});
    for (float &sum : sums)
      sum = sum * static_cast<float>(a_scale) * static_cast<float>(b_scale);  // one by one
    EXPECT_LT(drawn.error(sums, graded.assignment.tolerance, 1), 0.25) << a_scale << " and " << b_scale;
  }
}

TEST(EightBitsTolerance, FailsALostProductAWrongScaleAndFactorsOutOfPlaceAtEveryK) {
  const Graded graded;
  const double tolerance = graded.assignment.tolerance;
  for (const std::int64_t k : graded.depths) {
    const Drawn drawn(k, graded.assignment.seed);
    const auto without = [k](std::int64_t count) {
      return [k, count](std::int64_t q) { return q < k - count ? q : -1; };
    };
    for (const std::int64_t lost : {1, 16, 32, 128})
      EXPECT_GT(drawn.error(drawn.sums({without(lost)}), tolerance, 1), 2) << lost << " lost of " << k;
    const auto chunk = [](std::int64_t q) { return q ^ 16; };  // 16 bytes that a swizzle has put elsewhere
    if (k % 32 == 0) {
      EXPECT_GT(drawn.error(drawn.sums({chunk}), tolerance, 1), 4) << k;
    }
    EXPECT_GT(drawn.error(drawn.sums({.rows = 1}), tolerance, 1), 4) << k;
    const std::vector<float> right = drawn.sums({});
    for (const float scale : {0.0f, 0.99f, 1.01f, -1.0f})
      EXPECT_GT(drawn.error(right, tolerance, scale), 4) << k;
  }
}

TEST(EightBitsTolerance, FailsSumsInHalfPrecisionWhereTheyRound) {
  const Graded graded;
  for (const std::int64_t k : {144, 208, 256, 512, 4096, 8192, 16384}) {
    const Drawn drawn(k, graded.assignment.seed);
    EXPECT_GT(drawn.error(drawn.sums({}, Element::f16), graded.assignment.tolerance, 1), 1) << k;
  }
}

TEST(EightBits, AreDrawnAsWholeSixteenthsThatSuitK) {
  for (const auto &[k, least, most] : {std::tuple{512, 4, 15}, {513, 2, 7}, {8192, 2, 7}, {8193, 2, 5}}) {
    const Drawn drawn(k, 42);
    std::set<int> sizes;
    for (const std::uint8_t bits : drawn.a) {
      const double value = problem::value_of(problem::Type::e4m3, bits) * 16;
      EXPECT_EQ(value, std::round(value));
      sizes.insert(static_cast<int>(std::fabs(value)));
    }
    EXPECT_EQ(*sizes.begin(), least) << k;
    EXPECT_EQ(*sizes.rbegin(), most) << k;
    EXPECT_EQ(sizes.size(), static_cast<std::size_t>(most - least + 1)) << k;
  }
}

TEST(EightBits, AreTheNearestToAValue) {
  const auto there_and_back = [](double value) {
    return problem::value_of(problem::Type::e4m3, problem::encode(problem::Type::e4m3, value));
  };
  for (int bits = 0; bits < 256; ++bits) {
    if ((bits & 0x7f) == 0x7f) continue;
    const double value = problem::value_of(problem::Type::e4m3, static_cast<std::uint64_t>(bits));
    EXPECT_EQ(problem::encode(problem::Type::e4m3, value), static_cast<std::uint64_t>(bits)) << value;
  }
  EXPECT_EQ(there_and_back(17), 16);  // between 16 and 18: to even
  EXPECT_EQ(there_and_back(19), 20);
  EXPECT_EQ(there_and_back(15.6), 16);
  EXPECT_EQ(there_and_back(1e6), 448);
  EXPECT_EQ(there_and_back(-0x1p-9), -0x1p-9);
  EXPECT_TRUE(std::isnan(there_and_back(std::nan(""))));
}

TEST(EightBits, AScaleThatIsLeftOutIsNamed) {
  const Drawn drawn(48, 42, 0.5, 3);
  const auto said = [&](float scale) {
    auto out = drawn.in;
    std::vector<float> sums = drawn.sums({});
    for (float &sum : sums) sum *= scale;
    std::copy(sums.begin(), sums.end(), out[2].as<float>().begin());
    return drawn.problem.mistakes(drawn.values, drawn.in, out, 8e-6);
  };
  EXPECT_THAT(said(1.5f), ::testing::IsEmpty());
  EXPECT_THAT(said(1), ::testing::ElementsAre("no scale is applied"));
  EXPECT_THAT(said(0.5f), ::testing::ElementsAre("b_scale is not applied"));
  EXPECT_THAT(said(3), ::testing::ElementsAre("a_scale is not applied"));
}

TEST(EightBits, ALostStepIsNamed) {
  const Drawn drawn(96, 42);
  auto out = drawn.in;
  const std::vector<float> sums = drawn.sums({[](std::int64_t q) { return q < 64 ? q : -1; }});
  std::copy(sums.begin(), sums.end(), out[2].as<float>().begin());
  EXPECT_THAT(drawn.problem.mistakes(drawn.values, drawn.in, out, 8e-6),
              ::testing::Contains("the last step of 32 along K is missing"));
}

}  // namespace
}  // namespace warpgrade
