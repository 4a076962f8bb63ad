// What ArrayProblem accepts and refuses: every type of element, tolerances, results in any order.
#include "problem/arrays.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

namespace warpgrade::problem {
namespace {

/// One output of any type; its reference is set by the test.
class One : public ArrayProblem {
 public:
  explicit One(Type type, std::uint64_t elements = 4, std::int64_t columns = 0)
      : ArrayProblem({.name = "one", .launcher = "int n, float *y", .integers = {{"n", 0, 100}}}),
        type_(type),
        elements_(elements),
        columns_(columns) {}
  Reference reference(const Case &, const std::vector<run::HostBuffer> &) const override { return result; }
  Reference result;
  Hypothesis guess;

  std::vector<run::HostBuffer> before() const { return inputs({{4}, {}}, 1); }
  /// Of these bits.
  Comparison of(const std::vector<std::uint64_t> &bits, double tolerance = 1e-6) const {
    return compare({{4}, {}}, before(), result, buffers_of(bits), tolerance);
  }
  std::vector<run::HostBuffer> buffers_of(const std::vector<std::uint64_t> &bits) const {
    auto buffers = before();
    for (std::size_t i = 0; i < bits.size(); ++i)
      std::memcpy(buffers[0].bytes.data() + i * bytes_of(type_), &bits[i], bytes_of(type_));
    return buffers;
  }

 protected:
  std::vector<Array> arrays(const Case &) const override {
    return {{.name = "y", .elements = elements_, .type = type_, .is_output = true, .columns = columns_}};
  }
  std::uint64_t element(const Case &, std::uint64_t, std::size_t, std::uint64_t) const override {
    return 0x55;
  }
  std::vector<Hypothesis> hypotheses(const Case &, const std::vector<run::HostBuffer> &) const override {
    return {guess};
  }

