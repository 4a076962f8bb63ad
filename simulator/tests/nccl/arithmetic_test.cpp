// Reductions, one type at a time.
#include "nccl/arithmetic.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

namespace warpgrade::nccl {
namespace {

template <class T>
std::span<std::byte> bytes(std::vector<T> &all) {
  return std::as_writable_bytes(std::span(all));
}

/// The values of all ranks, one element each, combined from the first to the last.
template <class T>
T reduced(Type type, Reduction op, std::vector<T> values) {
  const int ranks = static_cast<int>(values.size());
  std::vector<T> sum = {values[0]};
  prepare(type, op, ranks, bytes(sum));
  for (std::size_t r = 1; r < values.size(); ++r) {
    std::vector<T> next = {values[r]};
    prepare(type, op, ranks, bytes(next));
    combine(type, op, bytes(sum), bytes(next));
    sum = next;
  }
  finish(type, op, ranks, bytes(sum));
  return sum[0];
}

template <class T>
void expect_all(Type type, const std::vector<T> &values, const std::vector<T> &results) {
  for (int op = 0; op < reduction_count; ++op)
    EXPECT_EQ(reduced(type, static_cast<Reduction>(op), values), results[static_cast<std::size_t>(op)])
        << name_of(type) << ", " << name_of(static_cast<Reduction>(op));
}

TEST(ReductionOfNumbers, IsThatOfEachType) {
  // sum, product, maximum, minimum, average
  expect_all<float>(Type::float32, {1.5f, -2, 4, 0.5f}, {4, -6, 4, -2, 1});
  expect_all<double>(Type::float64, {1.5, -2, 4, 0.5}, {4, -6, 4, -2, 1});
  expect_all<std::int8_t>(Type::int8, {5, -2, 3}, {6, -30, 5, -2, 2});
  expect_all<std::uint8_t>(Type::uint8, {5, 2, 3}, {10, 30, 5, 2, 3});
  expect_all<std::int32_t>(Type::int32, {5, -2, 3}, {6, -30, 5, -2, 2});
  expect_all<std::uint32_t>(Type::uint32, {5, 2, 3}, {10, 30, 5, 2, 3});
  expect_all<std::int64_t>(Type::int64, {5, -2, 3}, {6, -30, 5, -2, 2});
  expect_all<std::uint64_t>(Type::uint64, {5, 2, 3}, {10, 30, 5, 2, 3});
}

TEST(ScaledSum, MultipliesBeforeItAddsAndRoundsToTheType) {
  std::vector<float> floats = {1.5f, -2}, factor = {3};
  scale(Type::float32, bytes(factor), bytes(floats));
  EXPECT_EQ(floats, (std::vector<float>{4.5f, -6}));
  std::vector<std::uint8_t> small = {100}, three = {3};
  scale(Type::uint8, bytes(three), bytes(small));
  EXPECT_EQ(small[0], 300 - 256);
  std::vector<std::uint16_t> halves = {half_of_float(1 + 1.f / 1024)}, same = halves;
  scale(Type::float16, bytes(same), bytes(halves));
  EXPECT_EQ(float_of_half(halves[0]), 1 + 2.f / 1024) << "a half has 11 bits";
  EXPECT_EQ(reduced<float>(Type::float32, Reduction::scaled_sum, {1, 2}), 3);
}

TEST(ReductionOfIntegers, WrapsAround) {
  EXPECT_EQ(reduced<std::int8_t>(Type::int8, Reduction::sum, {127, 1}), -128);
  EXPECT_EQ(reduced<std::uint8_t>(Type::uint8, Reduction::product, {16, 17}), 16);
  EXPECT_EQ(reduced<std::int32_t>(Type::int32, Reduction::sum, {std::numeric_limits<std::int32_t>::max(), 1}),
            std::numeric_limits<std::int32_t>::min());
  EXPECT_EQ(
      reduced<std::int64_t>(Type::int64, Reduction::product, {std::numeric_limits<std::int64_t>::max(), 2}),
      -2);
}

TEST(AverageOfIntegers, IsRoundedTowardsZero) {
  EXPECT_EQ(reduced<std::int32_t>(Type::int32, Reduction::average, {-3, -2}), -2);
  EXPECT_EQ(reduced<std::uint64_t>(Type::uint64, Reduction::average, {3, 4}), 3u);
}

TEST(ExtremesOfFloats, DropNan) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(reduced<float>(Type::float32, Reduction::maximum, {nan, 2, 1}), 2);
  EXPECT_EQ(reduced<float>(Type::float32, Reduction::minimum, {2, nan, 1}), 1);
  EXPECT_TRUE(std::isnan(reduced<float>(Type::float32, Reduction::sum, {2, nan, 1})));
}

TEST(SumsOfHalves, AreRoundedAfterEachAddition) {
  // 2048 + 1 is a tie between 2048 and 2050, and 2048 is even: twice. 1 + 1 + 2048 is 2050.
  const auto half = [](float value) { return half_of_float(value); };
  const auto sum = [&](std::vector<std::uint16_t> all) {
    return float_of_half(reduced(Type::float16, Reduction::sum, std::move(all)));
  };
  EXPECT_EQ(sum({half(2048), half(1), half(1)}), 2048);
  EXPECT_EQ(sum({half(1), half(1), half(2048)}), 2050);
  EXPECT_EQ(sum({half(60000), half(60000)}), std::numeric_limits<float>::infinity());
}

TEST(SumsOfBfloat16, AreRoundedAfterEachAddition) {
  // 8 bits: 256 + 1 is a tie, and 256 is even.
  const auto value = [](float v) { return bfloat16_of_float(v); };
  const auto sum = [&](std::vector<std::uint16_t> all) {
    return float_of_bfloat16(reduced(Type::bfloat16, Reduction::sum, std::move(all)));
  };
  EXPECT_EQ(sum({value(256), value(1), value(1)}), 256);
  EXPECT_EQ(sum({value(1), value(1), value(256)}), 258);
}

TEST(Halves, ComeBackFromFloatsUnchanged) {
  for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
    const float value = float_of_half(static_cast<std::uint16_t>(bits));
    if (!std::isnan(value)) {
      ASSERT_EQ(half_of_float(value), bits);
    }
  }
  EXPECT_EQ(float_of_half(0x3C00), 1.0f);
  EXPECT_EQ(float_of_half(0x0001), std::ldexp(1.0f, -24));
  EXPECT_EQ(float_of_half(0xFBFF), -65504.0f);
  EXPECT_TRUE(std::isnan(float_of_half(half_of_float(std::numeric_limits<float>::quiet_NaN()))));
}

