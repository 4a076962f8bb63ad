// What a wrong element is made of: programs on the host represent kernels.
#include "grading/terms.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

namespace warpgrade::grading {
namespace {

using Buffers = std::vector<run::HostBuffer>;

/// C = alpha A B + beta C in single precision; a kernel says what it does for an element instead.
struct Multiply {
  using Kernel = std::function<float(std::size_t i, std::size_t j, std::span<const float> a,
                                     std::span<const float> b, float old)>;
  const problem::Problem &p = *problem::find_problem("sgemm");
  problem::Case c;
  std::size_t n, k;
  Kernel kernel;
  mutable std::size_t runs = 0;

  Multiply(const std::string &text, Kernel does)
      : c(problem::parse_case(p, text)),
        n(static_cast<std::size_t>(c.integers[1])),
        k(static_cast<std::size_t>(c.integers[2])),
        kernel(std::move(does)) {}

  std::optional<Buffers> run(const Buffers &in) const {
    ++runs;
    Buffers out = in;
    const auto a = in[0].as<float>(), b = in[1].as<float>(), before = in[2].as<float>();
    for (std::size_t e = 0; e < before.size(); ++e)
      out[2].as<float>()[e] = kernel(e / n, e % n, a, b, before[e]);
    return out;
  }
  std::optional<problem::Terms> terms(const std::string &element = "C[0, 0]", std::size_t most = 400) const {
    return terms_of(
        p, c, p.inputs(c, 3), element, [&](const Buffers &in) { return run(in); }, most);
  }
  std::string said(const std::string &element = "C[0, 0]") const {
    const auto found = terms(element);
    return found ? found->sentence : "";
  }
};

/// The sum over k of weight(k) times the product.
Multiply weighted(const std::string &text, std::function<float(std::size_t)> weight) {
  const auto c = problem::parse_case(*problem::find_problem("sgemm"), text);
  const auto n = static_cast<std::size_t>(c.integers[1]), k = static_cast<std::size_t>(c.integers[2]);
  return {text, [=](std::size_t i, std::size_t j, auto a, auto b, float) {
            float sum = 0;
            for (std::size_t q = 0; q < k; ++q) sum += weight(q) * a[i * k + q] * b[q * n + j];
            return sum;
          }};
}

TEST(Terms, SayWhichProductsAreLeftOut) {
  const auto found = weighted("m=3 n=4 k=40", [](std::size_t q) { return q < 32 ? 1.f : 0.f; }).terms();
  ASSERT_TRUE(found);
  EXPECT_EQ(found->sentence, "C[0, 0] adds the products for k = 0 to 31 once, 32 to 39 never");
  EXPECT_EQ(found->over, "k");
  EXPECT_EQ(found->at, "m=3 n=4 k=40");
  EXPECT_EQ(found->ranges, (std::vector<problem::TermRange>{{0, 31, 1}, {32, 39, 0}}));
}

TEST(Terms, SayHowOftenAProductIsAdded) {
  EXPECT_EQ(weighted("m=3 n=4 k=64", [](std::size_t q) { return q < 32 ? 2.f : 0.f; }).said("C[2, 3]"),
            "C[2, 3] adds the products for k = 0 to 31 twice, 32 to 63 never");
  EXPECT_EQ(weighted("m=3 n=4 k=5", [](std::size_t q) { return q == 2 ? 3.f : -1.f; }).said(),
            "C[0, 0] adds the products for k = 0 to 1 with weight -1, 2 three times, 3 to 4 with weight -1");
}

TEST(Terms, CountWhatManyRangesSay) {
  EXPECT_EQ(weighted("m=3 n=4 k=33", [](std::size_t q) { return q % 2 == 0 ? 1.f : 0.f; }).said(),
            "C[0, 0] adds the products for k = 0 and 16 others once, 1 and 15 others never");
}

TEST(Terms, AreWeightsWhereAFactorIsMissing) {
  // alpha = 2 and the kernel leaves it out: each product is there with half its weight.
  EXPECT_EQ(weighted("m=3 n=4 k=5 alpha=2 beta=0", [](std::size_t) { return 1.f; }).said(),
            "C[0, 0] adds the products for k = 0 to 4 with weight 0.5");
}

TEST(Terms, NameElementsThatDoNotBelong) {
  const Multiply row("m=3 n=4 k=9", [](std::size_t i, std::size_t j, auto a, auto b, float) {
    float sum = 0;
    for (std::size_t q = 0; q < 9; ++q) sum += a[(i + 1) % 3 * 9 + q] * b[q * 4 + j];
    return sum;
  });
  EXPECT_EQ(
      row.said(),
      "C[0, 0] adds A[0, 0] to A[0, 8] never, and also A[1, 0] to A[1, 8] once, which do not belong to it");
}

TEST(Terms, TellWrongPartnersFromWrongElements) {
  const Multiply transposed("m=9 n=9 k=9", [](std::size_t i, std::size_t j, auto a, auto b, float) {
    float sum = 0;
    for (std::size_t q = 0; q < 9; ++q) sum += a[i * 9 + q] * b[j * 9 + q];
    return sum;
  });
  EXPECT_EQ(transposed.said("C[0, 1]"),
            "C[0, 1] takes all elements of A that belong to it, but not each with its partner");
}

TEST(Terms, SayThatAnOldValueIsAdded) {
  const Multiply adds("m=3 n=4 k=2", [](std::size_t i, std::size_t j, auto a, auto b, float old) {
    return old + a[i * 2] * b[j] + a[i * 2 + 1] * b[4 + j];
  });
  EXPECT_EQ(adds.said(),
            "C[0, 0] adds all that belongs to it once, and what it held before once instead of never");
}

TEST(Terms, SayHonestlyThatAProgramIsNotLinear) {
  const Multiply squares("m=3 n=4 k=2", [](std::size_t i, std::size_t j, auto a, auto b, float) {
    return a[i * 2] * a[i * 2] * b[j] + a[i * 2 + 1] * b[4 + j];
  });
  EXPECT_EQ(
      squares.said(),
      "C[0, 0] is not a sum of elements of A with fixed weights: what is added depends on their values");
}

TEST(Terms, OfACorrectElementAreNotReported) {
  EXPECT_EQ(weighted("m=3 n=4 k=33", [](std::size_t) { return 1.f; }).said(), "");
}

TEST(Terms, TakeNoMoreRunsThanAllowed) {
  const Multiply alternates = weighted("m=3 n=4 k=33", [](std::size_t q) { return q % 2 == 0 ? 1.f : 0.f; });
  EXPECT_FALSE(alternates.terms("C[0, 0]", 10));
  EXPECT_EQ(alternates.runs, 10u);
  const Multiply fails("m=3 n=4 k=2", [](auto...) { return 0.f; });
  EXPECT_FALSE(terms_of(
      fails.p, fails.c, fails.p.inputs(fails.c, 3), "C[0, 0]", [](const Buffers &) { return std::nullopt; },
      100));
}

/// A problem with arrays of floats: y = what `does` gives for x.
std::string said_of(const std::string &problem, const std::string &text, const std::string &element,
                    const std::function<void(const Buffers &in, Buffers &out)> &does) {
  const problem::Problem &p = *problem::find_problem(problem);
  const problem::Case c = problem::parse_case(p, text);
  const auto found = terms_of(
      p, c, p.inputs(c, 3), element,
      [&](const Buffers &in) -> std::optional<Buffers> {
        Buffers out = in;
        does(in, out);
        return out;
      },
      300);
  return found ? found->sentence : "";
}

TEST(Terms, OfASumAreNamedByItsElements) {
  EXPECT_EQ(said_of("sum", "n=300", "sum[0]",
                    [](const Buffers &in, Buffers &out) {
                      float sum = 0;
                      for (std::size_t i = 0; i < 256; ++i) sum += in[0].as<float>()[i];
                      out[1].as<float>()[0] = sum;
                    }),
            "sum[0] adds x[0] to x[255] once, x[256] to x[299] never");
}

/// A softmax that divides by the sum of the first `summed` columns, of a row that is `from_row` further down.
std::function<void(const Buffers &, Buffers &)> softmax_of(std::size_t columns, std::size_t summed,
                                                           std::size_t from_row = 0) {
  return [=](const Buffers &in, Buffers &out) {
    const auto x = in[0].as<float>();
    for (std::size_t e = 0; e < x.size(); ++e) {
      const std::size_t row = std::min(e / columns + from_row, x.size() / columns - 1) * columns;
      double sum = 0;
      for (std::size_t i = 0; i < summed; ++i) sum += std::exp(double{x[row + i]});
      out[1].as<float>()[e] = static_cast<float>(std::exp(double{x[e]}) / sum);
    }
  };
}

TEST(Terms, OfAProblemThatIsNoSumSayWhichValuesAResultFollows) {
  EXPECT_EQ(
      said_of("softmax", "rows=2 columns=40", "y[0, 0]", softmax_of(40, 32)),
      "y[0, 0] changes with x[0, 0] to x[0, 31], and not with x[0, 32] to x[0, 39], which also belong to it");
  EXPECT_EQ(said_of("softmax", "rows=2 columns=40", "y[0, 0]", [](const Buffers &, Buffers &) {}),
            "y[0, 0] changes with no element that belongs to it");
  EXPECT_EQ(said_of("softmax", "rows=2 columns=40", "y[0, 0]", softmax_of(40, 40)), "") << "it is right";
}

TEST(Terms, OfAProblemThatIsNoSumNameAValueThatDoesNotBelong) {
  EXPECT_EQ(
      said_of("softmax", "rows=2 columns=5", "y[0, 2]", softmax_of(5, 5, 1)),
      "y[0, 2] changes with x[0, 2], and not with x[0, 0] to x[0, 1], x[0, 3] to x[0, 4], which also belong "
      "to it; it changes with x[1, 0], which does not belong to it");
}

TEST(Terms, NameElementsThatShowAWrongTermAlone) {
  const auto left_out =
      weighted("m=3 n=4 k=40", [](std::size_t q) { return q < 32 ? 1.f : 0.f; }).terms("C[1, 2]");
  ASSERT_TRUE(left_out);
  EXPECT_EQ(left_out->alone, (std::vector<std::string>{"A[1, 32]", "B[32, 2]"}));
  // The next row of A, with the right column of B: the first own term is left out.
  const Multiply low("m=3 n=4 k=2", [](std::size_t i, std::size_t j, auto a, auto b, float) {
    const std::size_t row = std::min<std::size_t>(i + 1, 2) * 2;
    return a[row] * b[j] + a[row + 1] * b[4 + j];
  });
  const auto other_row = low.terms("C[0, 1]");
  ASSERT_TRUE(other_row);
  EXPECT_EQ(other_row->alone, (std::vector<std::string>{"A[0, 0]", "B[0, 1]"}));
}

}  // namespace
}  // namespace warpgrade::grading