 private:
  Type type_;
  std::uint64_t elements_;
  std::int64_t columns_;
};

TEST(Elements, HaveTheValuesOfTheirTypes) {
  EXPECT_EQ(value_of(Type::f32, bits_of(1.5f)), 1.5);
  EXPECT_EQ(value_of(Type::f64, bits_of(0.1)), 0.1);
  EXPECT_EQ(value_of(Type::i8, 0xff), -1);
  EXPECT_EQ(value_of(Type::u8, 0xff), 255);
  EXPECT_EQ(value_of(Type::i16, 0x8000), -32768);
  EXPECT_EQ(value_of(Type::i64, bits_of(std::int64_t{-5})), -5);
  EXPECT_EQ(value_of(Type::f16, 0x3c00), 1);
  EXPECT_EQ(value_of(Type::f16, 0x8001), -0x1p-24);
  EXPECT_EQ(value_of(Type::f16, 0x7bff), 65504);
  EXPECT_TRUE(std::isinf(value_of(Type::f16, 0xfc00)));
  EXPECT_EQ(value_of(Type::bf16, 0x3f80), 1);
}

TEST(Elements, HalvesAndBfloatsAreTheNearestTiesToEven) {
  for (std::uint64_t bits = 0; bits < 0x7c00; ++bits) {
    const auto value = static_cast<float>(value_of(Type::f16, bits));
    ASSERT_EQ(half_bits(value), bits);
    ASSERT_EQ(half_bits(-value), bits | 0x8000);
    const auto next = static_cast<float>(value_of(Type::f16, bits + 1));
    if (std::isinf(next)) continue;
    ASSERT_EQ(half_bits((value + next) / 2), bits + (bits & 1)) << value;  // exact in a float
  }
  EXPECT_EQ(half_bits(65520.0f), 0x7c00U);
  EXPECT_EQ(bfloat16_bits(1.0f), 0x3f80U);
  EXPECT_EQ(bfloat16_bits(1.00390625f), 0x3f80U);  // half-way, to even
  EXPECT_EQ(bfloat16_bits(1.01171875f), 0x3f82U);
}

TEST(Arrays, AnExactResultIsEqualAndNothingElse) {
  One one(Type::f32);
  one.result = {{1, 2, 3, 4}, {0, 0, 0, 0}};
  const auto f = [](float x) { return bits_of(x); };
  EXPECT_EQ(one.of({f(1), f(2), f(3), f(4)}).wrong, 0U);
  const Comparison off = one.of({f(1), f(std::nextafter(2.0f, 3.0f)), f(3), f(4)});
  EXPECT_EQ(off.wrong, 1U);
  EXPECT_EQ(off.located, "only y[1]");
  EXPECT_TRUE(std::isinf(off.max_error));
  const Comparison nan = one.of({f(1), f(2), f(std::numeric_limits<float>::quiet_NaN()), f(4)});
  EXPECT_EQ(nan.wrong, 1U);
  EXPECT_EQ(nan.not_finite, 1U);
}

TEST(Arrays, ATolerantResultIsWithinItsBoundAndFiniteAndTheErrorIsInUnitsOfIt) {
  One one(Type::f64, 2);
  one.result = {{1, 0}, {10, 1}};
  EXPECT_EQ(one.of({bits_of(1 + 0.9e-5), bits_of(0.0)}).wrong, 0U);
  EXPECT_NEAR(one.of({bits_of(1 + 0.9e-5), bits_of(0.0)}).max_error, 0.9, 1e-6);
  EXPECT_EQ(one.of({bits_of(1 + 1.1e-5), bits_of(0.0)}).wrong, 1U);
  EXPECT_EQ(one.of({bits_of(1.0), bits_of(std::nan(""))}).wrong, 1U);
  EXPECT_EQ(one.of({bits_of(1.0), bits_of(std::numeric_limits<double>::infinity())}).wrong, 1U);
}

TEST(Arrays, LongIntegersAreComparedBitByBit) {
  One one(Type::i64, 2);
  const std::int64_t large = (std::int64_t{1} << 60) + 1;  // no double
  one.result = {{static_cast<double>(large), 2}, {0, 0}, {bits_of(large), 2}};
  EXPECT_EQ(one.of({bits_of(large), 2}).wrong, 0U);
  EXPECT_EQ(one.of({bits_of(large - 1), 2}).wrong, 1U);
}

TEST(Arrays, TheFirstElementsMayComeInAnyOrderWithoutRepeats) {
  One one(Type::u32);
  one.result = {{7, 8, 7, 0x55}, {0, 0, 0, 0}, {7, 8, 7, 0x55}, {{0, 3}}};
  EXPECT_EQ(one.of({8, 7, 7, 0x55}).wrong, 0U);
  EXPECT_EQ(one.of({7, 7, 8, 0x55}).wrong, 0U);
  const Comparison twice = one.of({8, 8, 7, 0x55});
  ASSERT_EQ(twice.wrong, 1U);
  EXPECT_EQ(twice.first.front().got, 8);
  EXPECT_EQ(twice.first.front().want, 7);
  EXPECT_EQ(one.of({0x55, 7, 8, 7}).wrong, 2U) << "what follows the kept ones has a place of its own";
}

TEST(Arrays, WrongElementsOfAMatrixAreNamedByRowAndColumn) {
  One one(Type::u8, 6, 3);
  one.result = {{1, 2, 3, 4, 5, 6}, std::vector<double>(6)};
  const Comparison wrong = one.of({1, 2, 3, 9, 9, 9});
  EXPECT_EQ(wrong.first.front().where, "y[1, 0]");
  EXPECT_EQ(wrong.located, "row 1, the last");
}

TEST(Arrays, AMistakeIsNamedWhenItGivesExactlyThisResult) {
  One one(Type::u8);
  one.result = {{1, 2, 3, 4}, std::vector<double>(4)};
  one.guess = {"it is reversed", {{4, 3, 2, 1}, std::vector<double>(4)}};
  const auto mistakes = [&](const std::vector<std::uint64_t> &bits) {
    return one.mistakes({{4}, {}}, one.before(), one.buffers_of(bits), 0);
  };
  EXPECT_EQ(mistakes({4, 3, 2, 1}), std::vector<std::string>{"it is reversed"});
  EXPECT_TRUE(mistakes({4, 3, 2, 2}).empty());
}

TEST(Arrays, AMistakeThatGivesNaNIsNamedThoughNaNIsNeverRight) {
  const double nan = std::nan("");
  const std::uint64_t bits = bits_of(std::nanf(""));
  One one(Type::f32);
  one.result = {{1, 2, 3, 4}, std::vector<double>(4)};
  one.guess = {"zero is divided by zero", {{1, nan, nan, 4}, std::vector<double>(4)}};
  const auto mistakes = [&](const std::vector<std::uint64_t> &result) {
    return one.mistakes({{4}, {}}, one.before(), one.buffers_of(result), 0);
  };
  EXPECT_EQ(mistakes({bits_of(1.0f), bits, bits, bits_of(4.0f)}),
            std::vector<std::string>{"zero is divided by zero"});
  EXPECT_TRUE(mistakes({bits_of(1.0f), bits, bits_of(3.0f), bits_of(4.0f)}).empty());
  EXPECT_TRUE(mistakes({bits, bits, bits, bits_of(4.0f)}).empty());
  one.result = {{1, nan, nan, 4}, std::vector<double>(4)};
  EXPECT_EQ(one.of({bits_of(1.0f), bits, bits, bits_of(4.0f)}).wrong, 2u);
}

TEST(Arrays, AMistakeInSomeElementsIsNamedWhereTheOthersAreRight) {
  One one(Type::u8);
  one.result = {{1, 2, 3, 4}, std::vector<double>(4)};
  one.guess = {"ten is added", {{11, 12, 13, 14}, std::vector<double>(4)}, true};
  const auto mistakes = [&](const std::vector<std::uint64_t> &bits) {
    return one.mistakes({{4}, {}}, one.before(), one.buffers_of(bits), 0);
  };
  EXPECT_EQ(mistakes({11, 2, 13, 4}), std::vector<std::string>{"ten is added"});
  EXPECT_TRUE(mistakes({11, 2, 13, 5}).empty());
}

TEST(Arrays, AnEmptyOutputIsRight) {
  One one(Type::f32, 0);
  EXPECT_EQ(one.of({}).wrong, 0U);
  EXPECT_EQ(one.of({}).checked, 0U);
}

TEST(Arrays, NothingToComputeNeedsNoKernel) {
  const Problem &sum = *find_problem("sum"), &add = *find_problem("vector_add");
  EXPECT_FALSE(add.needs_kernel({{0}, {}}));
  EXPECT_TRUE(add.needs_kernel({{1}, {}}));
  EXPECT_FALSE(sum.needs_kernel({{0, 1}, {}})) << "there is a result, but nothing to add";
  EXPECT_TRUE(sum.needs_kernel({{1, 1}, {}}));
}

TEST(Registry, RefusesTwoProblemsOfOneNameAndALauncherThatCannotBeCalled) {
  Registry registry;
  const One one(Type::f32);
  registry.add(one);
  EXPECT_THROW(registry.add(one), std::logic_error);
  class Bad final : public One {
   public:
    Bad() : One(Type::f32) {}
    std::string_view name() const override { return "bad"; }
    std::string_view launcher() const override { return "float4 v"; }
  };
  EXPECT_THROW(registry.add(Bad()), std::logic_error);
}

}  // namespace
}  // namespace warpgrade::problem
