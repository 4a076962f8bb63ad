// Choices that all threads of a block make together: at the same iteration, or by what a barrier gives them.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>

#include "cases/cases.hpp"
#include "generator.hpp"
#include "problems.hpp"
#include "prove/prove.hpp"
#include "ptx/module.hpp"

namespace warpgrade::prove {
namespace {

/// Between two barriers of a loop, threads leave it at iteration %r5, which `start` gives.
std::string break_at(const std::string &start) {
  return "mov.u32 %r4, 0;\n" + start +
         "LOOP:\nst.global.u32 [%rd1], %r4;\nbar.sync 0;\nsetp.eq.s32 %p1, %r4, %r5;\n@%p1 bra DONE;\n"
         "mov.u32 %r6, 31;\nsub.s32 %r6, %r6, %r1;\nmul.wide.u32 %rd2, %r6, 4;\nadd.s64 %rd2, %rd0, %rd2;\n"
         "st.global.u32 [%rd2], %r4;\nbar.sync 0;\nadd.s32 %r4, %r4, 1;\nsetp.lt.s32 %p2, %r4, %r0;\n"
         "@%p2 bra LOOP;\nDONE:\nbar.sync 0;\nst.global.u32 [%rd1], %r4;\n";
}

TEST(Prove, ABreakBetweenBarriersThatAllThreadsTakeInOneIterationIsNoDivergence) {
  ptx::Module module;
  for (const char *start : {"mov.u32 %r5, 10;\n", "shr.u32 %r5, %r0, 1;\n"}) {
    const auto all = decided(one_block_with(break_at(start), module));
    for (const char *name : {"bounds", "races", "barriers"})
      EXPECT_EQ(all.at(name).result, Result::proved) << name << ": " << all.at(name).why;
  }
}

TEST(Prove, ABreakBetweenBarriersInAnIterationOfEachThreadIsADivergence) {
  ptx::Module module;
  const Problem own = one_block_with(break_at("shr.u32 %r5, %r1, 4;\nadd.s32 %r5, %r5, 10;\n"), module);
  const auto barriers = decided(own, cases::on_simulator(own)).at("barriers");
  EXPECT_EQ(barriers.result, Result::fails) << barriers.why;  // from n = 12 on
  for (const char *start :
       {"mov.u32 %r5, %r1;\n", "ld.global.u32 %r5, [%rd0];\n", "and.b32 %r4, %r1, 1;\nmov.u32 %r5, 7;\n"})
    EXPECT_NE(decided(one_block_with(break_at(start), module)).at("barriers").result, Result::proved)
        << start;
}

// The inner loop has a barrier in iteration 2 of its own; how many iterations it has is up to the thread.
TEST(Prove, TheSameIterationOfALoopThatIsNotOfAllThreadsIsNoMeeting) {
  ptx::Module module;
  const auto loops = [](const std::string &bound) {
    return "mov.u32 %r4, 0;\nOUTER:\nmov.u32 %r5, 0;\nINNER:\nsetp.ge.s32 %p1, %r5, " + bound +
           ";\n@%p1 bra NEXT;\nsetp.ne.s32 %p2, %r5, 2;\n@%p2 bra SKIP;\nbar.sync 0;\nSKIP:\n"
           "add.s32 %r5, %r5, 1;\nbra INNER;\nNEXT:\nadd.s32 %r4, %r4, 1;\nsetp.lt.s32 %p3, %r4, %r0;\n"
           "@%p3 bra OUTER;\n";
  };
  for (const char *bound : {"%r1", "%r4"})
    EXPECT_NE(decided(one_block_with(loops(bound), module)).at("barriers").result, Result::proved) << bound;
}

TEST(Prove, ABarrierThatCountsSeparatesAccesses) {
  ptx::Module module;
  const std::string mirrored =
      "st.global.u32 [%rd1], %r1;\nsetp.lt.s32 %p1, %r1, %r0;\n{}mov.u32 %r6, 31;\nsub.s32 %r6, %r6, %r1;\n"
      "mul.wide.u32 %rd2, %r6, 4;\nadd.s64 %rd2, %rd0, %rd2;\nst.global.u32 [%rd2], %r1;\n";
  for (const char *barrier : {"bar.red.popc.u32 %r5, 0, %p1;\n", "bar.red.and.pred %p2, 0, %p1;\n",
                              "bar.red.or.pred %p2, 0, !%p1;\n"}) {
    const auto all = decided(one_block_with(fmt::format(fmt::runtime(mirrored), barrier), module));
    EXPECT_EQ(all.at("races").result, Result::proved) << barrier << all.at("races").why;
    EXPECT_EQ(all.at("barriers").result, Result::proved) << barrier << all.at("barriers").why;
  }
  // Some threads only come to it.
  const auto some =
      decided(one_block_with("setp.ge.s32 %p1, %r1, %r0;\n@%p1 bra END;\n"
                             "bar.red.popc.u32 %r5, 0, %p1;\n",
                             module));
  EXPECT_NE(some.at("barriers").result, Result::proved);
}

TEST(Prove, ACountOfThreadsIsAtMostTheirNumber) {
  ptx::Module module;
  Problem problem = one_block_with(
      "setp.lt.s32 %p1, %r1, %r0;\nbar.red.popc.u32 %r5, 0, %p1;\nsetp.ne.s32 %p2, %r1, 0;\n@%p2 bra END;\n"
      "mul.wide.u32 %rd2, %r5, 4;\nadd.s64 %rd2, %rd0, %rd2;\nst.global.u32 [%rd2], %r1;\n",
      module);
  problem.buffers = {{"a", {"33"}, 4, false}};
  EXPECT_EQ(decided(problem).at("bounds").result, Result::proved) << decided(problem).at("bounds").why;
  EXPECT_EQ(decided(problem).at("races").result, Result::proved) << decided(problem).at("races").why;
  problem.buffers = {{"a", {"32"}, 4, false}};
  EXPECT_NE(decided(problem).at("bounds").result, Result::proved);
}

TEST(Prove, WhatABarrierSaysToAllThreadsIsAChoiceOfAll) {
  ptx::Module module;
  // An iteration ends the loop if some thread says so at the barrier; `leaves` makes %p3 of it.
  const auto loop = [](const std::string &leaves) {
    return "mov.u32 %r4, 0;\nLOOP:\nld.global.u32 %r5, [%rd1];\nsetp.eq.s32 %p1, %r5, %r4;\n"
           "bar.red.or.pred %p2, 0, %p1;\n" +
           leaves +
           "@%p3 bra DONE;\nst.global.u32 [%rd1], %r4;\nbar.sync 0;\nadd.s32 %r4, %r4, 1;\n"
           "setp.lt.s32 %p4, %r4, %r0;\n@%p4 bra LOOP;\nDONE:\nbar.sync 0;\nst.global.u32 [%rd1], %r4;\n";
  };
  const auto all = decided(one_block_with(loop("mov.pred %p3, %p2;\n"), module));
  for (const char *name : {"bounds", "races", "barriers"})
    EXPECT_EQ(all.at(name).result, Result::proved) << name << ": " << all.at(name).why;
  for (const char *leaves : {"setp.eq.s32 %p5, %r1, %r4;\nor.pred %p3, %p2, %p5;\n", "mov.pred %p3, %p1;\n"})
    EXPECT_NE(decided(one_block_with(loop(leaves), module)).at("barriers").result, Result::proved) << leaves;
}

// a[tid ^ 1] is a swap of neighbours, a[tid | 1] one element for two threads.
TEST(Prove, BitsThatAMaskNamesAreFollowed) {
  ptx::Module module;
  const auto at = [&](const std::string &bits) {
    return decided(one_block_with(
        bits + "mul.wide.u32 %rd2, %r6, 4;\nadd.s64 %rd2, %rd0, %rd2;\nst.global.u32 [%rd2], %r1;\n",
        module));
  };
  for (const char *swap : {"xor.b32 %r6, %r1, 1;\n", "xor.b32 %r6, %r1, 16;\n", "xor.b32 %r6, %r1, 12;\n"})
    for (const char *name : {"bounds", "races"})
      EXPECT_EQ(at(swap).at(name).result, Result::proved) << swap << at(swap).at(name).why;
  EXPECT_EQ(at("or.b32 %r6, %r1, 4;\n").at("bounds").result, Result::proved);
  EXPECT_NE(at("or.b32 %r6, %r1, 4;\n").at("races").result, Result::proved);
  EXPECT_NE(at("xor.b32 %r6, %r1, 32;\n").at("bounds").result, Result::proved);
}

// A byte of n + tid, in bounds although the sum may leave 32 bits.
TEST(Prove, AMaskDoesNotAskWhetherItsOperandOverflows) {
  ptx::Module module;
  Problem problem = one_block_with(
      "add.s32 %r4, %r0, %r1;\nshl.b32 %r5, %r4, 2;\ncvt.u64.u32 %rd2, %r5;\nand.b64 %rd2, %rd2, 1020;\n"
      "add.s64 %rd2, %rd0, %rd2;\nst.global.u32 [%rd2], %r1;\n",
      module);
  problem.buffers = {{"a", {"256"}, 4, false}};
  const auto all = decided(problem);
  for (const char *name : {"bounds", "races", "overflow"})
    EXPECT_EQ(all.at(name).result, Result::proved) << name << ": " << all.at(name).why;
  problem.buffers = {{"a", {"255"}, 4, false}};
  EXPECT_NE(decided(problem).at("bounds").result, Result::proved);
}

// The race says nothing of n, which is 185 only.
TEST(Prove, ACaseIsLookedForAmongTheSizesThatAreAssumed) {
  ptx::Module module;
  Problem problem = one_block_with(
      "shr.u32 %r4, %r1, 1;\nmul.wide.u32 %rd2, %r4, 4;\nadd.s64 %rd2, %rd0, %rd2;\n"
      "st.global.u32 [%rd2], %r1;\n",
      module);
  problem.assumptions = {"n == 185"};
  const Property races = decided(problem, cases::on_simulator(problem)).at("races");
  EXPECT_EQ(races.result, Result::fails) << races.why;
}

// Every thread stores, after many iterations.
TEST(Prove, ACaseThatWasStoppedShowsNothingOfWhatIsWritten) {
  ptx::Module module;
  const Problem problem = one_block_with(
      "mov.u32 %r4, 0;\nLOOP:\nadd.s32 %r4, %r4, 1;\nsetp.lt.s32 %p1, %r4, 50000;\n@%p1 bra LOOP;\n"
      "mul.wide.u32 %rd2, %r1, 4;\nadd.s64 %rd2, %rd0, %rd2;\nst.global.u32 [%rd2], %r1;\n",
      module);
  const auto seen = [&](std::uint64_t instructions) {
    return cases::on_simulator(problem, {.instructions = instructions})({{"n", 32}}).value();
  };
  EXPECT_FALSE(seen(8'000'000).unwritten);
  EXPECT_FALSE(seen(8'000'000).unfinished);
  EXPECT_TRUE(seen(1000).unfinished);
  EXPECT_FALSE(seen(1000).unwritten) << "it was stopped before its stores";
}

// From 0 in steps of 2, an odd n is never met.
TEST(Prove, FewCasesOfALoopThatNeverEndsAreRun) {
  ptx::Module module;
  const Problem problem = one_block_with(
      "mov.u32 %r4, 0;\nLOOP:\nsetp.eq.s32 %p1, %r4, %r0;\n@%p1 bra END;\nmul.wide.u32 %rd2, %r4, 4;\n"
      "add.s64 %rd2, %rd0, %rd2;\nst.global.u32 [%rd2], %r1;\nadd.s32 %r4, %r4, 2;\nbra LOOP;\n",
      module);
  std::map<Sizes, int> runs;
  const Runner endless = [&](const Sizes &sizes) {
    ++runs[sizes];
    Seen seen;
    seen.unfinished = true;
    return std::optional(seen);
  };
  EXPECT_NE(decided(problem, endless).at("races").result, Result::proved);
  EXPECT_LE(runs.size(), 20u);  // three of each danger, of which a property has three at most
  for (const auto &[sizes, count] : runs) EXPECT_EQ(count, 1) << "n = " << sizes.at("n");
}

}  // namespace
}  // namespace warpgrade::prove
