// Which mistake is named for a wrong product: each test makes the result that one mistake gives.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <functional>

#include "problem/matrix_problem.hpp"

namespace warpgrade::problem {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

const Problem &sgemm = *find_problem("sgemm");
constexpr double tolerance = 2e-6;

using Buffers = std::vector<run::HostBuffer>;

/// A kernel on the host: it gets the buffers, flat, and writes C.
using Kernel = std::function<void(const float *A, const float *B, float *C)>;

Buffers after(const Kernel &kernel, Buffers buffers) {
  kernel(buffers[0].as<float>().data(), buffers[1].as<float>().data(), buffers[2].as<float>().data());
  return buffers;
}

Case square(std::int64_t n, double alpha = 1, double beta = 0) {
  return {{n, n, n}, {alpha, beta}};
}

/// What is said of a 33 x 33 product whose elements this gives; `c` is what C held.
std::vector<std::string> said(
    const std::function<float(std::int64_t i, std::int64_t j, float c,
                              const std::function<float(std::int64_t first, std::int64_t last)> &)> &element,
    double alpha = 1, double beta = 0) {
  constexpr std::int64_t n = 33;
  const Case c = square(n, alpha, beta);
  const Buffers in = sgemm.inputs(c, 42);
  return sgemm.mistakes(c, in,
                        after(
                            [&](const float *A, const float *B, float *C) {
                              for (std::int64_t i = 0; i < n; ++i)
                                for (std::int64_t j = 0; j < n; ++j)
                                  C[i * n + j] = element(i, j, C[i * n + j], [&](auto first, auto last) {
                                    float sum = 0;
                                    for (std::int64_t k = first; k < last; ++k)
                                      sum += A[i * n + k] * B[k * n + j];
                                    return sum;
                                  });
                            },
                            in),
                        tolerance);
}

TEST(Mistakes, ARightResultHasNone) {
  EXPECT_THAT(said([](auto, auto, float c, const auto &sum) { return 0.5f * sum(0, 33) + 2 * c; }, 0.5, 2),
              IsEmpty());
}

TEST(Mistakes, ARandomResultHasNone) {
  EXPECT_THAT(said([](auto i, auto j, float, const auto &) {
                return static_cast<float>(i) - 0.3f * static_cast<float>(j);
              }),
              IsEmpty());
}

TEST(NumberInWords, WholeNumbersArePrintedInFull) {
  EXPECT_EQ(number_in_words(4006020000.0), "4006020000");
  EXPECT_EQ(number_in_words(-3), "-3");
  EXPECT_EQ(number_in_words(0.25), "0.25");
  EXPECT_EQ(number_in_words(1e300), "1e+300");  // above 2^53, a double has no single integer to print
}

TEST(Degenerate, ACaseOfOneElementOrOneRowShowsNothing) {
  EXPECT_TRUE(is_degenerate(sgemm, square(1)));
  EXPECT_TRUE(is_degenerate(sgemm, {{1, 257, 33}, {1, 0}}));
  EXPECT_FALSE(is_degenerate(sgemm, square(2)));
}

TEST(Mistakes, FactorsThatAreLeftOutOrAppliedTwiceAreNamed) {
  EXPECT_THAT(said([](auto, auto, float c, const auto &sum) { return sum(0, 33) + 2 * c; }, 0.5, 2),
              ElementsAre("alpha is not applied"));
  EXPECT_THAT(said([](auto, auto, float c, const auto &sum) { return 0.25f * sum(0, 33) + 3 * c; }, 0.5, 3),
              ElementsAre("alpha is applied twice"));
  EXPECT_THAT(said([](auto, auto, float, const auto &sum) { return 0.5f * sum(0, 33); }, 0.5, 3),
              ElementsAre("beta * C is not added"));
  EXPECT_THAT(said([](auto, auto, float c, const auto &sum) { return 0.5f * sum(0, 33) + 9 * c; }, 0.5, 3),
              ElementsAre("beta is applied twice"));
  EXPECT_THAT(said([](auto, auto, float c, const auto &sum) { return 0.5f * (sum(0, 33) + 3 * c); }, 0.5, 3),
              ElementsAre("beta * C is multiplied by alpha too"));
  EXPECT_THAT(said([](auto, auto, float c, const auto &sum) { return sum(0, 33) + c; }),
              ElementsAre("C is added without beta"));
}

TEST(Mistakes, MissingProductsAreNamed) {
  EXPECT_THAT(said([](auto, auto, float, const auto &sum) { return sum(1, 33); }),
              ElementsAre("the product for the first k is missing"));
  EXPECT_THAT(
      said([](auto, auto, float, const auto &sum) { return sum(32, 33); }),
      ::testing::Contains("only the product for the last k is included; is it assigned instead of added?"));
  EXPECT_THAT(said([](auto, auto, float, const auto &sum) { return sum(0, 16); }),
              ElementsAre("only the first tile of 16 along K is added"));
  EXPECT_THAT(said([](auto, auto, float, const auto &sum) { return sum(0, 32); }),
              ::testing::Contains("the rest of K after its last full tile of 16 is missing"));
}

TEST(Mistakes, OneProductIsTheFirstAndTheLast) {
  const Case c = square(1);
  const Buffers in = sgemm.inputs(c, 42);
  EXPECT_THAT(
      sgemm.mistakes(c, in, after([](const float *, const float *, float *C) { C[0] = 0; }, in), tolerance),
      ::testing::IsSupersetOf(
          {"the product for the first k is missing", "the product for the last k is missing"}))
      << "so that this case does not speak against a mistake that larger ones show";
}

TEST(Mistakes, TransposedMatricesAndExchangedFactorsAreNamed) {
  constexpr std::int64_t n = 33;
  const Case c = square(n);
  const Buffers in = sgemm.inputs(c, 42);
  const auto with = [&](auto &&a, auto &&b, bool transposed = false) {
    return sgemm.mistakes(c, in,
                          after(
                              [&](const float *A, const float *B, float *C) {
                                for (std::int64_t i = 0; i < n; ++i)
                                  for (std::int64_t j = 0; j < n; ++j) {
                                    float sum = 0;
                                    for (std::int64_t k = 0; k < n; ++k) sum += a(A, B, i, k) * b(A, B, k, j);
                                    C[transposed ? j * n + i : i * n + j] = sum;
                                  }
                              },
                              in),
                          tolerance);
  };
  const auto a = [](const float *A, const float *, auto i, auto k) { return A[i * n + k]; };
  const auto at = [](const float *A, const float *, auto i, auto k) { return A[k * n + i]; };
  const auto b = [](const float *, const float *B, auto k, auto j) { return B[k * n + j]; };
  const auto bt = [](const float *, const float *B, auto k, auto j) { return B[j * n + k]; };
  const auto b_first = [](const float *, const float *B, auto i, auto k) { return B[i * n + k]; };
  const auto a_second = [](const float *A, const float *, auto k, auto j) { return A[k * n + j]; };
  EXPECT_THAT(with(a, bt), ElementsAre("the result is A times B transposed"));
  EXPECT_THAT(with(at, b), ElementsAre("the result is A transposed times B"));
  EXPECT_THAT(with(at, bt), ElementsAre("the result is A transposed times B transposed"));
  EXPECT_THAT(with(b_first, a_second), ElementsAre("the result is B times A"));
  EXPECT_THAT(with(a, b, true), ElementsAre("the values are right, but C is stored transposed"));
}

/// What is said of a product of halves whose factors and sums this changes.
struct OnTensorCores {
  using Number = std::function<float(std::int64_t row, std::int64_t column)>;
  std::int64_t m = 40, n = 24, k = 48;
  double alpha = 1, beta = 0;
  std::function<float(const Number &a, std::int64_t i, std::int64_t k)> a =
      [](const Number &all, auto i, auto at) { return all(i, at); };
  std::function<float(const Number &b, std::int64_t k, std::int64_t j)> b = [](const Number &all, auto at,
                                                                               auto j) { return all(at, j); };
  std::function<float(float sum, float product, std::int64_t k)> add = [](float sum, float product, auto) {
    return sum + product;
  };

