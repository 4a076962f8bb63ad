// Outputs that are written backwards, in rows or in columns; sizes that bound each other; buffers and pointers that take
// turns; atomic updates.
#include <fmt/format.h>
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
std::map<std::string, Property> of_a_picture(const std::string &index, bool in_rows = false) {
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
  if (in_rows) problem.buffers[0].shape = {"h", "w"};
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
  // The last two: b = !b, and (b + 1) % 2 of a number with a sign.
  for (const char *turn :
       {"xor.b32 %r5, %r5, 1;\n", "add.s32 %r5, %r5, 1;\nand.b32 %r5, %r5, 1;\n",
        "mov.u32 %r13, 1;\nsub.s32 %r5, %r13, %r5;\n", "setp.eq.s32 %p3, %r5, 0;\nselp.u32 %r5, 1, 0, %p3;\n",
        "add.s32 %r13, %r5, 1;\nshr.u32 %r14, %r13, 31;\nadd.s32 %r14, %r13, %r14;\n"
        "and.b32 %r14, %r14, -2;\nsub.s32 %r5, %r13, %r14;\n"}) {
    const auto result = of_two_buffers(turn);
    EXPECT_EQ(result.at("bounds").result, Result::proved) << turn << result.at("bounds").why;
    EXPECT_EQ(result.at("races").result, Result::proved) << turn << result.at("races").why;
  }
  EXPECT_NE(of_two_buffers("").at("races").result, Result::proved);
  EXPECT_NE(of_two_buffers("and.b32 %r5, %r5, 1;\n").at("races").result, Result::proved);
  EXPECT_NE(of_two_buffers("xor.b32 %r5, %r5, 2;\n").at("bounds").result, Result::proved);
  EXPECT_NE(of_two_buffers("setp.eq.s32 %p3, %r5, 0;\nselp.u32 %r5, 1, 1, %p3;\n").at("races").result,
            Result::proved)
      << "always the second one";
  EXPECT_NE(of_two_buffers("setp.eq.s32 %p3, %r5, 0;\nselp.u32 %r5, 2, 0, %p3;\n").at("bounds").result,
            Result::proved)
      << "there is no third one";
  EXPECT_NE(of_two_buffers("setp.lt.s32 %p3, %r4, 5;\nselp.u32 %r13, 1, 0, %p3;\nxor.b32 %r5, %r5, %r13;\n")
                .at("races")
                .result,
            Result::proved);
}

/// Threads read what others wrote to %r5 and write to %r6, n times; `turn` says which buffers are next. Buffers u, v and w
/// have 32 words each.
std::map<std::string, Property> of_pointers(const std::string &turn,
                                            const std::string &barrier = "bar.sync 0;\n",
                                            const std::string &before = "") {
  ptx::Module module;
  return decided(one_block_with(
      ".shared .align 4 .b8 u[128];\n.shared .align 4 .b8 v[128];\n.shared .align 4 .b8 w[128];\n"
      "mov.u32 %r4, 0;\nmov.u32 %r5, u;\nmov.u32 %r6, v;\nmov.u32 %r7, w;\nshl.b32 %r9, %r1, 2;\n"
      "add.s32 %r10, %r5, %r9;\nst.shared.u32 [%r10], %r4;\nbar.sync 0;\n" +
          before +
          "LOOP:\nsub.s32 %r11, %r5, %r9;\nld.shared.u32 %r12, [%r11+124];\nadd.s32 %r10, %r6, %r9;\n"
          "st.shared.u32 [%r10], %r12;\n" +
          barrier + turn +
          "add.s32 %r4, %r4, 1;\nsetp.lt.s32 %p2, %r4, %r0;\n@%p2 bra LOOP;\nadd.s32 %r10, %r5, %r9;\n"
          "ld.shared.u32 %r12, [%r10];\nst.global.u32 [%rd1], %r12;\n",
      module));
}

const std::string swapped = "mov.u32 %r8, %r5;\nmov.u32 %r5, %r6;\nmov.u32 %r6, %r8;\n";

