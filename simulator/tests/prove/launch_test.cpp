// What a device asks of a launch and of its threads: alignment, whole warps, blocks that it takes.
#include <gtest/gtest.h>

#include <string>

#include "generator.hpp"
#include "problems.hpp"
#include "prove/prove.hpp"
#include "ptx/module.hpp"

namespace warpgrade::prove {
namespace {

// Such as bytes that are read as words: what lies before them may begin anywhere.
TEST(ProveALaunch, AVariableIsAlignedAsItIsDeclaredAndNoFurther) {
  const auto read = [](const std::string &align) {
    ptx::Module module;
    const Problem problem =
        one_block_with(".shared .align " + align +
                           " .b8 c[128];\nmov.u32 %r5, c;\nshl.b32 %r6, %r1, 2;\nadd.s32 %r5, %r5, %r6;\n"
                           "ld.shared.u32 %r7, [%r5];\n",
                       module);
    return decided(problem).at("bounds");
  };
  EXPECT_EQ(read("4").result, Result::proved) << read("4").why;
  EXPECT_EQ(read("16").result, Result::proved);
  for (const char *align : {"1", "2"}) {
    EXPECT_EQ(read(align).result, Result::not_decided) << align;
    EXPECT_EQ(read(align).why.find("the access to 'c' may be misaligned"), 0u) << read(align).why;
  }
}

// Compilers put all arrays of a thread that have an index into one variable.
TEST(ProveALaunch, TheArraysOfAThreadAreNotToldApart) {
  const auto write = [](const std::string &other) {
    ptx::Module module;
    const Problem problem = one_block_with(
        ".local .align 16 .b8 frame[256];\nmov.u64 %rd9, frame;\nadd.u64 %rd2, %rd9, 0;\n" + other +
            "cvt.u64.u32 %rd4, %r1;\nshl.b64 %rd4, %rd4, 2;\nadd.s64 %rd5, %rd2, %rd4;\n"
            "st.local.u32 [%rd5], %r1;\n",
        module);
    return decided(problem).at("bounds");
  };
  EXPECT_EQ(write("").result, Result::proved) << write("").why;
  EXPECT_EQ(write("mov.u64 %rd3, %rd9;\nst.local.u32 [%rd3], %r1;\nst.local.u32 [frame], %r1;\n").result,
            Result::proved)
      << "the same array";
  // 32 words, in an array of 16: the second one begins behind it.
  for (const char *second :
       {"add.u64 %rd3, %rd9, 64;\n", "add.u64 %rd3, 64, %rd9;\n", "sub.u64 %rd3, %rd9, -64;\n",
        "or.b64 %rd3, %rd9, 64;\n", "mad.lo.u64 %rd3, %rd10, 4, %rd9;\n", "add.u64 %rd3, %rd9, %rd10;\n",
        "add.u64 %rd3, %rd10, %rd9;\n", "mov.u64 %rd8, %rd9;\nadd.u64 %rd3, %rd8, 64;\n",
        "cvta.local.u64 %rd8, %rd9;\nadd.u64 %rd3, %rd8, 64;\n", "mov.u64 %rd3, frame+64;\n",
        "mov.u64 %rd3, %rd9;\nst.local.u32 [%rd3+64], %r1;\n", "st.local.u32 [%rd9+64], %r1;\n",
        "ld.local.u32 %r2, [%rd9+64];\n", "st.local.u32 [frame+64], %r1;\n",
        "selp.b64 %rd3, %rd9, %rd10, %p1;\n", "mov.b64 {%r5, %r6}, %rd9;\n"}) {
    const std::string text = std::string("mov.u64 %rd10, 64;\n") + second;
    EXPECT_EQ(write(text).result, Result::not_decided) << text;
    EXPECT_EQ(write(text).why, "the index may reach another local array of the thread") << text;
  }
}

TEST(ProveALaunch, AnArrayOfAThreadMayEndBeforeAConstantIndex) {
  const auto write = [](const std::string &text) {
    ptx::Module module;
    const Problem problem = one_block_with(
        ".local .align 16 .b8 frame[64];\nmov.u64 %rd9, frame;\nadd.u64 %rd2, %rd9, 0;\n" + text, module);
    return decided(problem).at("bounds");
  };
  EXPECT_EQ(write("st.local.u32 [%rd2+36], %r1;\n").result, Result::proved) << "one array of 16 words";
  const Property two = write("add.u64 %rd3, %rd9, 32;\nst.local.u32 [%rd2+36], %r1;\n");
  EXPECT_EQ(two.result, Result::not_decided) << "a[9] of a[8] and b[8]";
  EXPECT_EQ(two.why, "the index may reach another local array of the thread");
  const Property beyond = write("add.u64 %rd3, %rd9, 32;\nst.local.u32 [%rd2+64], %r1;\n");
  EXPECT_NE(beyond.result, Result::proved) << "outside both";
}

/// `barriers` of 64 threads that come to `body`.
Property of_two_warps(const std::string &body) {
  ptx::Module module;
  Problem problem = one_block_with(body, module);
  problem.block = {"64", "1", "1"};
  problem.buffers[0].shape = {"64"};
  return decided(problem).at("barriers");
}

const std::string shuffle = "shfl.sync.down.b32 %r9|%p9, %r1, 16, 31, -1;\n", sync = "bar.warp.sync -1;\n",
                  vote = "vote.sync.ballot.b32 %r9, %p9, -1;\n";

TEST(ProveALaunch, TheLanesOfAWarpMeetAllOrNone) {
  const auto below = [](const std::string &limit, const std::string &meeting) {
    return of_two_warps("setp.ge.s32 %p1, %r1, " + limit + ";\n@%p1 bra AFTER;\n" + meeting +
                        "AFTER:\nst.global.u32 [%rd1], %r1;\n");
  };
  for (const std::string &meeting : {shuffle, sync, vote}) {
    EXPECT_EQ(of_two_warps(meeting).result, Result::proved) << meeting;
    EXPECT_EQ(below("32", meeting).result, Result::proved) << below("32", meeting).why << meeting;
    EXPECT_NE(below("16", meeting).result, Result::proved) << meeting;
    EXPECT_NE(below("%r0", meeting).result, Result::proved) << "a size: " << meeting;
  }
  EXPECT_NE(below("16", sync + "bra END;\n").result, Result::proved);
  EXPECT_NE(of_two_warps("setp.ge.s32 %p1, %r1, 16;\n@%p1 bar.warp.sync -1;\n").result, Result::proved);
}

TEST(ProveALaunch, LanesThatReturnedAreNotWaitedFor) {
  const std::string guard = "setp.ge.s32 %p1, %r1, %r0;\n@%p1 bra END;\n";
  EXPECT_EQ(of_two_warps(guard + shuffle).result, Result::proved) << of_two_warps(guard + shuffle).why;
  // Not so before a barrier of the block, nor where they do something first.
  EXPECT_NE(of_two_warps(guard + "bar.sync 0;\n").result, Result::proved);
  EXPECT_NE(of_two_warps("setp.ge.s32 %p1, %r1, %r0;\n@%p1 bra OTHER;\n" + sync +
                         "bra END;\nOTHER:\nst.global.u32 [%rd1], %r1;\n" + sync)
                .result,
            Result::proved);
}

TEST(ProveALaunch, WhichLanesAMaskNamesIsNotFollowed) {
  EXPECT_EQ(of_two_warps("bar.warp.sync 4294967295;\n").result, Result::proved);
  for (const char *text : {"bar.warp.sync 65535;\n", "bar.warp.sync %r1;\n"}) {
    EXPECT_EQ(of_two_warps(text).result, Result::not_decided) << text;
    EXPECT_EQ(of_two_warps(text).why, "the mask does not name all lanes, or is not known") << text;
  }
}

// setp.lt.and p|q, a, b, c: q is !(a < b) && c, and not the opposite of p.
TEST(ProveALaunch, TheSecondPredicateOfAComparisonKeepsWhatBothAreCombinedWith) {
  const auto store = [](const std::string &guard, int words) {
    ptx::Module module;
    return decided(one_block_with("setp.eq.s32 %p3, %r0, 1;\nsetp.lt.and.s32 %p1|%p2, %r1, 16, %p3;\n" +
                                      guard + " bra END;\nst.global.u32 [%rd1+" + std::to_string(4 * words) +
                                      "], %r1;\n",
                                  module))
        .at("bounds");
  };
  EXPECT_EQ(store("@!%p2", -16).result, Result::proved) << store("@!%p2", -16).why;
  EXPECT_NE(store("@%p2", 16).result, Result::proved) << "element 32 of 32, where n is not 1";
}

TEST(ProveALaunch, AMinimumThatIsNotBelowZeroIsNoPlainMinimum) {
  ptx::Module module;
  const auto result = decided(
      one_block_with("sub.s32 %r4, %r1, 32;\nmin.relu.s32 %r5, %r4, 5;\nadd.s32 %r5, %r5, 32;\n"
                     "mul.wide.s32 %rd2, %r5, 4;\nadd.s64 %rd2, %rd0, %rd2;\nst.global.u32 [%rd2], %r1;\n",
                     module));
  EXPECT_NE(result.at("bounds").result, Result::proved) << "all of them write element 32";
}

TEST(ProveALaunch, ABlockHasNoMoreThreadsThanADeviceTakes) {
  ptx::Module module;
  Problem problem = one_block_with("st.global.u32 [%rd1], %r1;\n", module);
  problem.block = {"n", "1", "1"};
  problem.buffers[0].shape = {"1024"};
  EXPECT_EQ(decided(problem).at("bounds").result, Result::proved);
  problem.buffers[0].shape = {"1023"};
  EXPECT_NE(decided(problem).at("bounds").result, Result::proved);
  module.functions[0].max_threads = 1023;  // of __launch_bounds__
  EXPECT_EQ(decided(problem).at("bounds").result, Result::proved);
}

TEST(ProveALaunch, SaysWhyThereIsNone) {
  ptx::Module module;
  Problem problem = one_block_with("st.global.u32 [%rd1], %r1;\n", module);
  EXPECT_EQ(why_no_launch(problem), "");
  const auto with = [&](const std::string &grid, const std::string &block, const std::string &more) {
    Problem other = problem;
    other.grid[0] = grid;
    other.block[0] = block;
    other.assumptions.push_back(more);
    return why_no_launch(other);
  };
  EXPECT_EQ(with("n", "n", "n <= 40"), "");
  EXPECT_EQ(with("n", "32", "n <= 0"), "no sizes satisfy the assumptions") << "n is at least 1";
  EXPECT_EQ(with("0", "32", "n <= 9"), "a grid has no blocks, or more than a device takes");
  EXPECT_EQ(with("n - 9", "32", "n <= 9"), "a grid has no blocks, or more than a device takes");
  EXPECT_EQ(with("1", "n", "n >= 1025"), "a block has no threads, or more than a device takes");
  problem.block[1] = "8";
  EXPECT_EQ(with("1", "256", "n >= 1"), "a block has more threads than the 1024 that a device takes");
  module.functions[0].max_threads = 128;
  EXPECT_EQ(with("1", "32", "n >= 1"),
            "a block has more threads than the 128 that __launch_bounds__ of the kernel allows");
}

}  // namespace
}  // namespace warpgrade::prove
