// The video instructions with all that they may have, against a small reference that follows PTX's text ("Scalar Video
// Instructions", "SIMD Video Instructions") word by word.
#include <functional>

#include "tests/simt/harness.hpp"

namespace warpgrade::simt {
namespace {

using i64 = std::int64_t;
using u32 = std::uint32_t;

constexpr u32 values[] = {0,          1,          2,          0x7F,       0x80,       0xFF,       0x100,
                          0x7FFF,     0x8000,     0xFFFF,     0x10000,    0x7FFFFFFF, 0x80000000, 0xFFFFFFFF,
                          0x12345678, 0x89ABCDEF, 0x80FF7F01, 0x00808000, 0xFF00FF00, 0x7F807F80, 31,
                          32,         33,         0xDEADBEEF, 0x55555555, 0xAAAAAAAA, 0x0F0F0F0F, 0xF0F0F0F0,
                          0x01020304, 0x80808080, 0x7F7F7F7F, 0xC0FFEE11};

struct Words {
  u32 a, b, c;
};
Words words_of(std::size_t lane) {
  return {values[lane], values[(lane * 7 + 3) % 32], values[(lane * 13 + 5) % 32]};
}

/// Runs "OPCODE %r4SUFFIX, %r1SUFFIX, %r2SUFFIX{, %r3}" on 32 lanes.
void expect(const std::string &instruction, const std::function<u32(const Words &)> &reference) {
  std::vector<std::uint64_t> in(128);
  for (std::size_t lane = 0; lane < 32; ++lane) {
    const Words w = words_of(lane);
    in[4 * lane] = w.a | std::uint64_t{w.b} << 32;
    in[4 * lane + 1] = w.c;
  }
  const testing::Run got = testing::run(
      testing::kernel("ld.global.u32 %r1, [%in]; ld.global.u32 %r2, [%in+4]; ld.global.u32 %r3, [%in+8];\n" +
                      instruction + "\nst.global.u32 [%out], %r4;"),
      in);
  ASSERT_EQ(got.result.status, Status::completed) << instruction << ": " << testing::last(got.result);
  for (std::size_t lane = 0; lane < 32; ++lane)
    EXPECT_EQ(static_cast<u32>(got.word(lane)), reference(words_of(lane)))
        << instruction << ", lane " << lane;
}

/// partSelectSignExtend: "", ".b0" to ".b3", ".h0", ".h1".
i64 select(u32 word, const std::string &selector, bool is_signed) {
  if (selector.empty()) return is_signed ? i64{static_cast<std::int32_t>(word)} : i64{word};
  const int index = selector[2] - '0';
  if (selector[1] == 'b') {
    const auto byte = static_cast<std::uint8_t>(word >> 8 * index);
    return is_signed ? i64{static_cast<std::int8_t>(byte)} : i64{byte};
  }
  const auto half = static_cast<std::uint16_t>(word >> 16 * index);
  return is_signed ? i64{static_cast<std::int16_t>(half)} : i64{half};
}

/// optSaturate.
i64 saturate(i64 value, bool is_signed, const std::string &into) {
  const i64 most_unsigned = into.empty() ? 0xFFFFFFFF : into[1] == 'b' ? 0xFF : 0xFFFF;
  const i64 most = is_signed ? most_unsigned / 2 : most_unsigned, least = is_signed ? -most - 1 : 0;
  return std::min(std::max(value, least), most);
}

/// optMerge.
u32 merge(const std::string &into, i64 value, u32 c) {
  const auto word = static_cast<u32>(value);
  if (into == ".h0") return (word & 0xFFFF) | (c & 0xFFFF0000);
  if (into == ".h1") return (word & 0xFFFF) << 16 | (c & 0x0000FFFF);
  if (into == ".b0") return (word & 0xFF) | (c & 0xFFFFFF00);
  if (into == ".b1") return (word & 0xFF) << 8 | (c & 0xFFFF00FF);
  if (into == ".b2") return (word & 0xFF) << 16 | (c & 0xFF00FFFF);
  if (into == ".b3") return (word & 0xFF) << 24 | (c & 0x00FFFFFF);
  return word;
}

/// optSecondaryOp.
i64 secondary(const std::string &op, i64 value, i64 c) {
  return op == ".add"   ? value + c
         : op == ".min" ? std::min(value, c)
         : op == ".max" ? std::max(value, c)
                        : value;
}

struct Named {
  const char *name;
  i64 (*make)(i64, i64);
};
constexpr Named scalar_ops[] = {{"vadd", [](i64 a, i64 b) { return a + b; }},
                                {"vsub", [](i64 a, i64 b) { return a - b; }},
                                {"vabsdiff", [](i64 a, i64 b) { return a < b ? b - a : a - b; }},
                                {"vmin", [](i64 a, i64 b) { return std::min(a, b); }},
                                {"vmax", [](i64 a, i64 b) { return std::max(a, b); }}};
const std::vector<std::string> selectors = {"", ".b0", ".b2", ".b3", ".h0", ".h1"};

std::string type(bool is_signed) {
  return is_signed ? ".s32" : ".u32";
}

TEST(Video, ScalarOperationsTakeBytesAndHalvesOfEitherSign) {
  std::size_t turn = 0;
  for (const Named &op : scalar_ops)
    for (int signs = 0; signs < 8; ++signs)
      for (const bool sat : {false, true}) {
        const bool d = signs & 1, a = signs & 2, b = signs & 4;
        const std::string &from_a = selectors[turn % 6], &from_b = selectors[turn / 6 % 6];
        ++turn;
        const std::string name = op.name + type(d) + type(a) + type(b) + (sat ? ".sat" : "");
        const auto value = [&, make = op.make](const Words &w) {
          const i64 made = make(select(w.a, from_a, a), select(w.b, from_b, b));
          return sat ? saturate(made, d, "") : made;
        };
        expect(name + " %r4, %r1" + from_a + ", %r2" + from_b + ";",
               [&](const Words &w) { return static_cast<u32>(value(w)); });
        const bool refused = !d && (a || b);  // see FormsThatGpusComputeOtherwiseAreRefused
        const std::string second = turn % 3 == 0 || refused ? ".add" : turn % 3 == 1 ? ".min" : ".max";
        expect(name + second + " %r4, %r1" + from_a + ", %r2" + from_b + ", %r3;", [&](const Words &w) {
          return static_cast<u32>(secondary(second, value(w), select(w.c, "", d)));
        });
      }
}

TEST(Video, ShiftsClampOrWrapTheirDistance) {
  for (const bool left : {true, false})
    for (const bool a : {false, true})
      for (const bool wrap : {false, true})
        for (const std::string &from : selectors) {
          const std::string name =
              std::string(left ? "vshl" : "vshr") + type(a) + type(a) + ".u32" + (wrap ? ".wrap" : ".clamp");
          const auto value = [&](const Words &w) {
            i64 by = select(w.b, ".b0", false);
            by = wrap ? by & 31 : std::min<i64>(by, 32);
            const i64 word = select(w.a, from, a);
            // The low 32 bits of a shift to the left; of 33 bits and more, what is shifted in is the sign.
            return left ? static_cast<i64>(static_cast<std::uint64_t>(word) << by) : word >> by;
          };
          expect(name + " %r4, %r1" + from + ", %r2.b0;",
                 [&](const Words &w) { return static_cast<u32>(value(w)); });
          expect(name + ".add %r4, %r1" + from + ", %r2.b0, %r3;",
                 [&](const Words &w) { return static_cast<u32>(value(w)) + w.c; });
        }
}

TEST(Video, MultiplyAndAddFollowsItsSignsScaleAndSaturation) {
  struct Form {
    const char *signs;  ///< of a, b, c
  };
  for (const Form form : {Form{"+++"}, Form{"-++"}, Form{"+-+"}, Form{"--+"}, Form{"++-"}})
    for (int signs = 0; signs < 4; ++signs)
      for (const int scale : {0, 7, 15})
        for (const bool sat : {false, true}) {
          const bool a = signs & 1, b = signs & 2;
          const bool negates = (form.signs[0] == '-') != (form.signs[1] == '-'),
                     minus_c = form.signs[2] == '-';
          const bool is_signed = a || b || negates || minus_c;
          if (scale != 0 && !is_signed) continue;  // see FormsThatGpusComputeOtherwiseAreRefused
          const auto sign = [&](int i) { return std::string(form.signs[i] == '-' ? "-" : ""); };
          const std::string name = "vmad" + type(is_signed) + type(a) + type(b) + (sat ? ".sat" : "") +
                                   (scale ? ".shr" + std::to_string(scale) : "");
          expect(name + " %r4, " + sign(0) + "%r1.h0, " + sign(1) + "%r2.h1, " + sign(2) + "%r3;",
                 [&](const Words &w) {
                   const __int128 product = __int128{select(w.a, ".h0", a)} * select(w.b, ".h1", b);
                   const __int128 c = is_signed ? __int128{static_cast<std::int32_t>(w.c)} : __int128{w.c};
                   // ~x + 1 is -x. A negated c is the complement of its 32 bits, extended.
                   const __int128 minus = __int128{static_cast<std::int32_t>(~w.c)} + 1;
                   __int128 sum = negates ? -product + c : minus_c ? product + minus : product + c;
                   sum >>= scale;
                   const __int128 most = is_signed ? INT32_MAX : UINT32_MAX,
                                  least = is_signed ? INT32_MIN : 0;
                   return static_cast<u32>(sat ? std::min(std::max(sum, least), most) : sum);
                 });
        }
}

struct Comparison {
  const char *name;
  bool (*holds)(i64, i64);
};
constexpr Comparison comparisons[] = {
    {"eq", [](i64 a, i64 b) { return a == b; }}, {"ne", [](i64 a, i64 b) { return a != b; }},
    {"lt", [](i64 a, i64 b) { return a < b; }},  {"le", [](i64 a, i64 b) { return a <= b; }},
    {"gt", [](i64 a, i64 b) { return a > b; }},  {"ge", [](i64 a, i64 b) { return a >= b; }}};

TEST(Video, SetComparesAndAddsMergesOrChooses) {
  for (const Comparison &one : comparisons)
    for (int signs = 0; signs < 4; ++signs) {
      const bool a = signs & 1, b = signs & 2;
      const std::string name = "vset" + type(a) + type(b) + "." + one.name;
      const auto value = [&](const Words &w) {
        return i64{one.holds(select(w.a, ".b1", a), select(w.b, ".b3", b)) ? 1 : 0};
      };
      expect(name + " %r4, %r1.b1, %r2.b3;", [&](const Words &w) { return static_cast<u32>(value(w)); });
      expect(name + ".add %r4, %r1.b1, %r2.b3, %r3;",
             [&](const Words &w) { return static_cast<u32>(value(w)) + w.c; });
      expect(name + " %r4.h1, %r1.b1, %r2.b3, %r3;",
             [&](const Words &w) { return merge(".h1", value(w), w.c); });
    }
}

/// The parts that a selector such as ".h32" names, of {b, a}: its last digit is part 0.
i64 chosen(const Words &w, int parts, const std::string &selector, int part, bool is_signed) {
  const int which = selector[selector.size() - 1 - static_cast<std::size_t>(part)] - '0';
  const std::string name = (parts == 2 ? ".h" : ".b") + std::to_string(which % parts);
  return select(which < parts ? w.a : w.b, name, is_signed);
}

u32 in_parts(const Words &w, int parts, const std::string &mask, bool sums,
             const std::function<i64(int)> &value) {
  u32 result = w.c;
  for (int part = 0; part < parts; ++part) {
    if (mask.find(static_cast<char>('0' + part), 2) == std::string::npos) continue;
    const i64 made = value(part);
    const std::string place = (parts == 2 ? ".h" : ".b") + std::to_string(part);
    result = sums ? result + static_cast<u32>(made) : merge(place, made, result);
  }
  return result;
}

TEST(Video, PartsAreChosenMaskedAndAdded) {
  constexpr Named parts_ops[] = {{"vadd", [](i64 a, i64 b) { return a + b; }},
                                 {"vsub", [](i64 a, i64 b) { return a - b; }},
                                 {"vavrg", [](i64 a, i64 b) { return (a + b + (a + b >= 0)) >> 1; }},
                                 {"vabsdiff", [](i64 a, i64 b) { return a < b ? b - a : a - b; }},
                                 {"vmin", [](i64 a, i64 b) { return std::min(a, b); }},
                                 {"vmax", [](i64 a, i64 b) { return std::max(a, b); }}};
  struct Choice {
    int parts;
    const char *mask, *from_a, *from_b;
  };
  for (const Choice &choice : {Choice{2, ".h10", ".h01", ".h23"}, Choice{2, ".h1", ".h10", ".h32"},
                               Choice{2, ".h0", ".h33", ".h12"}, Choice{4, ".b3210", ".b0123", ".b7654"},
                               Choice{4, ".b20", ".b3210", ".b7070"}, Choice{4, ".b3", ".b7777", ".b0246"}})
    for (const Named &op : parts_ops)
      for (int signs = 0; signs < 8; ++signs)
        for (const std::string finish : {"", ".sat", ".add"}) {
          const bool d = signs & 1, a = signs & 2, b = signs & 4;
          const std::string from_a = choice.from_a, from_b = choice.from_b;
          expect(op.name + std::to_string(choice.parts) + type(d) + type(a) + type(b) + finish + " %r4" +
                     choice.mask + ", %r1" + from_a + ", %r2" + from_b + ", %r3;",
                 [&](const Words &w) {
                   return in_parts(w, choice.parts, choice.mask, finish == ".add", [&](int part) {
                     const i64 made = op.make(chosen(w, choice.parts, from_a, part, a),
                                              chosen(w, choice.parts, from_b, part, b));
                     return finish == ".sat" ? saturate(made, d, choice.parts == 2 ? ".h0" : ".b0") : made;
                   });
                 });
        }
}

TEST(Video, PartsAreCompared) {
  for (const int parts : {2, 4})
    for (const Comparison &one : comparisons)
      for (int signs = 0; signs < 4; ++signs)
        for (const bool sums : {false, true}) {
          const bool a = signs & 1, b = signs & 2;
          const std::string mask = parts == 2 ? ".h10" : ".b3210", from_a = mask,
                            from_b = parts == 2 ? ".h32" : ".b7654";
          expect("vset" + std::to_string(parts) + type(a) + type(b) + "." + one.name + (sums ? ".add" : "") +
                     " %r4, %r1, %r2, %r3;",
                 [&](const Words &w) {
                   return in_parts(w, parts, mask, sums, [&](int part) {
                     return i64{
                         one.holds(chosen(w, parts, from_a, part, a), chosen(w, parts, from_b, part, b)) ? 1
                                                                                                         : 0};
                   });
                 });
        }
}

/// That nothing is computed for it.
void expect_refused(std::initializer_list<const char *> instructions) {
  for (const char *instruction : instructions) {
    const auto got =
        testing::run(testing::kernel(std::string("mov.u32 %r1, 1; mov.u32 %r2, 1; mov.u32 %r3, 1;\n") +
                                     instruction + "\nst.global.u32 [%out], %r4;"));
    EXPECT_EQ(got.result.status, Status::unsupported) << instruction;
  }
}

TEST(Video, ASelectorThatDoesNotExistIsRefused) {
  expect_refused({"vadd.u32.u32.u32 %r4, %r1.b4, %r2;", "vadd2.u32.u32.u32 %r4.h2, %r1, %r2, %r3;"});
}

// An H100 computes something else than PTX's text says: nobody would get the same result on both.
TEST(Video, FormsThatGpusComputeOtherwiseAreRefused) {
  expect_refused(
      {"vadd.s32.u32.s32 %r4.h1, %r1, %r2.b1, %r3;", "vmin.s32.s32.u32.sat %r4.b2, %r1.h0, %r2, %r3;",
       "vmax.u32.s32.s32.min %r4, %r1.h1, %r2.b1, %r3;", "vmad.u32.u32.u32.po.shr7 %r4, %r1.h1, %r2.b0, %r3;",
       "vmad.u32.u32.u32.shr7 %r4, %r1.h1, %r2.b0, %r3;"});
}

}  // namespace
}  // namespace warpgrade::simt