TEST(Prove, TwoPointersThatAreSwappedAreFollowed) {
  for (const auto &[name, property] : of_pointers(swapped))
    EXPECT_EQ(property.result, Result::proved) << name << ": " << property.why;
  EXPECT_NE(of_pointers(swapped, "").at("races").result, Result::proved) << "no barrier";
  EXPECT_NE(of_pointers("mov.u32 %r6, %r5;\n").at("races").result, Result::proved) << "both are u";
  // From the fifth round on, both are one.
  EXPECT_NE(
      of_pointers("setp.ge.s32 %p3, %r4, 5;\n@%p3 mov.u32 %r5, v;\n" + swapped + "@%p3 mov.u32 %r6, %r5;\n")
          .at("races")
          .result,
      Result::proved);
  // In one array, the second half begins at word 16: it ends outside.
  const std::string half = "add.s32 %r6, %r5, 64;\n";
  EXPECT_NE(of_pointers(swapped, "bar.sync 0;\n", half).at("bounds").result, Result::proved);
}

// The number of the buffer ends the loop too: after two rounds.
TEST(Prove, ALoopThatEndsWhereTurnsComeBackIsFollowedRoundByRound) {
  const auto after = [](int word) {
    ptx::Module module;
    return decided(
               one_block_with("mov.u32 %r5, 0;\nmov.u32 %r6, s;\nmov.u32 %r7, 0;\nLOOP:\nadd.s32 %r7, %r7, " +
                                  std::to_string(word) +
                                  ";\nxor.b32 %r5, %r5, 1;\nsetp.ne.s32 %p1, %r5, 0;\n@%p1 bra LOOP;\n"
                                  "shl.b32 %r8, %r7, 2;\nadd.s32 %r8, %r6, %r8;\nld.shared.u32 %r9, [%r8];\n",
                              module))
        .at("bounds");
  };
  EXPECT_EQ(after(15).result, Result::proved) << after(15).why;
  EXPECT_NE(after(16).result, Result::proved) << "word 32 of 32";
}

TEST(Prove, ThreePointersThatTakeTurnsAreFollowed) {
  const std::string moved = "mov.u32 %r8, %r5;\nmov.u32 %r5, %r6;\nmov.u32 %r6, %r7;\nmov.u32 %r7, %r8;\n";
  for (const auto &[name, property] : of_pointers(moved))
    EXPECT_EQ(property.result, Result::proved) << name << ": " << property.why;
  EXPECT_NE(of_pointers(moved, "").at("races").result, Result::proved) << "no barrier";
  // The second of the three is left out: what is read is what others write.
  const std::string wrong = "mov.u32 %r5, %r7;\nmov.u32 %r7, %r6;\nmov.u32 %r6, %r5;\n";
  EXPECT_NE(of_pointers(wrong).at("races").result, Result::proved);
}

// Which of two buffers a thread reads, a size says, or data that nobody knows; both have an element for each thread.
TEST(Prove, APointerThatIsOneOfTwoIsWithinBoth) {
  const auto read = [](const std::string &chosen, int words) {
    ptx::Module module;
    return decided(
        one_block_with(".shared .align 4 .b8 u[128];\n.shared .align 4 .b8 v[" + std::to_string(4 * words) +
                           "];\nld.global.u32 %r4, [%rd1];\nmov.u32 %r5, u;\nmov.u32 %r6, v;\n" + chosen +
                           "selp.b32 %r7, %r5, %r6, %p1;\nshl.b32 %r9, %r1, 2;\nadd.s32 %r10, %r7, %r9;\n"
                           "ld.shared.u32 %r12, [%r10];\n",
                       module));
  };
  for (const char *chosen : {"setp.gt.s32 %p1, %r0, 5;\n", "setp.gt.s32 %p1, %r4, 5;\n"}) {
    EXPECT_EQ(read(chosen, 32).at("bounds").result, Result::proved) << read(chosen, 32).at("bounds").why;
    EXPECT_NE(read(chosen, 31).at("bounds").result, Result::proved) << chosen;
  }
}

