// Half precision against a slow reference: every value of the format in a table, the nearest one found by
// search.
#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "harness.hpp"

namespace warpgrade::simt {
namespace {

using testing::kernel;
using testing::run;

/// 1, 5 and 10 bits, by the definition of the format.
double value_of(std::uint32_t bits) {
  const int exponent = static_cast<int>(bits >> 10 & 31), mantissa = static_cast<int>(bits & 1023);
  const double sign = bits & 0x8000 ? -1.0 : 1.0;
  if (exponent == 31) return mantissa ? std::nan("") : sign * std::numeric_limits<double>::infinity();
  if (exponent == 0) return sign * std::ldexp(mantissa, -24);
  return sign * std::ldexp(1024 + mantissa, exponent - 25);
}

std::uint32_t nearest(long double value) {
  if (std::isnan(value)) return 0x7FFF;
  const std::uint32_t sign = std::signbit(value) ? 0x8000 : 0;
  const long double magnitude = std::fabs(value);
  // The magnitudes grow with their bits; infinity stands where the next number would be, at 2^16.
  std::uint32_t low = 0, high = 0x7C00;
  const auto at = [](std::uint32_t bits) -> long double { return bits == 0x7C00 ? 65536.0 : value_of(bits); };
  if (magnitude >= 65536.0L) return sign | 0x7C00;
  while (high - low > 1) {
    const std::uint32_t middle = (low + high) / 2;
    (at(middle) <= magnitude ? low : high) = middle;
  }
  const long double below = magnitude - at(low), above = at(high) - magnitude;
  const bool up = above < below || (above == below && (low & 1));
  return sign | (up ? high : low);
}

std::vector<std::uint32_t> samples(std::size_t count) {
  std::mt19937 random(7);
  std::vector<std::uint32_t> values{0,      0x8000, 1,      0x8001, 0x3FF,  0x400, 0x3C00,
                                    0xBC00, 0x7BFF, 0xFBFF, 0x7C00, 0xFC00, 0x7E00};
  while (values.size() < count) values.push_back(random() & 0xFFFF);
  return values;
}

using Reference = long double (*)(long double, long double, long double);

void compare(const std::string &opcode, int sources, Reference reference) {
  constexpr std::size_t threads = 1024;
  const std::vector<std::uint32_t> values = samples(threads);
  std::mt19937 random(11);
  std::vector<std::uint64_t> in(threads * 4);
  for (std::size_t t = 0; t < threads; ++t)
    for (std::size_t i = 0; i < 3; ++i)
      in[t * 4 + i] = values[random() % values.size()] | values[random() % (i == 0 ? 13 : values.size())]
                                                             << 16;
  const std::string third = sources == 3 ? ", %r3" : "";
  const auto got = run(kernel("ld.global.u32 %r1, [%in]; ld.global.u32 %r2, [%in+8]; ld.global.u32 %r3, "
                              "[%in+16];\n" +
                              opcode + " %r4, %r1, %r2" + third + "; st.global.u32 [%out], %r4;"),
                       in, threads);
  ASSERT_EQ(got.result.status, Status::completed) << testing::last(got.result);
  for (std::size_t t = 0; t < threads; ++t)
    for (int part = 0; part < 2; ++part) {
      const auto operand = [&](std::size_t i) {
        return static_cast<long double>(
            value_of(static_cast<std::uint32_t>(in[t * 4 + i] >> 16 * part) & 0xFFFF));
      };
      const std::uint32_t want = nearest(reference(operand(0), operand(1), operand(2)));
      ASSERT_EQ(got.word(t) >> 16 * part & 0xFFFF, want)
          << opcode << std::hex << ' ' << in[t * 4] << ' ' << in[t * 4 + 1] << ' ' << in[t * 4 + 2];
    }
}

TEST(Half, ArithmeticIsRoundedOnce) {
  compare("add.f16x2", 2, [](long double a, long double b, long double) { return a + b; });
  compare("sub.f16x2", 2, [](long double a, long double b, long double) { return a - b; });
  compare("mul.f16x2", 2, [](long double a, long double b, long double) { return a * b; });
  compare("fma.rn.f16x2", 3, [](long double a, long double b, long double c) { return a * b + c; });
}

TEST(Half, FusedSumsNextToATieAreNotRoundedTwice) {
  // 0x3C01 is 1 + 2^-10, 0x1000 is 2^-11: the product is 2^-11 + 2^-21, and 1 more lies just above a tie
  const auto got =
      run(kernel("mov.b16 %h1, 0x3C01; mov.b16 %h2, 0x1000; mov.b16 %h3, 0x3C00; fma.rn.f16 %h4, "
                 "%h1, %h2, %h3; st.global.b16 [%out], %h4;"));
  EXPECT_EQ(got.word(0), 0x3C01u);
}

TEST(Half, ConversionsCoverEveryValue) {
  constexpr std::size_t threads = 1024;
  for (std::uint32_t first = 0; first < 0x10000; first += threads * 4) {
    std::vector<std::uint64_t> in(threads * 4);
    for (std::uint32_t i = 0; i < threads * 4; ++i) in[i] = first + i;
    std::string body;
    for (int k = 0; k < 4; ++k) {
      const std::string at = "+" + std::to_string(8 * k);
      body += "ld.global.u16 %h1, [%in" + at + "]; cvt.f32.f16 %f1, %h1; st.global.f32 [%out" + at +
              "], %f1;\n cvt.rn.f16.f32 %h2, %f1; st.global.u16 [%out+" + std::to_string(8 * k + 4) +
              "], %h2;\n";
    }
    const auto got = run(kernel(body), in, threads);
    ASSERT_EQ(got.result.status, Status::completed) << testing::last(got.result);
    for (std::uint32_t i = 0; i < threads * 4; ++i) {
      const std::uint32_t bits = first + i;
      const bool is_nan = (bits & 0x7FFF) > 0x7C00;
      const auto single = static_cast<float>(value_of(bits));
      const std::uint32_t wide = is_nan ? 0x7FFFFFFF : std::bit_cast<std::uint32_t>(single);
      ASSERT_EQ(got.out[i], std::uint64_t{is_nan ? 0x7FFF : bits} << 32 | wide) << std::hex << bits;
    }
  }
}

TEST(Half, SingleToHalfRoundsToTheNearestEven) {
  constexpr std::size_t threads = 1024;
  std::mt19937 random(3);
  std::vector<std::uint64_t> in(threads * 4);
  for (std::size_t i = 0; i < in.size(); ++i) {
    const int exponent = 96 + static_cast<int>(random() % 50);  // from far below the least half to infinity
    const std::uint32_t tie = i % 2 ? random() & 0x7FFFFF : (random() & 0x7FE000) | 0x1000;
    in[i] = (random() & 0x80000000) | static_cast<std::uint32_t>(exponent) << 23 | tie;
  }
  const auto got = run(
      kernel("ld.global.f32 %f1, [%in]; cvt.rn.f16.f32 %h1, %f1; st.global.u16 [%out], %h1;"), in, threads);
  for (std::size_t t = 0; t < threads; ++t)
    ASSERT_EQ(got.word(t), nearest(std::bit_cast<float>(static_cast<std::uint32_t>(in[t * 4]))));
}

TEST(Half, PairsAreComparedIntoTwoPredicates) {
  // (2, 1) against (1, 1): upper halves differ
  const auto got =
      run(kernel("mov.b32 %r1, 0x40003C00; mov.b32 %r2, 0x3C003C00; setp.gt.f16x2 %p1|%p2, %r1, %r2;\n"
                 "selp.b32 %r3, 1, 0, %p1; selp.b32 %r4, 2, 0, %p2; or.b32 %r3, %r3, %r4; "
                 "st.global.u32 [%out], %r3;"));
  EXPECT_EQ(got.word(0), 2u) << testing::last(got.result);
}

TEST(Half, NarrowAccessesToSharedMemoryAreChecked) {
  const std::string tile = ".shared .align 2 .b8 T[128];\n";
  const std::string own =
      "mov.u32 %r9, T; shl.b32 %r8, %tid, 1; add.u32 %r10, %r9, %r8; cvt.u16.u32 %h1, %tid;\n";
  const auto fine =
      run(kernel(own + "st.shared.u16 [%r10], %h1; bar.sync 0; xor.b32 %r8, %r8, 126; add.u32 %r11, "
                       "%r9, %r8; ld.shared.u16 %h2, [%r11]; st.global.u16 [%out], %h2;",
                 tile),
          {}, 64);
  EXPECT_TRUE(fine.result.diagnostics.empty()) << testing::last(fine.result);
  EXPECT_EQ(fine.word(3), 60u);
  // 64 lanes of 2 bytes: 32 words of one row of banks per warp and direction
  EXPECT_EQ(fine.result.counters.shared_store.wavefronts, 2u);
  const auto racy =
      run(kernel(own + "st.shared.u16 [%r10], %h1; xor.b32 %r8, %r8, 126; add.u32 %r11, %r9, %r8; "
                       "ld.shared.u16 %h2, [%r11]; st.global.u16 [%out], %h2;",
                 tile),
          {}, 64);
  EXPECT_EQ(racy.result.diagnostics.at(0).code, Code::uninitialized_read);  // the first warp runs ahead
  EXPECT_EQ(racy.result.diagnostics.at(1).code, Code::race);
}

}  // namespace
}  // namespace warpgrade::simt
