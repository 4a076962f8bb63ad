// Outputs that are written backwards, in rows or in columns; sizes that bound each other; buffers that take turns.
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "generator.hpp"
#include "problems.hpp"
#include "prove/prove.hpp"
#include "ptx/module.hpp"

namespace warpgrade::prove {
namespace {

/// Thread i < n of k(a, n) writes one element; `index` calculates it in %r4.
std::map<std::string, Property> of_one_store(const std::string &guard, const std::string &index) {
  ptx::Module module;
  return decided(problem_with(guard + "@%p0 bra END;\n" + index +
                                  "mul.wide.s32 %rd1, %r4, 4;\nadd.s64 %rd2, %rd1, %rd0;\n"
                                  "st.global.f32 [%rd2], %f0;\n",
                              module));
}

TEST(Prove, AnOutputThatIsWrittenBackwardsIsWritten) {
  const std::string last = "add.s32 %r5, %r0, -1;\n", backwards = last + "sub.s32 %r4, %r5, %r3;\n";
  for (const auto &[name, property] : of_one_store("", backwards))
    EXPECT_EQ(property.result, Result::proved) << name << ": " << property.why;
  // a[n - i] leaves a[0] out, and so does a guard that leaves the last thread out.
  EXPECT_NE(of_one_store("", "sub.s32 %r4, %r0, %r3;\n").at("written").result, Result::proved);
  const auto guarded = of_one_store(last + "setp.ge.s32 %p0, %r3, %r5;\n", backwards);
  EXPECT_EQ(guarded.at("bounds").result, Result::proved);
  EXPECT_NE(guarded.at("written").result, Result::proved);
}

/// k(a, w, h) in blocks of 16 x 16, with column %r2 < w and row %r3 < h; `index` calculates the element in %r4.
std::map<std::string, Property> of_a_picture(const std::string &index) {
  ptx::Module module;
  Problem problem = problem_of(
      ".param .u64 a, .param .u32 w, .param .u32 h",
      "ld.param.u64 %rd0, [a];\nld.param.u32 %r0, [w];\nld.param.u32 %r1, [h];\nmov.u32 %r5, %tid.x;\n"
      "mov.u32 %r6, %ctaid.x;\nmad.lo.s32 %r2, %r6, 16, %r5;\nmov.u32 %r7, %tid.y;\nmov.u32 %r8, %ctaid.y;\n"
      "mad.lo.s32 %r3, %r8, 16, %r7;\nsetp.ge.s32 %p0, %r2, %r0;\n@%p0 bra END;\nsetp.ge.s32 %p1, %r3, %r1;\n"
      "@%p1 bra END;\n" +
          index + "mul.wide.s32 %rd1, %r4, 4;\nadd.s64 %rd2, %rd1, %rd0;\nst.global.f32 [%rd2], %f0;\n",
      module);
  problem.sizes = {"w", "h"};
  problem.assumptions = {"w >= 1", "h >= 1"};
  problem.grid = {"ceil_div(w, 16)", "ceil_div(h, 16)", "1"};
  problem.block = {"16", "16", "1"};
  problem.buffers = {{"a", {"w * h"}, 4, true}};
  problem.arguments = {{Argument::Kind::pointer, "0", "a"},
                       {Argument::Kind::integer, "w", ""},
                       {Argument::Kind::integer, "h", ""}};
  return decided(problem);
}

TEST(Prove, ABufferGivenAsAProductIsTakenApartIntoTheRowsAndColumnsOfItsAddress) {
  EXPECT_EQ(of_a_picture("mad.lo.s32 %r4, %r3, %r0, %r2;\n").at("written").result, Result::proved);
  EXPECT_EQ(of_a_picture("mad.lo.s32 %r4, %r2, %r1, %r3;\n").at("written").result, Result::proved)
      << "a transpose";
  EXPECT_NE(of_a_picture("mad.lo.s32 %r4, %r2, %r0, %r3;\n").at("written").result, Result::proved)
      << "a transpose with the stride of what it reads";
}

TEST(Prove, APictureThatIsFlippedIsWritten) {
  const std::string last_column = "add.s32 %r9, %r0, -1;\nsub.s32 %r9, %r9, %r2;\n",
                    last_row = "add.s32 %r10, %r1, -1;\nsub.s32 %r10, %r10, %r3;\n";
  const auto across = of_a_picture(last_column + "mad.lo.s32 %r4, %r3, %r0, %r9;\n");
  EXPECT_EQ(across.at("written").result, Result::proved) << across.at("written").why;
  const auto down = of_a_picture(last_row + "mad.lo.s32 %r4, %r10, %r0, %r2;\n");
  EXPECT_EQ(down.at("written").result, Result::proved) << down.at("written").why;
  const auto turned = of_a_picture(last_row + "mad.lo.s32 %r4, %r2, %r1, %r10;\n");
  EXPECT_EQ(turned.at("written").result, Result::proved) << turned.at("written").why;
  const auto too_far = of_a_picture(last_column + "add.s32 %r9, %r9, -1;\nmad.lo.s32 %r4, %r3, %r0, %r9;\n");
  EXPECT_NE(too_far.at("written").result, Result::proved);
  EXPECT_NE(too_far.at("bounds").result, Result::proved);
}

/// Threads fill a shared buffer, and read what others wrote, n times with one barrier each time; `turn` changes %r5, the
/// buffer of the next time.
std::map<std::string, Property> of_two_buffers(const std::string &turn) {
  ptx::Module module;
  return decided(one_block_with(
      ".shared .align 4 .b8 t[256];\nmov.u32 %r4, 0;\nmov.u32 %r5, 0;\nmov.u32 %r6, t;\nLOOP:\n"
      "shl.b32 %r7, %r5, 7;\nadd.s32 %r8, %r6, %r7;\nshl.b32 %r9, %r1, 2;\nadd.s32 %r10, %r8, %r9;\n"
      "st.shared.u32 [%r10], %r4;\nbar.sync 0;\nsub.s32 %r11, %r8, %r9;\nld.shared.u32 %r12, [%r11+124];\n" +
          turn + "add.s32 %r4, %r4, 1;\nsetp.lt.s32 %p2, %r4, %r0;\n@%p2 bra LOOP;\n",
      module));
}

TEST(Prove, TwoBuffersThatTakeTurnsNeedOneBarrier) {
  for (const char *turn : {"xor.b32 %r5, %r5, 1;\n", "add.s32 %r5, %r5, 1;\nand.b32 %r5, %r5, 1;\n",
                           "mov.u32 %r13, 1;\nsub.s32 %r5, %r13, %r5;\n"}) {
    const auto result = of_two_buffers(turn);
    EXPECT_EQ(result.at("bounds").result, Result::proved) << turn << result.at("bounds").why;
    EXPECT_EQ(result.at("races").result, Result::proved) << turn << result.at("races").why;
  }
  EXPECT_NE(of_two_buffers("").at("races").result, Result::proved);
  EXPECT_NE(of_two_buffers("and.b32 %r5, %r5, 1;\n").at("races").result, Result::proved);
  EXPECT_NE(of_two_buffers("xor.b32 %r5, %r5, 2;\n").at("bounds").result, Result::proved);
  EXPECT_NE(of_two_buffers("setp.lt.s32 %p3, %r4, 5;\nselp.u32 %r13, 1, 0, %p3;\nxor.b32 %r5, %r5, %r13;\n")
                .at("races")
                .result,
            Result::proved);
}

/// k(a, w, h, p): rows of w elements, p apart.
std::map<std::string, Property> of_rows(const std::vector<Expression> &assumptions) {
  ptx::Module module;
  Problem problem = problem_of(
      ".param .u64 a, .param .u32 w, .param .u32 h, .param .u32 p",
      "ld.param.u64 %rd0, [a];\nld.param.u32 %r0, [w];\nld.param.u32 %r1, [p];\nmov.u32 %r5, %tid.x;\n"
      "mov.u32 %r6, %ctaid.x;\nmad.lo.s32 %r2, %r6, 32, %r5;\nmov.u32 %r3, %ctaid.y;\n"
      "setp.ge.s32 %p0, %r2, %r0;\n@%p0 bra END;\nmad.lo.s32 %r4, %r3, %r1, %r2;\nmul.wide.s32 %rd1, %r4, "
      "4;\n"
      "add.s64 %rd2, %rd1, %rd0;\nst.global.f32 [%rd2], %f0;\n",
      module);
  problem.sizes = {"w", "h", "p"};
  problem.assumptions = assumptions;
  problem.grid = {"ceil_div(w, 32)", "h", "1"};
  problem.block = {"32", "1", "1"};
  problem.buffers = {{"a", {"h * p"}, 4, false}};
  problem.arguments = {{Argument::Kind::pointer, "0", "a"},
                       {Argument::Kind::integer, "w", ""},
                       {Argument::Kind::integer, "h", ""},
                       {Argument::Kind::integer, "p", ""}};
  return decided(problem);
}

TEST(Prove, ASizeThatAnotherOneBoundsIsBounded) {
  for (const char *property : {"bounds", "races"}) {
    EXPECT_EQ(of_rows({"p >= w", "h >= 1", "w >= 1"}).at(property).result, Result::proved) << property;
    EXPECT_NE(of_rows({"p >= w - 1", "h >= 1", "w >= 1"}).at(property).result, Result::proved) << property;
  }
}

/// Thread i < n of k(a, n, k) writes a[i % k].
Result races_of_a_remainder(const std::vector<Expression> &assumptions) {
  ptx::Module module;
  Problem problem = problem_of(
      ".param .u64 a, .param .u32 n, .param .u32 k",
      "ld.param.u64 %rd0, [a];\nld.param.u32 %r0, [n];\nld.param.u32 %r1, [k];\nmov.u32 %r2, %tid.x;\n"
      "mov.u32 %r3, %ctaid.x;\nmad.lo.s32 %r4, %r3, 32, %r2;\nsetp.ge.s32 %p0, %r4, %r0;\n@%p0 bra END;\n"
      "rem.s32 %r5, %r4, %r1;\nmul.wide.s32 %rd1, %r5, 4;\nadd.s64 %rd2, %rd1, %rd0;\nst.global.f32 [%rd2], "
      "%f0;\n",
      module);
  problem.sizes = {"n", "k"};
  problem.assumptions = assumptions;
  problem.grid = {"ceil_div(n, 32)", "1", "1"};
  problem.block = {"32", "1", "1"};
  problem.buffers = {{"a", {"k"}, 4, false}};
  problem.arguments = {{Argument::Kind::pointer, "0", "a"},
                       {Argument::Kind::integer, "n", ""},
                       {Argument::Kind::integer, "k", ""}};
  const auto result = decided(problem);
  EXPECT_EQ(result.at("bounds").result, Result::proved) << result.at("bounds").why;
  return result.at("races").result;
}

TEST(Prove, TheRemainderOfWhatIsSmallerIsTheNumberItself) {
  EXPECT_EQ(races_of_a_remainder({"n >= 1", "k >= n"}), Result::proved);
  EXPECT_NE(races_of_a_remainder({"n >= 1", "k >= n - 1", "k >= 1"}), Result::proved);
}

}  // namespace
}  // namespace warpgrade::prove
