#include <fmt/format.h>

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "generator.hpp"

namespace warpgrade::prove {
namespace {

/// A loop in which threads fill one of several buffers and read what others wrote to one, in turn.
class TurnWriter {
 public:
  explicit TurnWriter(std::uint64_t seed) : random_(seed) {}

  Generated write() {
    if (pick({0, 0, 1}) == 1) return with_pointers();
    const int block = pick({8, 16}), words = pick({block, block, block, block / 2});
    std::string text =
        fmt::format("mov.u32 %r4, 0;\nmov.u32 %r5, {};\nmov.u32 %r6, s;\nLOOP:\n", pick({0, 0, 0, 1, 2}));
    text += access(words, "st");
    if (pick({0, 1, 1, 1}) == 1) text += "bar.sync 0;\n";
    const std::string turn = turned();
    const bool before = pick({0, 0, 0, 1}) == 1;
    if (before) text += turn;
    text += access(words, pick({0, 0, 0, 1}) == 1 ? "st" : "ld");
    if (!before) text += turn;
    if (pick({0, 0, 0, 1}) == 1) text += "bar.sync 0;\n";
    text += "add.s32 %r4, %r4, 1;\nsetp.lt.s32 %p2, %r4, %r0;\n@%p2 bra LOOP;\n";
    return whole(block, text);
  }

 private:
  /// The launch of a loop, in two blocks.
  static Generated whole(int block, const std::string &text) {
    Generated result;
    Problem &problem = result.problem;
    problem.kernel = "k";
    problem.sizes = {"n"};
    problem.assumptions = {"n >= 1"};
    problem.block = {std::to_string(block), "1", "1"};
    problem.grid = {"2", "1", "1"};
    problem.buffers = {{"A", {"n"}, 4, false}};
    problem.arguments = {{Argument::Kind::pointer, "0", "A"}, {Argument::Kind::integer, "n", ""}};
    result.ptx =
        ".version 7.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 a, .param .u32 n)\n{\n"
        ".reg .pred %p<9>;\n.reg .b32 %r<99>;\n.reg .b64 %rd<9>;\n.shared .align 4 .b8 s[" +
        std::to_string(2 * 4 * block) + "];\n.shared .align 4 .b8 t[" + std::to_string(4 * block) +
        "];\nld.param.u32 %r0, [n];\nmov.u32 %r1, %tid.x;\nmov.u32 %r3, 1;\n" + text + "ret;\n}\n";
    return result;
  }

  /// Threads write what %r5 points to and read what %r6 or %r5 does, and then the pointers move.
  Generated with_pointers() {
    const int block = pick({8, 16});
    const std::string second = pick({0, 0, 1}) == 1 ? "t" : "s";
    std::string text = "mov.u32 %r4, 0;\nmov.u32 %r5, s;\nmov.u32 %r6, " + second + ";\n";
    if (second == "s") text += fmt::format("add.s32 %r6, %r6, {};\n", pick({4, 4, 4, 2, 8}) * block);
    text += fmt::format("mov.u32 %r7, {};\n{}LOOP:\n", pick({0, 1}) == 1 ? "t" : "s",
                        pick({0, 0, 1}) == 1 ? fmt::format("add.s32 %r7, %r7, {};\n", 4 * block) : "");
    text += through(5, block, "st");
    if (pick({0, 1, 1, 1}) == 1) text += "bar.sync 0;\n";
    const std::string moved = pointers_moved();
    const bool before = pick({0, 0, 0, 1}) == 1;
    if (before) text += moved;
    text += through(pick({5, 5, 6}), block, pick({0, 0, 0, 1}) == 1 ? "st" : "ld");
    if (!before) text += moved;
    if (pick({0, 0, 0, 1}) == 1) text += "bar.sync 0;\n";
    return whole(block, text + "add.s32 %r4, %r4, 1;\nsetp.lt.s32 %p2, %r4, %r0;\n@%p2 bra LOOP;\n");
  }

  std::string through(int pointer, int words, const std::string &how) {
    const int at = next_ += 4;
    const bool backwards = pick({0, 1}) == 1;
    const int more = (backwards ? 4 * (words - 1) : 0) + pick({0, 0, 0, 0, 0, 4});
    return fmt::format("mad.lo.s32 %r{}, %r1, {}, %r{};\n", at, backwards ? -4 : 4, pointer) +
           (how == "st" ? fmt::format("st.shared.u32 [%r{}+{}], %r4;\n", at, more)
                        : fmt::format("ld.shared.u32 %r9, [%r{}+{}];\n", at, more));
  }