TEST(Halves, AreTheNearestOnesWithTiesToEven) {
  // Between each half and the next: just below the middle, the middle, just above it.
  for (std::uint32_t bits = 0; bits < 0x7BFF; ++bits) {
    const float low = float_of_half(static_cast<std::uint16_t>(bits)),
                high = float_of_half(static_cast<std::uint16_t>(bits + 1)), middle = low + (high - low) / 2;
    ASSERT_EQ(half_of_float(std::nextafter(middle, low)), bits);
    ASSERT_EQ(half_of_float(std::nextafter(middle, high)), bits + 1);
    ASSERT_EQ(half_of_float(middle), bits % 2 == 0 ? bits : bits + 1);
  }
  EXPECT_EQ(half_of_float(65519.9f), 0x7BFF);
  EXPECT_EQ(half_of_float(65520.0f), 0x7C00);
}

TEST(Bfloat16, IsTheNearestOneWithTiesToEven) {
  EXPECT_EQ(bfloat16_of_float(1.0f), 0x3F80);
  EXPECT_EQ(bfloat16_of_float(1.0f + 1.0f / 256), 0x3F80);  // a tie
  EXPECT_EQ(bfloat16_of_float(1.0f + 3.0f / 256), 0x3F82);  // a tie, and 0x3F81 is odd
  EXPECT_EQ(bfloat16_of_float(std::numeric_limits<float>::infinity()), 0x7F80);
  EXPECT_TRUE(std::isnan(float_of_bfloat16(bfloat16_of_float(std::numeric_limits<float>::quiet_NaN()))));
}

}  // namespace
}  // namespace warpgrade::nccl
