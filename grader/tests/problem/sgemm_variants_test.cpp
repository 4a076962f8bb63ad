// The variants of sgemm: each computes what its name says, and nobody's answer is right for another one.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "problem/matrix_problem.hpp"

namespace warpgrade::problem {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using Buffers = std::vector<run::HostBuffer>;

constexpr double tolerance = 2e-6;

/// What a variant asks for, written out.
struct Asked {
  bool by_columns = false, scaled = false, minus = false;
  char finish = ' ';  ///< '+': max(0, x); '|': the magnitude
  std::string name() const {
    return std::string("sgemm") + (by_columns ? "_columns" : "") +
           (finish == '+'   ? "_positive"
            : finish == '|' ? "_magnitude"
                            : "") +
           (scaled ? "_scaled" : "") + (minus ? "_minus" : "");
  }
  /// The element of C that held `old`, from a sum of products.
  float element(float sum, float alpha, float beta, float old) const {
    const float added = minus ? -beta * old : beta * old;
    const float x = scaled ? alpha * (sum + added) : alpha * sum + added;
    return finish == '+' ? std::max(0.0f, x) : finish == '|' ? std::fabs(x) : x;
  }
};

std::vector<Asked> all_asked() {
  std::vector<Asked> all;
  for (const bool by_columns : {false, true})
    for (const char finish : {' ', '+', '|'})
      for (const bool scaled : {false, true})
        for (const bool minus : {false, true}) all.push_back({by_columns, scaled, minus, finish});
  return all;
}

/// As an honest kernel computes it.
Buffers answer(const Asked &asked, const Case &c, Buffers buffers) {
  const std::int64_t m = c.integers[0], n = c.integers[1], k = c.integers[2];
  const auto at = [&](std::int64_t i, std::int64_t j, std::int64_t rows, std::int64_t columns) {
    return asked.by_columns ? j * rows + i : i * columns + j;
  };
  const float *const a = buffers[0].as<float>().data(), *const b = buffers[1].as<float>().data();
  float *const out = buffers[2].as<float>().data();
  for (std::int64_t i = 0; i < m; ++i)
    for (std::int64_t j = 0; j < n; ++j) {
      float sum = 0;
      for (std::int64_t q = 0; q < k; ++q) sum += a[at(i, q, m, k)] * b[at(q, j, k, n)];
      float &cell = out[at(i, j, m, n)];
      cell = asked.element(sum, static_cast<float>(c.reals[0]), static_cast<float>(c.reals[1]), cell);
    }
  return buffers;
}

bool accepts(const Problem &p, const Case &c, const Asked &asked) {
  const Buffers in = p.inputs(c, 5), out = answer(asked, c, in);
  const bool whole = p.compare(c, in, p.reference(c, in), out, tolerance).wrong == 0;
  EXPECT_EQ(p.spot_check(c, in, out, tolerance, 9) == std::nullopt, whole)
      << p.name() << " and an answer for " << asked.name();
  return whole;
}

TEST(SgemmVariants, ComputeWhatTheirNamesSay) {
  for (const Case &c : {Case{{33, 17, 40}, {-1.25, 0.75}}, Case{{1, 70, 9}, {0.5, 2}}})
    for (const Asked &asked : all_asked()) {
      const Problem *const p = find_problem(asked.name());
      ASSERT_NE(p, nullptr) << asked.name();
      EXPECT_TRUE(accepts(*p, c, asked)) << asked.name();
    }
}

TEST(SgemmVariants, AcceptNoAnswerForAnotherOne) {
  const Case c{{33, 33, 33}, {-1.25, 0.75}};
  for (const Asked &asked : all_asked())
    for (const Asked &other : all_asked())
      if (other.name() != asked.name()) {
        EXPECT_FALSE(accepts(*find_problem(asked.name()), c, other))
            << asked.name() << " and an answer for " << other.name();
      }
}

std::vector<std::string> said(const Asked &asked, const Asked &answered,
                              const std::vector<double> &factors = {-1.25, 0.75}) {
  const Problem &p = *find_problem(asked.name());
  const Case c{{33, 33, 33}, factors};
  const Buffers in = p.inputs(c, 5);
  return p.mistakes(c, in, answer(answered, c, in), tolerance);
}

TEST(SgemmVariants, NameWhatIsLeftOut) {
  EXPECT_THAT(said({.finish = '+'}, {}), ElementsAre("negative results are not replaced by 0"));
  EXPECT_THAT(said({.finish = '|'}, {}), ElementsAre("the magnitude is not taken"));
  EXPECT_THAT(said({.minus = true}, {}), ElementsAre("beta * C has the wrong sign"));
  EXPECT_THAT(said({.finish = '+'}, {.minus = true, .finish = '+'}),
              ElementsAre("beta * C has the wrong sign"));
  for (const auto &[alpha, beta] : {std::pair(0.5, 2.0), {0.5, -1.5}, {-1.25, 0.75}, {2.0, 1.0}})
    EXPECT_THAT(said({.scaled = true}, {}, {alpha, beta}), Contains("beta * C is not multiplied by alpha"))
        << alpha << " and " << beta;
  EXPECT_THAT(said({.scaled = true}, {}, {0.5, 2}).front(), "beta * C is not multiplied by alpha");
  EXPECT_THAT(said({.minus = true}, {}, {0.5, 1}).front(), "beta * C has the wrong sign");
  for (const Asked &asked : all_asked()) EXPECT_THAT(said(asked, asked), ElementsAre()) << asked.name();
}

}  // namespace
}  // namespace warpgrade::problem