  std::string pointers_moved() {
    const std::string two = "mov.u32 %r8, %r5;\nmov.u32 %r5, %r6;\nmov.u32 %r6, %r8;\n",
                      three = "mov.u32 %r8, %r5;\nmov.u32 %r5, %r6;\nmov.u32 %r6, %r7;\nmov.u32 %r7, %r8;\n";
    const auto guarded = [](std::string text, const std::string &test) {
      for (std::size_t at = text.find("mov"); at != std::string::npos; at = text.find("mov", at + 7))
        text.insert(at, "@%p3 ");
      return test + text;
    };
    switch (pick({0, 0, 0, 1, 1, 1, 2, 3, 4, 5})) {
      case 0:
        return two;
      case 1:
        return three;
      case 2:
        return "mov.u32 %r5, %r6;\n";
      case 3:
        return guarded(two, fmt::format("setp.lt.s32 %p3, %r4, {};\n", pick({1, 5})));
      case 4:
        return guarded(two, fmt::format("setp.gt.s32 %p3, %r1, {};\n", pick({1, 3})));
      default:
        return two + fmt::format("add.s32 %r5, %r5, {};\n", pick({4, 0}));
    }
  }

  int pick(const std::vector<int> &of) {
    return of[std::uniform_int_distribution<std::size_t>(0, of.size() - 1)(random_)];
  }

  /// Of a word of the buffer %r5, or of the one behind it: the thread's own, or one in the other direction.
  std::string access(int words, const std::string &how) {
    const int at = next_ += 4;
    const bool backwards = pick({0, 1}) == 1;
    std::string text = fmt::format("mad.lo.s32 %r{}, %r5, {}, %r6;\n", at, 4 * words);
    text += fmt::format("mad.lo.s32 %r{}, %r1, {}, %r{};\n", at + 1, backwards ? -4 : 4, at);
    const int more = (backwards ? 4 * (words - 1) : 0) + pick({0, 0, 0, 0, 4, 4 * words});
    return text + (how == "st" ? fmt::format("st.shared.u32 [%r{}+{}], %r4;\n", at + 1, more)
                               : fmt::format("ld.shared.u32 %r9, [%r{}+{}];\n", at + 1, more));
  }

  /// What makes %r5 the next buffer, or something else.
  std::string turned() {
    switch (pick({0, 0, 1, 1, 2, 2, 3, 4, 5, 6, 7, 8, 9, 9, 10, 10, 11})) {
      case 0:
        return "xor.b32 %r5, %r5, 1;\n";
      case 1:
        return "add.s32 %r5, %r5, 1;\nand.b32 %r5, %r5, 1;\n";
      case 2:
        return "sub.s32 %r5, %r3, %r5;\n";
      case 3:
        return "xor.b32 %r5, %r5, 3;\n";
      case 4:
        return "add.s32 %r5, %r5, 1;\nand.b32 %r5, %r5, 3;\n";
      case 5:
        return fmt::format("setp.lt.s32 %p3, %r4, {};\nselp.u32 %r7, 1, 0, %p3;\nxor.b32 %r5, %r5, %r7;\n",
                           pick({1, 5}));
      case 6:
        return "and.b32 %r5, %r5, 1;\n";
      case 7:
        return "or.b32 %r5, %r5, 1;\n";
      case 8:
        return "and.b32 %r5, %r4, 1;\n";
      case 9: {  // r5 == a ? b : c
        const int a = pick({0, 0, 0, 1}), b = pick({1, 1, 1, 0, 2}), c = pick({0, 0, 0, 1});
        return fmt::format("setp.eq.s32 %p3, %r5, {};\nselp.u32 %r5, {}, {}, %p3;\n", a, b, c);
      }
      case 10:  // (r5 + 1) % 2, of a number with a sign
        return fmt::format(
            "add.s32 %r7, %r5, {};\nshr.u32 %r8, %r7, 31;\nadd.s32 %r8, %r7, %r8;\nand.b32 %r8, %r8, -2;\n"
            "sub.s32 %r5, %r7, %r8;\n",
            pick({1, 1, 1, 2, 3}));
      default:  // (r5 + 1) % 3
        return "add.s32 %r7, %r5, 1;\nmul.hi.s32 %r8, %r7, 1431655766;\nshr.u32 %r2, %r8, 31;\n"
               "add.s32 %r8, %r8, %r2;\nmul.lo.s32 %r8, %r8, 3;\nsub.s32 %r5, %r7, %r8;\n";
    }
  }

  std::mt19937_64 random_;
  int next_ = 10;
};

}  // namespace

Generated generate_turns(std::uint64_t seed) {
  return TurnWriter(seed).write();
}

}  // namespace warpgrade::prove