  std::vector<std::string> said() const {
    const Problem &hgemm = *find_problem("hgemm");
    const Case c{{m, n, k}, {alpha, beta}};
    const Buffers in = hgemm.inputs(c, 42);
    Buffers out = in;
    const auto of = [](const run::HostBuffer &buffer, std::int64_t rows, std::int64_t columns) -> Number {
      return [&buffer, rows, columns](std::int64_t r, std::int64_t column) {
        if (r >= rows || column >= columns) return 0.0f;
        std::uint16_t bits = 0;
        std::memcpy(&bits, buffer.bytes.data() + 2 * (r * columns + column), 2);
        return static_cast<float>(value_of(Type::f16, bits));
      };
    };
    const Number factor_a = of(in[0], m, k), factor_b = of(in[1], k, n);
    for (std::int64_t i = 0; i < m; ++i)
      for (std::int64_t j = 0; j < n; ++j) {
        float sum = 0;
        for (std::int64_t at = 0; at < (k + 15) / 16 * 16; ++at)
          sum = add(sum, a(factor_a, i, at) * b(factor_b, at, j), at);
        float &to = out[2].as<float>()[static_cast<std::size_t>(i * n + j)];
        to = static_cast<float>(alpha) * sum + static_cast<float>(beta) * to;
      }
    return hgemm.mistakes(c, in, out, 8e-6);
  }
};

float as_half(float value) {
  return static_cast<float>(value_of(Type::f16, encode(Type::f16, value)));
}

TEST(Mistakes, OfTensorCoresAreNamed) {
  using Number = OnTensorCores::Number;
  EXPECT_THAT(OnTensorCores{}.said(), IsEmpty());
  OnTensorCores half{.alpha = -1.25, .beta = 0.75};
  half.add = [](float sum, float product, auto) { return as_half(sum + product); };
  EXPECT_THAT(half.said(), ElementsAre("the sums are in half precision"));
  OnTensorCores last{.k = 96};
  last.add = [](float sum, float product, auto at) { return at < 80 ? sum + product : sum; };
  EXPECT_THAT(last.said(), ElementsAre("the last step of 16 along K is missing"));
  OnTensorCores turned;
  turned.b = [](const Number &b, auto at, auto j) { return b(at / 8 * 8 + j % 8, j / 8 * 8 + at % 8); };
  EXPECT_THAT(turned.said(), ElementsAre("each 8 x 8 matrix of B is transposed"));
  OnTensorCores exchanged;
  exchanged.a = [](const Number &a, auto i, auto at) {
    return a(i / 16 * 16 + at % 16 / 8 * 8 + i % 8, at / 16 * 16 + i % 16 / 8 * 8 + at % 8);
  };
  EXPECT_THAT(exchanged.said(),
              ElementsAre("the top right and bottom left 8 x 8 matrices of A are exchanged"));
  OnTensorCores chunks{.n = 27, .k = 45};
  chunks.a = [](const Number &a, auto i, auto at) { return at < 40 ? a(i, at) : 0.0f; };
  chunks.b = [](const Number &b, auto at, auto j) { return j < 24 ? b(at, j) : 0.0f; };
  EXPECT_THAT(chunks.said(),
              ElementsAre("elements at the ends of rows are left out where they fill no chunk of 8"));
}

TEST(Mistakes, TilesWhoseChunksAreOutOfPlaceAreNamed) {
  using Number = OnTensorCores::Number;
  OnTensorCores swizzled{.k = 64, .alpha = 0.5, .beta = 2};
  swizzled.a = [](const Number &a, auto i, auto at) { return a(i, at ^ (i / 2 % 4 * 8)); };
  EXPECT_THAT(swizzled.said(),
              ElementsAre("chunks of 8 elements of A are exchanged: are they stored with one "
                          "swizzle and loaded with another?"));
  OnTensorCores of_b{.n = 64};
  of_b.b = [](const Number &b, auto at, auto j) { return b(at, j ^ (at % 8 * 8)); };
  EXPECT_THAT(of_b.said(), ElementsAre("chunks of 8 elements of B are exchanged: are they stored with one "
                                       "swizzle and loaded with another?"));
}

TEST(Mistakes, EndsThatAreNotFilledWithZerosAreNamed) {
  using Number = OnTensorCores::Number;
  OnTensorCores first{.k = 40, .alpha = -1.25, .beta = 0.75};
  first.a = [](const Number &a, auto i, auto at) { return at < 40 ? a(i, at) : a(0, at % 8); };
  first.b = [](const Number &b, auto at, auto j) { return at < 40 ? b(at, j) : b(0, j % 8); };
  EXPECT_THAT(first.said(), ElementsAre("elements beyond K in the last tile are not zero"));
  OnTensorCores last = first;
  last.a = [](const Number &a, auto i, auto at) { return a(i, at < 40 ? at : 32 + at % 8); };
  last.b = [](const Number &b, auto at, auto j) { return b(at < 40 ? at : 39, j); };
  EXPECT_THAT(last.said(), ElementsAre("elements beyond K in the last tile are not zero"));
}

TEST(Mistakes, TheResultOfOneBlockAloneIsNamed) {
  EXPECT_THAT(said([](auto i, auto j, float c, const auto &sum) { return i < 16 && j < 8 ? sum(0, 33) : c; }),
              ElementsAre("only the top left part of C is computed; are there too few blocks?"));
}

/// What is said of a case of these sizes, with room behind every buffer, for a kernel that takes these
/// strides, this many products, and these extents of C.
struct Strides {
  std::int64_t a, b, c, products, rows, cols;
};
std::string confused(std::int64_t m, std::int64_t n, std::int64_t k, const Strides &x) {
  const Case c{{m, n, k}, {1, 0}};
  Buffers in = sgemm.inputs(c, 42);
  for (run::HostBuffer &buffer : in) {
    const std::size_t before = buffer.bytes.size() / sizeof(float);
    buffer.bytes.resize((before + 100'000) * sizeof(float));
    for (std::size_t i = before; i < before + 100'000; ++i)
      buffer.as<float>()[i] = 0.5f + 0.001f * static_cast<float>(i % 777);
  }
  return sgemm.confused_sizes(c, in,
                              after(
                                  [&](const float *A, const float *B, float *C) {
                                    for (std::int64_t i = 0; i < x.rows; ++i)
                                      for (std::int64_t j = 0; j < x.cols; ++j) {
                                        float sum = 0;
                                        for (std::int64_t q = 0; q < x.products; ++q)
                                          sum += A[i * x.a + q] * B[q * x.b + j];
                                        C[i * x.c + j] = sum;
                                      }
                                  },
                                  in),
                              tolerance);
}

TEST(ConfusedSizes, EachRowStrideIsNamedInEveryShape) {
  struct Shape {
    std::int64_t m, n, k;
  };
  for (const auto &[m, n, k] : {Shape{33, 200, 17}, Shape{200, 17, 33}, Shape{17, 33, 65}}) {
    SCOPED_TRACE(testing::Message() << m << " x " << n << " x " << k);
    EXPECT_EQ(confused(m, n, k, {k, n, n, k, m, n}), "") << "nothing is confused";
    EXPECT_EQ(confused(m, n, k, {n, n, n, k, m, n}), "the row stride of A is K, not N");
    EXPECT_EQ(confused(m, n, k, {m, n, n, k, m, n}), "the row stride of A is K, not M");
    EXPECT_EQ(confused(m, n, k, {k, k, n, k, m, n}), "the row stride of B is N, not K");
    EXPECT_EQ(confused(m, n, k, {k, n, m, k, m, n}), "the row stride of C is N, not M");
    EXPECT_EQ(confused(m, n, k, {n, k, n, k, m, n}),
              "the row stride of A is K, not N; the row stride of B is N, not K");
    EXPECT_EQ(confused(m, n, k, {k, n, n, n, m, n}), "a sum has K products, not N");
  }
}

TEST(ConfusedSizes, PartsOfCThatAreNotComputedPointAtAGuardOrTheGrid) {
  EXPECT_EQ(confused(33, 200, 17, {17, 200, 200, 17, 33, 33}),
            "the last columns of C are not computed; does a guard or the grid use M instead of N?");
  EXPECT_EQ(confused(33, 200, 17, {17, 200, 200, 17, 33, 64}),
            "the last columns of C are not computed; does a guard or the grid use M instead of N?")
      << "a grid covers whole blocks";
  EXPECT_EQ(confused(200, 17, 33, {33, 17, 17, 33, 32, 17}),
            "the last rows of C are not computed; does a guard or the grid use N instead of M?");
}

TEST(ConfusedSizes, OtherMistakesAreNotExplained) {
  EXPECT_EQ(confused(17, 33, 65, {65, 33, 33, 64, 17, 33}), "") << "one product is missing";
}

}  // namespace
}  // namespace warpgrade::problem