TEST(Prove, ABufferThatIsTurnedByHalfATurnIsWritten) {
  const std::string last_row = "add.s32 %r10, %r1, -1;\nsub.s32 %r10, %r10, %r3;\n";
  // A[(h - 1 - y) * w + w - 1 - x], and A[h * w - 1 - (y * w + x)].
  const std::string by_sides = last_row +
                               "mad.lo.s32 %r4, %r10, %r0, %r0;\nadd.s32 %r4, %r4, {};\n"
                               "sub.s32 %r4, %r4, %r2;\n",
                    as_a_whole =
                        "mul.lo.s32 %r9, %r0, %r1;\nadd.s32 %r9, %r9, {};\n"
                        "mad.lo.s32 %r10, %r3, %r0, %r2;\nsub.s32 %r4, %r9, %r10;\n";
  for (const std::string &index : {by_sides, as_a_whole})
    for (const bool in_rows : {false, true}) {
      const auto right = of_a_picture(fmt::format(fmt::runtime(index), -1), in_rows);
      for (const auto &[name, property] : right)
        EXPECT_TRUE(property.result == Result::proved || name == "overflow")
            << name << ": " << property.why << "\n"
            << index;
      for (const int wrong : {0, -2}) {
        const auto shifted = of_a_picture(fmt::format(fmt::runtime(index), wrong), in_rows);
        EXPECT_NE(shifted.at("bounds").result, Result::proved) << index;
        EXPECT_NE(shifted.at("written").result, Result::proved) << index;
      }
    }
}

// One thread for each element of a matrix, without rows: A[h * w - 1 - i].
TEST(Prove, AMatrixThatIsWrittenBackwardsAsAWholeIsWritten) {
  const auto backwards = [](int last, const std::string &how) {
    ptx::Module module;
    Problem problem = problem_of(
        ".param .u64 a, .param .u32 w, .param .u32 h",
        "ld.param.u64 %rd0, [a];\nld.param.u32 %r0, [w];\nld.param.u32 %r1, [h];\nmov.u32 %r5, %tid.x;\n"
        "mov.u32 %r6, %ctaid.x;\nmad.lo.s32 %r2, %r6, 64, %r5;\nmul.lo.s32 %r3, %r0, %r1;\nsetp." +
            how + ".s32 %p0, %r2, %r3;\n@%p0 bra END;\n" +
            fmt::format("add.s32 %r4, %r3, {};\nsub.s32 %r4, %r4, %r2;\nmul.wide.s32 %rd1, %r4, 4;\n", last) +
            "add.s64 %rd2, %rd1, %rd0;\nst.global.f32 [%rd2], %f0;\n",
        module);
    problem.sizes = {"w", "h"};
    problem.assumptions = {"w >= 1", "h >= 1", "w <= 32768", "h <= 32768"};
    problem.grid = {"ceil_div(w * h, 64)", "1", "1"};
    problem.block = {"64", "1", "1"};
    problem.buffers = {{"a", {"h", "w"}, 4, true}};
    problem.arguments = {{Argument::Kind::pointer, "0", "a"},
                         {Argument::Kind::integer, "w", ""},
                         {Argument::Kind::integer, "h", ""}};
    return decided(problem);
  };
  for (const auto &[name, property] : backwards(-1, "ge"))
    EXPECT_EQ(property.result, Result::proved) << name << ": " << property.why;
  EXPECT_NE(backwards(-2, "ge").at("written").result, Result::proved) << "the last element is left out";
  EXPECT_NE(backwards(-1, "gt").at("bounds").result, Result::proved) << "one thread too many";
}

