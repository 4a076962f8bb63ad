// Every opcode of arithmetic against values derived by hand, also with only odd lanes active.
#include <cfenv>
#include <cmath>
#include <limits>

#include "harness.hpp"

namespace warpgrade::simt {
namespace {

using testing::kernel;
using testing::run;

enum class Kind { word, wide, half };

struct Case {
  std::string opcode;
  Kind result;
  std::string sources;  ///< "w", "d" (64 bits), "h" per operand
  std::vector<std::uint64_t> in;
  std::uint64_t want;
};

std::uint64_t f(float value) {
  return std::bit_cast<std::uint32_t>(value);
}
std::uint64_t g(double value) {
  return std::bit_cast<std::uint64_t>(value);
}
std::uint64_t w(std::int64_t value) {
  return static_cast<std::uint32_t>(value);
}

const char *prefix(char kind) {
  return kind == 'd' ? "%d" : kind == 'h' ? "%h" : "%r";
}
const char *load(char kind) {
  return kind == 'd' ? "b64" : kind == 'h' ? "b16" : "b32";
}

std::string body_of(const Case &c, const std::string &guard) {
  std::string body, operands;
  for (std::size_t i = 0; i < c.sources.size(); ++i) {
    const std::string reg = prefix(c.sources[i]) + std::to_string(i + 1);
    body += std::string("ld.global.") + load(c.sources[i]) + " " + reg + ", [%in+" + std::to_string(8 * i) +
            "];\n";
    operands += ", " + reg;
  }
  const char kind = c.result == Kind::wide ? 'd' : c.result == Kind::half ? 'h' : 'w';
  const std::string to = std::string(prefix(kind)) + "0";
  body += std::string("mov.") + load(kind) + " " + to + ", 77;\n";
  body += "and.b32 %r30, %tid, 1; setp.eq.u32 %p1, %r30, 1;\n";
  body += guard + c.opcode + " " + to + operands + ";\n";
  body += std::string("st.global.") + load(kind) + " [%out], " + to + ";\n";
  return body;
}

class Arithmetic : public ::testing::TestWithParam<Case> {};

TEST_P(Arithmetic, GivesTheValueThatTheManualDefines) {
  const Case &c = GetParam();
  std::vector<std::uint64_t> in(32 * 4);
  for (std::size_t lane = 0; lane < 32; ++lane)
    for (std::size_t i = 0; i < c.in.size(); ++i) in[lane * 4 + i] = c.in[i];
  const auto all = run(kernel(body_of(c, "")), in);
  ASSERT_EQ(all.result.status, Status::completed) << testing::last(all.result);
  EXPECT_EQ(all.word(0), c.want) << c.opcode << std::hex << " got " << all.word(0) << " want " << c.want;
  EXPECT_EQ(all.word(31), c.want);
  const auto odd = run(kernel(body_of(c, "@%p1 ")), in);
  ASSERT_EQ(odd.result.status, Status::completed) << testing::last(odd.result);
  EXPECT_EQ(odd.word(0), 77u) << "a lane whose guard is false keeps its value";
  EXPECT_EQ(odd.word(31), c.want);
}

const float inf = std::numeric_limits<float>::infinity();
const std::uint64_t nan32 = 0x7FFFFFFF, quiet = 0x7FC00000, min32 = 0x80000000, min64 = 1ull << 63;
constexpr auto W = Kind::word, X = Kind::wide, H = Kind::half;

INSTANTIATE_TEST_SUITE_P(
    Integers, Arithmetic,
    ::testing::Values(
        Case{"add.s32", W, "ww", {0xFFFFFFFF, 2}, 1}, Case{"sub.u32", W, "ww", {1, 2}, 0xFFFFFFFF},
        Case{"mul.lo.s32", W, "ww", {0x10001, 0x10001}, 0x20001},
        Case{"mul.hi.u32", W, "ww", {0xFFFFFFFF, 0xFFFFFFFF}, 0xFFFFFFFE},
        Case{"mul.hi.s32", W, "ww", {w(-1), 5}, w(-1)},
        Case{"mul.wide.u32", X, "ww", {0xFFFFFFFF, 2}, 0x1FFFFFFFE},
        Case{"mul.wide.s32", X, "ww", {w(-3), 2}, static_cast<std::uint64_t>(-6)},
        Case{"mad.lo.s32", W, "www", {3, 4, 5}, 17},
        Case{"mad.wide.s32", X, "wwd", {w(-3), 4, 5}, static_cast<std::uint64_t>(-7)},
        Case{"add.s64", X, "dd", {UINT64_MAX, 2}, 1}, Case{"mul.hi.u64", X, "dd", {UINT64_MAX, 2}, 1},
        Case{"mul.hi.s64", X, "dd", {UINT64_MAX, 2}, UINT64_MAX},
        Case{"mul.lo.s64", X, "dd", {UINT64_MAX, 2}, UINT64_MAX - 1},
        // Division by zero does not trap: all ones, and the dividend as the remainder.
        Case{"div.s32", W, "ww", {w(-7), 2}, w(-3)}, Case{"div.u32", W, "ww", {7, 0}, 0xFFFFFFFF},
        Case{"div.s32", W, "ww", {min32, w(-1)}, min32}, Case{"rem.s32", W, "ww", {w(-7), 2}, w(-1)},
        Case{"rem.u32", W, "ww", {7, 0}, w(-1)}, Case{"rem.s32", W, "ww", {min32, w(-1)}, 0},
        Case{"div.s64", X, "dd", {min64, UINT64_MAX}, min64}, Case{"rem.u64", X, "dd", {9, 4}, 1},
        Case{"abs.s32", W, "w", {w(-5)}, 5}, Case{"neg.s64", X, "d", {5}, static_cast<std::uint64_t>(-5)},
        Case{"min.s32", W, "ww", {w(-1), 1}, w(-1)}, Case{"max.u32", W, "ww", {w(-1), 1}, w(-1)},
        Case{"add.sat.s32", W, "ww", {0x7FFFFFFF, 1}, 0x7FFFFFFF}, Case{"sad.u32", W, "www", {3, 5, 10}, 12},
        Case{"add.s16", H, "hh", {0xFFFF, 2}, 1}, Case{"mul.wide.s16", W, "hh", {0xFFFF, 3}, w(-3)},
        Case{"mul.wide.u16", W, "hh", {0xFFFF, 3}, 0x2FFFD}, Case{"rem.u16", H, "hh", {17, 5}, 2},
        Case{"mul24.lo.s32", W, "ww", {0xFFFFFF, 2}, w(-2)}));

INSTANTIATE_TEST_SUITE_P(
    Bits, Arithmetic,
    ::testing::Values(
        Case{"shl.b32", W, "ww", {1, 31}, min32}, Case{"shl.b32", W, "ww", {1, 32}, 0},
        Case{"shr.u32", W, "ww", {min32, 40}, 0}, Case{"shr.s32", W, "ww", {min32, 40}, 0xFFFFFFFF},
        Case{"shl.b64", X, "dw", {1, 63}, min64}, Case{"shr.s64", X, "dw", {min64, 99}, UINT64_MAX},
        Case{"shr.u64", X, "dw", {min64, 64}, 0}, Case{"shr.s16", H, "hw", {0x8000, 20}, 0xFFFF},
        Case{"popc.b32", W, "w", {0xF0F0}, 8}, Case{"popc.b64", W, "d", {UINT64_MAX}, 64},
        Case{"clz.b32", W, "w", {0}, 32}, Case{"clz.b64", W, "d", {1}, 63},
        Case{"brev.b32", W, "w", {1}, min32}, Case{"bfind.u32", W, "w", {0x100}, 8},
        Case{"bfind.s32", W, "w", {0xFFFFFFFF}, 0xFFFFFFFF}, Case{"bfind.shiftamt.u32", W, "w", {0x100}, 23},
        // field of 8 bits at 4 of 0xABC0 is 0xBC; signed it is negative
        Case{"bfe.u32", W, "www", {0xABC0, 4, 8}, 0xBC}, Case{"bfe.s32", W, "www", {0xABC0, 4, 8}, w(-68)},
        Case{"bfe.u32", W, "www", {0xABC0, 4, 0}, 0}, Case{"bfe.u64", X, "dww", {0xABC0, 4, 8}, 0xBC},
        Case{"bfi.b32", W, "wwww", {0xFF, 0, 4, 8}, 0xFF0},
        Case{"bfi.b64", X, "ddww", {1, 0, 40, 2}, 1ull << 40},
        Case{"prmt.b32", W, "www", {0x33221100, 0x77665544, 0x7531}, 0x77553311},
        Case{"prmt.b32", W, "www", {0x80, 0, 0x8}, 0x808080FF},
        Case{"lop3.b32", W, "wwww", {0xF0, 0xCC, 0xAA, 0x96}, 0xFFFFFFFFull & (0xF0 ^ 0xCC ^ 0xAA)},
        Case{"shf.l.wrap.b32", W, "www", {0x80000000, 1, 1}, 3},
        Case{"shf.r.clamp.b32", W, "www", {5, 9, 40}, 9}, Case{"not.b32", W, "w", {0}, 0xFFFFFFFF},
        Case{"cnot.b32", W, "w", {0}, 1}, Case{"xor.b64", X, "dd", {5, 1}, 4}));

INSTANTIATE_TEST_SUITE_P(
    Floats, Arithmetic,
    ::testing::Values(
        Case{"add.f32", W, "ww", {f(1), f(2)}, f(3)}, Case{"add.rn.f32", W, "ww", {quiet, f(2)}, nan32},
        Case{"sub.f32", W, "ww", {f(inf), f(inf)}, nan32}, Case{"mul.f32", W, "ww", {f(0), f(inf)}, nan32},
        Case{"mul.rn.f32", W, "ww", {f(3), f(-2)}, f(-6)},
        // (1 + 2^-12)^2 - 1 = 2^-11 + 2^-24 needs the product unrounded
        Case{"fma.rn.f32", W, "www", {f(1 + 0x1p-12f), f(1 + 0x1p-12f), f(-1)}, f(0x1p-11f + 0x1p-24f)},
        Case{"div.rn.f32", W, "ww", {f(1), f(3)}, f(1.0f / 3.0f)},
        Case{"sqrt.rn.f32", W, "w", {f(2)}, f(std::sqrt(2.0f))}, Case{"sqrt.rn.f32", W, "w", {f(-1)}, nan32},
        Case{"rcp.rn.f32", W, "w", {f(3)}, f(1.0f / 3.0f)}, Case{"neg.f32", W, "w", {f(1)}, f(-1)},
        Case{"abs.f32", W, "w", {f(-1)}, f(1)},
        // a denormal survives, unless .ftz asks for a zero of its sign
        Case{"add.f32", W, "ww", {1, 1}, 2}, Case{"add.ftz.f32", W, "ww", {1, 1}, 0},
        Case{"mul.ftz.f32", W, "ww", {0x80000001, f(1)}, min32},
        Case{"add.sat.f32", W, "ww", {f(1), f(1)}, f(1)}, Case{"mul.sat.f32", W, "ww", {f(-1), f(1)}, 0},
        Case{"fma.rn.sat.f32", W, "www", {quiet, f(1), f(1)}, 0},
        Case{"min.f32", W, "ww", {quiet, f(2)}, f(2)}, Case{"max.f32", W, "ww", {f(2), quiet}, f(2)},
        Case{"max.f32", W, "ww", {quiet, quiet}, nan32},
        Case{"min.f32", W, "ww", {f(0.0f), f(-0.0f)}, f(-0.0f)},
        Case{"max.f32", W, "ww", {f(-0.0f), f(0.0f)}, 0}, Case{"min.NaN.f32", W, "ww", {quiet, f(2)}, nan32},
        Case{"add.rz.f32", W, "ww", {f(1), f(0x1p-24f + 0x1p-30f)}, f(1)},
        Case{"add.rp.f32", W, "ww", {f(1), f(0x1p-30f)}, f(1 + 0x1p-23f)},
        Case{"copysign.f32", W, "ww", {f(-3), f(2)}, f(-2)}, Case{"add.f64", X, "dd", {g(1), g(2)}, g(3)},
        Case{"fma.rn.f64", X, "ddd", {g(2), g(3), g(4)}, g(10)},
        Case{"div.rn.f64", X, "dd", {g(1), g(3)}, g(1.0 / 3.0)},
        Case{"sqrt.rn.f64", X, "d", {g(2)}, g(std::sqrt(2.0))}, Case{"abs.f64", X, "d", {g(-2)}, g(2)},
        // 0x3C00 is 1, 0x4000 is 2, 0x4200 is 3 in half precision; bfloat 0x3F80 is 1, 0x4000 is 2
        Case{"add.f16", H, "hh", {0x3C00, 0x4000}, 0x4200},
        Case{"fma.rn.f16x2", W, "www", {0x40003C00, 0x3C004000, 0x3C003C00}, 0x42004200},
        Case{"add.f16x2", W, "ww", {0x3C003C00, 0x40003C00}, 0x42004000},
        Case{"mul.f16", H, "hh", {0x7BFF, 0x4000}, 0x7C00},
        Case{"set.gt.u32.f16x2", W, "ww", {0x40003C00, 0x3C003C00}, 0xFFFF0000},
        Case{"set.eq.f16x2.f16x2", W, "ww", {0x40003C00, 0x3C003C00}, 0x00003C00},
        Case{"set.lt.f32.f32", W, "ww", {f(1), f(2)}, f(1)}, Case{"set.lt.s32.u32", W, "ww", {1, 2}, w(-1)},
        Case{"set.eq.bf16.bf16", H, "hh", {0x3F80, 0x3F80}, 0x3F80},
        Case{"slct.s32.s32", W, "www", {5, 7, w(-1)}, 7}, Case{"slct.u64.f32", X, "ddw", {5, 7, f(0)}, 5},
        // 2 * 3 + -1 * 5 + 10; 2 * 3 + 1 * 5 + 1
        Case{"dp2a.lo.s32.s32", W, "www", {0xFFFF0002, 0x0503, 10}, 11},
        Case{"dp2a.hi.u32.u32", W, "www", {0x00010002, 0x05030000, 1}, 12},
        Case{"vabsdiff4.u32.u32.u32", W, "www", {0x05000001, 0x01000004, 0}, 0x04000003},
        Case{"add.u16x2", W, "ww", {0xFFFF0001, 0x00020002}, 0x00010003},
        Case{"max.s16x2", W, "ww", {0xFFFF0001, 0x00010000}, 0x00010001},
        Case{"abs.s16x2", W, "w", {0xFFFE8000}, 0x00028000},  // the least number has no magnitude
        Case{"fma.rn.relu.f16", H, "hhh", {0xBC00, 0x3C00, 0}, 0},
        Case{"add.sat.f16", H, "hh", {0x3C00, 0x3C00}, 0x3C00},
        Case{"fma.rn.f16", H, "hhh", {0xBC00, 0x3C00, 0x8000}, 0xBC00},
        Case{"fma.rn.bf16", H, "hhh", {0x3F80, 0x4000, 0x3F80}, 0x4040}));

INSTANTIATE_TEST_SUITE_P(
    Conversions, Arithmetic,
    ::testing::Values(
        Case{"cvt.s64.s32", X, "w", {w(-1)}, UINT64_MAX},
        Case{"cvt.u64.u32", X, "w", {0xFFFFFFFF}, 0xFFFFFFFF},
        Case{"cvt.u32.u64", W, "d", {0x1234567890}, 0x34567890},
        Case{"cvt.s32.s8", W, "w", {0xFF}, 0xFFFFFFFF}, Case{"cvt.u32.u8", W, "w", {0x1FF}, 0xFF},
        Case{"cvt.s32.s16", W, "h", {0x8000}, 0xFFFF8000}, Case{"cvt.sat.s8.s32", W, "w", {300}, 127},
        Case{"cvt.sat.u8.s32", W, "w", {w(-3)}, 0},
        Case{"cvt.rn.f32.s32", W, "w", {0x1000001}, f(16777216.0f)},
        Case{"cvt.rp.f32.s32", W, "w", {0x1000001}, f(16777218.0f)},
        Case{"cvt.rn.f32.u32", W, "w", {0xFFFFFFFF}, f(4294967296.0f)},
        Case{"cvt.rn.f32.u64", W, "d", {1}, f(1)},
        Case{"cvt.rz.f32.f64", W, "d", {g(1 + 0x1.8p-23)}, f(1 + 0x1p-23f)},
        Case{"cvt.rn.f32.f64", W, "d", {g(1e300)}, f(inf)},
        Case{"cvt.rzi.s32.f32", W, "w", {f(-1.9f)}, w(-1)}, Case{"cvt.rni.s32.f32", W, "w", {f(2.5f)}, 2},
        Case{"cvt.rmi.s32.f32", W, "w", {f(-1.1f)}, w(-2)}, Case{"cvt.rpi.s32.f32", W, "w", {f(1.1f)}, 2},
        // out of range clamps, NaN is 0 for 32 bits
        Case{"cvt.rzi.s32.f32", W, "w", {f(3e9f)}, 0x7FFFFFFF}, Case{"cvt.rzi.u32.f32", W, "w", {f(-1)}, 0},
        Case{"cvt.rzi.s32.f32", W, "w", {quiet}, 0}, Case{"cvt.rzi.s64.f32", X, "w", {quiet}, min64},
        Case{"cvt.rmi.f32.f32", W, "w", {f(-1.5f)}, f(-2)},
        Case{"cvt.rzi.f32.f32", W, "w", {f(-1.5f)}, f(-1)}, Case{"cvt.sat.f32.f32", W, "w", {f(2)}, f(1)},
        Case{"cvt.f64.f32", X, "w", {f(1.5f)}, g(1.5)},
        Case{"cvt.rn.f64.s64", X, "d", {static_cast<std::uint64_t>(-2)}, g(-2)},
        Case{"cvt.rn.f16.f32", H, "w", {f(1)}, 0x3C00}, Case{"cvt.f32.f16", W, "h", {0xC000}, f(-2)},
        Case{"cvt.rn.f16.f32", H, "w", {f(65520)}, 0x7C00}, Case{"cvt.rn.f16.f32", H, "w", {f(0x1p-24f)}, 1},
        Case{"cvt.rn.f16x2.f32", W, "ww", {f(2), f(1)}, 0x40003C00},
        Case{"cvt.rn.bf16.f32", H, "w", {f(1)}, 0x3F80},
        Case{"cvt.rna.tf32.f32", W, "w", {0x3F801000}, 0x3F802000}));

TEST(Approximations, StayWithinTwoUlps) {
  const struct {
    const char *opcode;
    float in;
    double want;
  } cases[] = {{"ex2.approx.f32", 1.5f, std::exp2(1.5)},  {"lg2.approx.f32", 10.0f, std::log2(10.0)},
               {"sin.approx.f32", 0.5f, std::sin(0.5)},   {"cos.approx.f32", 0.5f, std::cos(0.5)},
               {"rcp.approx.ftz.f32", 3.0f, 1.0 / 3.0},   {"rsqrt.approx.f32", 2.0f, 1.0 / std::sqrt(2.0)},
               {"sqrt.approx.f32", 2.0f, std::sqrt(2.0)}, {"tanh.approx.f32", 0.5f, std::tanh(0.5)}};
  for (const auto &c : cases) {
    const auto got = run(kernel(std::string("ld.global.f32 %f1, [%in]; ") + c.opcode +
                                " %f0, %f1; st.global.f32 [%out], %f0;"),
                         {f(c.in)});
    ASSERT_EQ(got.result.status, Status::completed) << testing::last(got.result);
    EXPECT_NEAR(std::bit_cast<float>(static_cast<std::uint32_t>(got.word(0))), c.want,
                std::fabs(c.want) * 0x1p-22)
        << c.opcode;
  }
}

std::string compare(const std::string &opcode, const std::string &type, const std::string &reg) {
  return kernel("ld.global." + type + " " + reg + "1, [%in]; ld.global." + type + " " + reg + "2, [%in+8]; " +
                opcode + " %p2, " + reg + "1, " + reg +
                "2; selp.u32 %r0, 1, 0, %p2; st.global.u32 [%out], %r0;");
}

TEST(Compare, NanIsUnorderedAndOnlyTheUFormsHold) {
  for (const auto &[opcode, want] :
       std::initializer_list<std::pair<std::string, unsigned>>{{"setp.eq.f32", 0},
                                                               {"setp.ne.f32", 0},
                                                               {"setp.lt.f32", 0},
                                                               {"setp.ge.f32", 0},
                                                               {"setp.equ.f32", 1},
                                                               {"setp.neu.f32", 1},
                                                               {"setp.ltu.f32", 1},
                                                               {"setp.leu.f32", 1},
                                                               {"setp.gtu.f32", 1},
                                                               {"setp.geu.f32", 1},
                                                               {"setp.num.f32", 0},
                                                               {"setp.nan.f32", 1}})
    EXPECT_EQ(run(compare(opcode, "f32", "%f"), {quiet, f(1)}).word(0), want) << opcode;
}

TEST(Compare, SignsMatterForSignedTypesOnly) {
  EXPECT_EQ(run(compare("setp.lt.s32", "b32", "%r"), {w(-1), 1}).word(0), 1u);
  EXPECT_EQ(run(compare("setp.lt.u32", "b32", "%r"), {w(-1), 1}).word(0), 0u);
  EXPECT_EQ(run(compare("setp.hi.u32", "b32", "%r"), {w(-1), 1}).word(0), 1u);
  EXPECT_EQ(run(compare("setp.gt.s64", "b64", "%d"), {UINT64_MAX, 1}).word(0), 0u);
  EXPECT_EQ(run(compare("setp.lt.s16", "b16", "%h"), {0xFFFF, 1}).word(0), 1u);
}

TEST(Compare, CombinesWithAPredicateAndWritesTheInverseToo) {
  // p3 = (1 < 2) and p4, q = !(1 < 2) and p4; p4 holds in lane 1 only
  const auto got = run(kernel(
      "setp.eq.u32 %p4, %tid, 1; mov.u32 %r1, 1; mov.u32 %r2, 2; setp.lt.and.u32 %p3|%p5, %r1, %r2, %p4;\n"
      "selp.u32 %r0, 1, 0, %p3; st.global.u32 [%out], %r0; selp.u32 %r0, 1, 0, %p5; st.global.u32 [%out+8], "
      "%r0;"));
  EXPECT_EQ(got.word(0), 0u);
  EXPECT_EQ(got.word(1), 1u);
  EXPECT_EQ(got.word(1, 1), 0u);
}

TEST(Carry, AddsTwoWordsAsOne) {
  // 0xFFFFFFFF + 1 carries into the upper word: 0 + 0 + 1
  const auto got =
      run(kernel("mov.u32 %r1, 0xFFFFFFFF; mov.u32 %r2, 1; mov.u32 %r3, 0; add.cc.u32 %r4, %r1, %r2; "
                 "addc.u32 %r5, %r3, %r3;\n"
                 "st.global.u32 [%out], %r4; st.global.u32 [%out+8], %r5;"));
  EXPECT_EQ(got.word(5), 0u);
  EXPECT_EQ(got.word(5, 1), 1u);
}

TEST(Move, SplitsAndJoinsRegisters) {
  const auto got =
      run(kernel("ld.global.b64 %d1, [%in]; mov.b64 {%r1, %r2}, %d1; mov.b64 %d2, {%r2, %r1}; st.global.b64 "
                 "[%out], %d2;\n"
                 "mov.b32 {%h1, %h2}, %r1; mov.b32 %r3, {%h2, %h1}; st.global.b32 [%out+8], %r3;"),
          {0x1111222233334444});
  EXPECT_EQ(got.word(0), 0x3333444411112222u);
  EXPECT_EQ(got.word(0, 1), 0x44443333u);
}

}  // namespace
}  // namespace warpgrade::simt
