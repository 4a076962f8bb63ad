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
    const int block = pick({8, 16}), words = pick({block, block, block, block / 2});
    Generated result;
    Problem &problem = result.problem;
    problem.kernel = "k";
    problem.sizes = {"n"};
    problem.assumptions = {"n >= 1"};
    problem.block = {std::to_string(block), "1", "1"};
    problem.grid = {"2", "1", "1"};
    problem.buffers = {{"A", {"n"}, 4, false}};
    problem.arguments = {{Argument::Kind::pointer, "0", "A"}, {Argument::Kind::integer, "n", ""}};
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
    result.ptx =
        ".version 7.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 a, .param .u32 n)\n{\n"
        ".reg .pred %p<9>;\n.reg .b32 %r<99>;\n.reg .b64 %rd<9>;\n.shared .align 4 .b8 s[" +
        std::to_string(2 * 4 * block) +
        "];\nld.param.u32 %r0, [n];\nmov.u32 %r1, %tid.x;\nmov.u32 %r3, 1;\n" + text + "ret;\n}\n";
    return result;
  }

 private:
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
    switch (pick({0, 0, 1, 1, 2, 2, 3, 4, 5, 6, 7, 8})) {
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
      default:
        return "and.b32 %r5, %r4, 1;\n";
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