// As of a histogram with 64 bins, of which an element is the last byte.
TEST(Prove, OfAtomicUpdatesOfAnOutputBoundsAreDecidedAndWrittenSaysWhatTheyAre) {
  const auto updated = [](int mask) {
    ptx::Module module;
    Problem problem = problem_of(
        ".param .u64 bins, .param .u64 x, .param .u32 n",
        "ld.param.u64 %rd0, [bins];\nld.param.u64 %rd1, [x];\nld.param.u32 %r0, [n];\nmov.u32 %r1, %tid.x;\n"
        "mov.u32 %r2, %ctaid.x;\nmad.lo.s32 %r3, %r2, 32, %r1;\nsetp.ge.s32 %p0, %r3, %r0;\n@%p0 bra END;\n"
        "mul.wide.s32 %rd2, %r3, 4;\nadd.s64 %rd3, %rd1, %rd2;\nld.global.u32 %r4, [%rd3];\n" +
            fmt::format("and.b32 %r5, %r4, {};\n", mask) +
            "mul.wide.u32 %rd4, %r5, 4;\nadd.s64 %rd5, %rd0, %rd4;\nred.global.add.u32 [%rd5], 1;\n",
        module);
    problem.sizes = {"n"};
    problem.assumptions = {"n >= 1"};
    problem.grid = {"ceil_div(n, 32)", "1", "1"};
    problem.block = {"32", "1", "1"};
    problem.buffers = {{"bins", {"64"}, 4, true}, {"x", {"n"}, 4, false}};
    problem.arguments = {{Argument::Kind::pointer, "0", "bins"},
                         {Argument::Kind::pointer, "0", "x"},
                         {Argument::Kind::integer, "n", ""}};
    return decided(problem);
  };
  const auto right = updated(63);
  for (const char *name : {"bounds", "races", "barriers"})
    EXPECT_EQ(right.at(name).result, Result::proved) << right.at(name).why;
  EXPECT_EQ(right.at("written").result, Result::not_decided);
  EXPECT_EQ(right.at("written").why,
            "'bins' is updated by atomics, any number of which may reach an element");
  EXPECT_NE(updated(127).at("bounds").result, Result::proved);
}

