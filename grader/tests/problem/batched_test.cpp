// Several products of one size that are one case: each is judged by its own factors.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "problem/matrix_problem.hpp"

namespace warpgrade::problem {
namespace {

class BatchedProducts : public ::testing::Test {
 protected:
  static constexpr double tolerance = 8e-6;
  static constexpr std::int64_t m = 17, n = 12, k = 21, batch = 3;

  /// What a kernel leaves that takes A and B of these products for product i.
  template <typename Choice>
  std::vector<run::HostBuffer> after(const Choice &choice, float alpha, std::int64_t computed = batch) const {
    std::vector<run::HostBuffer> out = in_;
    const auto a = in_[0].as<std::uint16_t>(), b = in_[1].as<std::uint16_t>();
    const auto c = out[2].as<float>();
    for (std::int64_t i = 0; i < computed; ++i) {
      const auto [of_a, of_b] = choice(i);
      for (std::int64_t row = 0; row < m; ++row)
        for (std::int64_t column = 0; column < n; ++column) {
          float sum = 0;
          for (std::int64_t q = 0; q < k; ++q)
            sum += finite_half(a[static_cast<std::size_t>((of_a * m + row) * k + q)]) *
                   finite_half(b[static_cast<std::size_t>((of_b * k + q) * n + column)]);
          float &to = c[static_cast<std::size_t>((i * m + row) * n + column)];
          to = alpha * sum - 3 * to;
        }
    }
    return out;
  }
  static std::pair<std::int64_t, std::int64_t> own(std::int64_t i) { return {i, i}; }
  Comparison compared(const std::vector<run::HostBuffer> &out) const {
    return problem_.compare(case_, in_, problem_.reference(case_, in_), out, tolerance);
  }
  std::vector<std::string> mistakes(const std::vector<run::HostBuffer> &out) const {
    return problem_.mistakes(case_, in_, out, tolerance);
  }

  const Problem &problem_ = *find_problem("hgemm_batched");
  const Case case_{{m, n, k, batch}, {0.5, -3}};
  const std::vector<run::HostBuffer> in_ = problem_.inputs(case_, 42);
};

TEST_F(BatchedProducts, LieOneAfterTheOther) {
  EXPECT_EQ(in_[0].bytes.size(), std::size_t{batch * m * k * 2});
  EXPECT_EQ(in_[1].bytes.size(), std::size_t{batch * k * n * 2});
  EXPECT_EQ(in_[2].bytes.size(), std::size_t{batch * m * n * 4});
  EXPECT_EQ(problem_.flops(case_), 2.0 * batch * m * n * k);
  const std::vector<Extent> extents = {{batch * m, k, k}, {batch * k, n, n}, {batch * m, n, n}};
  EXPECT_EQ(problem_.extents(case_), extents);
}

TEST_F(BatchedProducts, AreRightEachByItsOwnFactors) {
  const auto right = after(own, 0.5f);
  EXPECT_EQ(compared(right).wrong, 0u);
  EXPECT_EQ(compared(right).checked, std::uint64_t{batch * m * n});
  EXPECT_EQ(problem_.spot_check(case_, in_, right, tolerance, 1), std::nullopt);
  EXPECT_THAT(mistakes(right), ::testing::IsEmpty());
}

TEST_F(BatchedProducts, AreWrongWithTheFactorsOfAnother) {
  const auto next = after([](std::int64_t i) { return std::pair{i, (i + 1) % batch}; }, 0.5f);
  EXPECT_EQ(compared(next).wrong, std::uint64_t{batch * m * n});
  EXPECT_NE(problem_.spot_check(case_, in_, next, tolerance, 1), std::nullopt);
}

TEST_F(BatchedProducts, OneWrongElementIsInItsRowOfAllRows) {
  auto wrong = after(own, 0.5f);
  wrong[2].as<float>()[static_cast<std::size_t>((m + 2) * n + 5)] = 100;  // row 2 of the second product
  const Comparison c = compared(wrong);
  ASSERT_EQ(c.first.size(), 1u);
  EXPECT_EQ(c.first[0].where, "C[19, 5]");
}

TEST_F(BatchedProducts, AMistakeInAllOfThemIsNamed) {
  EXPECT_THAT(mistakes(after(own, 1)), ::testing::ElementsAre("alpha is not applied"));
  auto in_one = after(own, 0.5f);
  const auto wrong = after(own, 1);
  std::copy_n(wrong[2].bytes.begin(), m * n * 4, in_one[2].bytes.begin());
  EXPECT_THAT(mistakes(in_one), ::testing::IsEmpty()) << "only the first product shows it";
}

TEST_F(BatchedProducts, FactorsThatAllShareAreNamed) {
  EXPECT_THAT(mistakes(after(
                  [](std::int64_t i) {
                    return std::pair{i, std::int64_t{0}};
                  },
                  0.5f)),
              ::testing::ElementsAre("every product has the first B as its factor"));
  EXPECT_THAT(mistakes(after(
                  [](std::int64_t i) {
                    return std::pair{std::int64_t{0}, i};
                  },
                  0.5f)),
              ::testing::ElementsAre("every product has the first A as its factor"));
  EXPECT_THAT(mistakes(after(own, 0.5f, 1)), ::testing::ElementsAre("only the first product is computed"));
}

TEST_F(BatchedProducts, ACaseIsReadAndWritten) {
  EXPECT_EQ(problem_.case_name(case_), "m=17 n=12 k=21 alpha=0.5 beta=-3 batch=3");
  EXPECT_EQ(parse_case(problem_, problem_.case_name(case_)), case_);
  EXPECT_EQ(problem_.case_name(parse_case(problem_, "256 batch=64")), "m=n=k=256 batch=64");
  EXPECT_EQ(problem_.case_name(parse_case(problem_, "64")), "m=n=k=64");
}

}  // namespace
}  // namespace warpgrade::problem