// What nvcc makes of `for (i = first; i < n; i += gridDim.x * blockDim.x)`: rounds one by one until a multiple of four is left,
// then four at a time.
TEST(Prove, AStrideOfTheWholeGridIsWithinItsBufferWhereTheLoopIsUnrolled) {
  const auto strided = [](int mask) {
    ptx::Module module;
    const std::string touch =
        "mul.wide.s32 %rd1, %r5, 4;\nadd.s64 %rd1, %rd0, %rd1;\nst.global.f32 [%rd1], %f0;\n"
        "add.s32 %r5, %r5, %r4;\n";
    Problem problem = problem_of(
        ".param .u64 a, .param .u32 n",
        "ld.param.u64 %rd0, [a];\nld.param.u32 %r0, [n];\nmov.u32 %r1, %tid.x;\nmov.u32 %r2, %ctaid.x;\n"
        "mov.u32 %r3, %nctaid.x;\nshl.b32 %r4, %r3, 8;\nmad.lo.s32 %r5, %r2, 256, %r1;\n"
        "setp.ge.s32 %p0, %r5, %r0;\n@%p0 bra END;\nsub.s32 %r6, %r0, %r5;\nadd.s32 %r6, %r6, -1;\n"
        "div.u32 %r7, %r6, %r4;\nadd.s32 %r8, %r7, 1;\n" +
            fmt::format("and.b32 %r9, %r8, {};\n", mask) +
            "setp.eq.s32 %p1, %r9, 0;\n@%p1 bra FOURS;\nONES:\n" + touch +
            "add.s32 %r9, %r9, -1;\nsetp.ne.s32 %p2, %r9, 0;\n@%p2 bra ONES;\nFOURS:\n"
            "setp.lt.u32 %p3, %r7, 3;\n@%p3 bra END;\nFOUR:\n" +
            touch + touch + touch + touch + "setp.lt.s32 %p4, %r5, %r0;\n@%p4 bra FOUR;\n",
        module);
    problem.sizes = {"n"};
    problem.assumptions = {"n >= 1", "n <= 67108864"};
    problem.grid = {"min(ceil_div(n, 256), 16)", "1", "1"};
    problem.block = {"256", "1", "1"};
    problem.buffers = {{"a", {"n"}, 4, false}};
    problem.arguments = {{Argument::Kind::pointer, "0", "a"}, {Argument::Kind::integer, "n", ""}};
    return decided(problem);
  };
  for (const auto &[name, property] : strided(3))
    EXPECT_TRUE(property.result == Result::proved || name == "written") << name << ": " << property.why;
  EXPECT_NE(strided(1).at("bounds").result, Result::proved) << "two or more may be left";
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

/// Thread i < n of k(z, w, n) stores to z and w, of n elements each; it has 4 * i in %rd2 and the addresses of z and w in %rd0
/// and %rd1.
std::map<std::string, Property> of_two_pointers(const std::string &body) {
  ptx::Module module;
  Problem problem = problem_of(
      ".param .u64 z, .param .u64 w, .param .u32 n",
      "ld.param.u64 %rd0, [z];\nld.param.u64 %rd1, [w];\nld.param.u32 %r0, [n];\nmov.u32 %r1, %tid.x;\n"
      "mov.u32 %r2, %ctaid.x;\nmad.lo.s32 %r3, %r2, 32, %r1;\nsetp.ge.s32 %p0, %r3, %r0;\n@%p0 bra END;\n"
      "mul.wide.s32 %rd2, %r3, 4;\n" +
          body,
      module);
  problem.sizes = {"n"};
  problem.assumptions = {"n >= 1"};
  problem.grid = {"ceil_div(n, 32)", "1", "1"};
  problem.block = {"32", "1", "1"};
  problem.buffers = {{"z", {"n"}, 4, false}, {"w", {"n"}, 4, false}};
  problem.arguments = {{Argument::Kind::pointer, "0", "z"},
                       {Argument::Kind::pointer, "0", "w"},
                       {Argument::Kind::integer, "n", ""}};
  return decided(problem);
}

TEST(Prove, ANumberThatIsConvertedToFewerBitsLosesTheOthersInAWideRegisterToo) {
  const auto stored_at = [](const std::string &index) {
    return of_two_pointers(
        index + "mul.wide.s32 %rd3, %r4, 4;\nadd.s64 %rd4, %rd0, %rd3;\nst.global.f32 [%rd4], %f0;\n");
  };
  // Threads 0 and 256, or 0 and 65536, write one element; so does -1 as 65535, beyond n.
  for (const char *index : {"cvt.u8.u32 %r4, %r3;\n", "cvt.u16.u32 %r4, %r3;\n", "cvt.s8.s32 %r4, %r3;\n"})
    EXPECT_NE(stored_at(index).at("races").result, Result::proved) << index;
  EXPECT_NE(
      stored_at("mov.u32 %r5, 255;\ncvt.u16.s8 %r5, %r5;\nadd.s32 %r4, %r5, 1;\nadd.s32 %r4, %r4, %r3;\n")
          .at("bounds")
          .result,
      Result::proved)
      << "element 65536 and more";
  EXPECT_EQ(stored_at("cvt.u32.u32 %r4, %r3;\n").at("races").result, Result::proved);
  EXPECT_EQ(stored_at("and.b32 %r5, %r1, 31;\ncvt.u8.u32 %r5, %r5;\nmad.lo.s32 %r4, %r2, 32, %r5;\n")
                .at("races")
                .result,
            Result::proved)
      << "it fits";
}

TEST(Prove, AtomicUpdatesRaceWhereTheirScopeOrTheirSizesDiffer) {
  const auto races = [](const std::string &updates) { return of_two_pointers(updates).at("races").result; };
  EXPECT_EQ(races("red.global.add.u32 [%rd0], 1;\n"), Result::proved);
  EXPECT_EQ(races("red.relaxed.gpu.global.add.u32 [%rd0], 1;\n"), Result::proved);
  EXPECT_NE(races("red.relaxed.cta.global.add.u32 [%rd0], 1;\n"), Result::proved);
  EXPECT_NE(races("red.relaxed.cta.global.add.u32 [%rd0], 1;\nred.global.add.u32 [%rd0], 1;\n"),
            Result::proved);
  EXPECT_NE(races("red.global.add.u32 [%rd0+4], 1;\nred.global.add.u64 [%rd0], 1;\n"), Result::proved);
  // Within a block, its scope is enough, and the sizes are to be one.
  const auto of_block = [](const std::string &updates) {
    ptx::Module module;
    return decided(one_block_with("mov.u32 %r4, s;\n" + updates, module)).at("races").result;
  };
  EXPECT_EQ(of_block("red.relaxed.cta.shared.add.u32 [%r4], 1;\n"), Result::proved);
  EXPECT_EQ(of_block("red.relaxed.cta.global.add.u32 [%rd0], 1;\n"), Result::proved);
  EXPECT_NE(of_block("red.shared.add.u32 [%r4], 1;\nred.shared.add.u64 [%r4], 1;\n"), Result::proved);
}

TEST(Prove, NothingIsWrittenForSureWhereAThreadMayTrap) {
  const auto written = [](const std::string &condition) {
    ptx::Module module;
    return decided(problem_with("@%p0 bra END;\nmul.wide.s32 %rd1, %r3, 4;\nadd.s64 %rd2, %rd1, %rd0;\n"
                                "st.global.f32 [%rd2], %f0;\n" +
                                    condition + "@%p1 bra END;\ntrap;\n",
                                module))
        .at("written");
  };
  const Property some = written("setp.ne.s32 %p1, %r0, 7777777;\n");
  EXPECT_NE(some.result, Result::proved);
  EXPECT_NE(some.why.find("trap"), std::string::npos) << some.why;
  EXPECT_EQ(written("setp.ge.s32 %p1, %r0, 1;\n").result, Result::proved) << "n is at least 1";
}

// A size may have the name of anything; what is reported of it has that name.
TEST(Prove, ASizeThatIsCalledDataIsASizeNonetheless) {
  for (const std::string name : {"data", "turns", "choice", "wraps"}) {
    ptx::Module module;
    Problem problem = problem_with(
        "@%p0 bra END;\nmul.lo.s32 %r4, %r3, %r0;\nadd.s32 %r4, %r4, %r0;\nmul.wide.s32 %rd1, %r4, 4;\n"
        "add.s64 %rd2, %rd1, %rd0;\nst.global.f32 [%rd2], %f0;\n",
        module);
    problem.sizes = {name};
    problem.assumptions = {name + " >= 1"};
    problem.grid[0] = "ceil_div(" + name + ", 32)";
    problem.buffers[0].shape = {name};
    problem.arguments[1].value = name;
    const auto result = decided(problem);
    EXPECT_EQ(result.at("bounds").why.find("read from memory"), std::string::npos) << result.at("bounds").why;
    EXPECT_NE(result.at("overflow").why.find("'" + name), std::string::npos) << result.at("overflow").why;
  }
}

// z[i + d] = 1 and w[(i + 1) % n] = 2, where d is w - z if n > 5, in elements or in bytes.
TEST(Prove, AnAddressThatReachesAnotherBufferByADifferenceOfPointersRacesThere) {
  const std::string next =
      "add.s32 %r4, %r3, 1;\nrem.s32 %r5, %r4, %r0;\nmul.wide.s32 %rd6, %r5, 4;\n"
      "add.s64 %rd7, %rd1, %rd6;\nst.global.f32 [%rd7], %f0;\n";
  const std::string apart = "sub.s64 %rd3, %rd1, %rd0;\n";
  const std::string store =
      "add.s64 %rd5, %rd0, %rd2;\nadd.s64 %rd5, %rd5, %rd4;\nst.global.f32 [%rd5], %f0;\n";
  const std::string chosen = "setp.gt.s32 %p1, %r0, 5;\nselp.b64 %rd4, %rd3, 0, %p1;\n";
  const std::string chosen_in_elements = "shr.s64 %rd3, %rd3, 2;\n" + chosen + "shl.b64 %rd4, %rd4, 2;\n";
  // As many elements as lie between the two, counted by a loop.
  const std::string counted =
      "mov.u64 %rd8, %rd0;\nmov.u64 %rd4, 0;\nLOOP:\nadd.s64 %rd8, %rd8, 4;\nadd.s64 %rd4, %rd4, 4;\n"
      "setp.lt.u64 %p2, %rd8, %rd1;\n@%p2 bra LOOP;\n";
  for (const std::string &difference : {apart + chosen, apart + chosen_in_elements, counted})
    EXPECT_NE(of_two_pointers(difference + store + next).at("races").result, Result::proved) << difference;
  // Where the difference is not used, there is no race.
  EXPECT_EQ(of_two_pointers(apart + "mov.u64 %rd4, 0;\n" + store + next).at("races").result, Result::proved);
}

}  // namespace
}  // namespace warpgrade::prove
