#include "prove/prove.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>

#include "cases/cases.hpp"
#include "generator.hpp"
#include "problems.hpp"
#include "prove/symbols.hpp"
#include "ptx/module.hpp"

namespace warpgrade::prove {
namespace {

const std::string store_at_r3 =
    "mul.wide.s32 %rd1, %r3, 4;\nadd.s64 %rd2, %rd1, %rd0;\nst.global.f32 [%rd2], %f0;\n";

TEST(Prove, WayOutOfALoopIsAChoice) {
  ptx::Module module;
  const std::string loop =
      "mov.u32 %r4, 0;\nLOOP:\nsetp.ge.s32 %p1, %r4, %r1;\n{}add.s32 %r4, %r4, 1;\nsetp.lt.s32 %p2, %r4, "
      "%r0;\n"
      "@%p2 bra LOOP;\n";
  const std::string meets = "bar.sync 0;\nst.global.u32 [%rd1], %r4;\n";
  // With n = 1, thread 0 waits alone.
  const auto broken = decided(one_block_with(fmt::format(fmt::runtime(loop), "@%p1 bra DONE;\n") +
                                                 "DONE:\nsetp.ge.s32 %p3, %r4, %r0;\n@%p3 bra END;\n" + meets,
                                             module));
  EXPECT_NE(broken.at("barriers").result, Result::proved);
  EXPECT_NE(broken.at("written").result, Result::proved);
  // The same for threads that return.
  const auto returned =
      decided(one_block_with(fmt::format(fmt::runtime(loop), "@%p1 ret;\n") + meets, module));
  EXPECT_NE(returned.at("barriers").result, Result::proved);
  EXPECT_NE(returned.at("written").result, Result::proved);
}

TEST(Prove, ChoiceWithinALoopIsOneBehindIt) {
  ptx::Module module;
  const auto result = decided(one_block_with(
      "mov.u32 %r4, 0;\nLOOP:\nmov.u32 %r5, 0;\nsetp.ge.s32 %p1, %r1, %r0;\n@%p1 bra SKIP;\nmov.u32 %r5, 1;\n"
      "SKIP:\nadd.s32 %r4, %r4, 1;\nsetp.lt.s32 %p2, %r4, %r0;\n@%p2 bra LOOP;\n"
      "setp.eq.s32 %p3, %r5, 0;\n@%p3 bra END;\nst.global.u32 [%rd1], %r4;\n",
      module));
  EXPECT_NE(result.at("written").result, Result::proved);  // n = 1: one element only
}

TEST(Prove, AReturnFromALoopWithinALoopIsAWayOutOfBoth) {
  ptx::Module module;
  // Threads 0 to n - 1 return.
  const auto result = decided(one_block_with(
      "mov.u32 %r4, 0;\nOUTER:\nmov.u32 %r5, 0;\nINNER:\nsetp.eq.s32 %p1, %r5, %r1;\n@%p1 ret;\n"
      "add.s32 %r5, %r5, 1;\nsetp.lt.s32 %p2, %r5, %r0;\n@%p2 bra INNER;\n"
      "add.s32 %r4, %r4, 1;\nsetp.lt.s32 %p3, %r4, %r0;\n@%p3 bra OUTER;\n"
      "bar.sync 0;\nst.global.u32 [%rd1], %r4;\n",
      module));
  EXPECT_NE(result.at("barriers").result, Result::proved);
  EXPECT_NE(result.at("written").result, Result::proved);
}

// In steps of threadIdx.x + 1, thread 0 and thread 1 end at n if n is even, after n and n / 2 iterations.
TEST(Prove, ThreadsOfDifferentStepsEndALoopAtDifferentIterations) {
  ptx::Module module;
  const std::string start = "add.s32 %r5, %r1, 1;\nmov.u32 %r4, 0;\nLOOP:\n";
  Problem problem = one_block_with(
      start +
          "setp.ge.s32 %p1, %r4, %r0;\n@%p1 bra DONE;\nadd.s32 %r4, %r4, %r5;\nbra LOOP;\nDONE:\n"
          "mul.wide.u32 %rd2, %r4, 4;\nadd.s64 %rd2, %rd0, %rd2;\nst.global.u32 [%rd2], %r1;\n",
      module);
  problem.buffers = {{"a", {"n + 32"}, 4, false}};
  EXPECT_NE(decided(problem).at("races").result, Result::proved);
  const Problem meets = one_block_with(
      start + "bar.sync 0;\nsetp.lt.s32 %p1, %r4, %r0;\nadd.s32 %r4, %r4, %r5;\n@%p1 bra LOOP;\n", module);
  EXPECT_NE(decided(meets).at("barriers").result, Result::proved);
}

// What the loop keeps of its last iteration, the smaller of 4 + i and 10, is known only where n >= 5.
TEST(Prove, WhatHoldsOfAnIterationIsNotTakenToHoldWhereTheLoopIsSkipped) {
  ptx::Module module;
  Problem problem = one_block_with(
      "mov.u32 %r5, 1000;\nsetp.lt.s32 %p1, %r0, 5;\n@%p1 bra SKIP;\nmov.u32 %r4, 4;\nLOOP:\n"
      "min.s32 %r5, %r4, 10;\nadd.s32 %r4, %r4, 1;\nsetp.lt.s32 %p2, %r4, %r0;\n@%p2 bra LOOP;\nSKIP:\n"
      "bar.sync 0;\nmul.wide.u32 %rd2, %r5, 4;\nadd.s64 %rd2, %rd0, %rd2;\nld.global.u32 %r6, [%rd2];\n",
      module);
  EXPECT_NE(decided(problem).at("bounds").result, Result::proved) << "a[1000] where n is 1";
  problem.buffers = {{"a", {"1001"}, 4, false}};
  EXPECT_EQ(decided(problem).at("bounds").result, Result::proved) << decided(problem).at("bounds").why;
}

TEST(Prove, AHighProductInSixteenBitsIsNoQuotient) {
  ptx::Module module;
  Problem problem = problem_with(
      ".reg .b16 %rs<4>;\n@%p0 bra END;\nmul.hi.u32 %r5, %r3, 1717986919;\ncvt.u16.u32 %rs1, %r5;\n"
      "shr.u16 %rs2, %rs1, 1;\ncvt.u32.u16 %r6, %rs2;\nmul.lo.s32 %r7, %r6, 5;\nsub.s32 %r8, %r3, %r7;\n"
      "mul.wide.u32 %rd1, %r8, 4;\nadd.s64 %rd1, %rd0, %rd1;\nld.global.u32 %r9, [%rd1];\n",
      module);
  problem.buffers = {{"a", {"5"}, 4, true}};
  problem.assumptions = {"n >= 1", "n <= 300000"};
  EXPECT_NE(decided(problem).at("bounds").result, Result::proved);  // n = 163841
}

TEST(Prove, StoresOfWhichOneHasAChoiceAreNotAlike) {
  ptx::Module module;
  Problem problem = problem_with(
      "setp.le.s32 %p1, %r0, 7;\n@%p1 bra NEXT;\nsetp.le.s32 %p2, %r0, 9;\n@%p2 bra NEXT;\n"
      "st.global.u32 [%rd0+4], %r0;\nNEXT:\nmov.u32 %r4, 0;\nLOOP:\nadd.s32 %r4, %r4, 1;\n"
      "setp.lt.s32 %p3, %r4, %r0;\n@%p3 bra LOOP;\nst.global.u32 [%rd0], %r4;\n",
      module);
  problem.grid = {"1", "1", "1"};
  problem.block = {"1", "1", "1"};
  problem.buffers = {{"a", {"2"}, 4, true}};
  EXPECT_NE(decided(problem).at("written").result, Result::proved);  // n = 1
}

TEST(Prove, AnIndexThatWrapsWithinAQuotientOverflows) {
  ptx::Module module;
  Problem problem = problem_with(
      "@%p0 bra END;\nmov.u32 %r4, %ctaid.y;\nmad.lo.s32 %r5, %r4, %r0, %r3;\nshr.s32 %r6, %r5, 2;\n"
      "mul.wide.s32 %rd1, %r6, 16;\nadd.s64 %rd1, %rd0, %rd1;\nld.global.v4.u32 {%r7,%r8,%r9,%r10}, "
      "[%rd1];\n",
      module);
  problem.grid = {"ceil_div(n, 32)", "n", "1"};
  problem.buffers = {{"a", {"n", "n"}, 4, true}};
  EXPECT_NE(decided(problem).at("overflow").result, Result::proved);  // n = 46341
}

// n * n * n * n is 2^80 at n = 2^20, far beyond the numbers whose ranges are calculated.
TEST(Symbols, AQuotientOfANumberWithoutABoundHasNone) {
  Symbols symbols;
  const auto some = [&](Integer low) {
    const Polynomial n = Polynomial::of(symbols.make("n", Level::launch, {low, Integer{1} << 30}));
    return quotient(symbols, n * n * n * n, Polynomial(4));
  };
  EXPECT_EQ(symbols.range(some(1)).high, Symbols::everything.high);
  EXPECT_FALSE(some(Integer{1} << 30).constant());  // 2^118, and not the number at which ranges end
}

TEST(Expressions, AreReadAsNumbersOfACase) {
  const Sizes sizes{{"M", 33}, {"N", 64}};
  EXPECT_EQ(evaluate("ceil_div(M, 32) * ceil_div(N, 32)", sizes), 4);  // 2 * 2
  EXPECT_EQ(evaluate("min(M, N) - 1 % 2", sizes), 32);
  EXPECT_EQ(evaluate("(0 - M) / 32", sizes), -2);  // rounds down
  EXPECT_TRUE(holds("M >= 1, N % 32 == 0 && M != N", sizes));
  EXPECT_FALSE(holds("M < N - 31", sizes));
  EXPECT_THROW(evaluate("M +", sizes), std::invalid_argument);
  EXPECT_THROW(evaluate("K", sizes), std::invalid_argument);
  EXPECT_THROW(evaluate("M / (N - 64)", sizes), std::invalid_argument);
}

TEST(Prove, AGuardKeepsEveryThreadWithinItsBuffer) {
  ptx::Module module;
  const Problem problem = problem_with("@%p0 bra END;\n" + store_at_r3, module);
  for (const auto &[name, property] : decided(problem))
    EXPECT_EQ(property.result, Result::proved) << name << ": " << property.why;
}

TEST(Prove, WithoutAGuardTheLastBlockLeavesTheBufferAndACaseShowsIt) {
  ptx::Module module;
  const Problem problem = problem_with(store_at_r3, module);
  const Property bounds = decided(problem, cases::on_simulator(problem)).at("bounds");
  EXPECT_EQ(bounds.result, Result::fails) << bounds.why;
  ASSERT_TRUE(bounds.failing);
  EXPECT_NE(bounds.failing->at("n") % 32, 0);
}

// One thread more than there are elements, but only where n is 185: a test of other sizes does not see it.
TEST(Prove, AKernelThatFailsForOneValueOnlyIsRefutedWithThatValue) {
  ptx::Module module;
  const Problem problem =
      problem_with("@%p0 bra END;\n" + store_at_r3 +
                       "setp.ne.s32 %p1, %r0, 185;\n@%p1 bra END;\nst.global.f32 [%rd2+4], %f0;\n",
                   module);
  const auto all = decided(problem, cases::on_simulator(problem));
  EXPECT_EQ(all.at("bounds").result, Result::fails) << all.at("bounds").why;
  ASSERT_TRUE(all.at("bounds").failing);
  EXPECT_EQ(all.at("bounds").failing->at("n"), 185);
  EXPECT_EQ(all.at("races").result, Result::fails) << all.at("races").why;
}

// n * n leaves 2^31 at n = 46341; an index that is computed in 64 bits does not.
TEST(Prove, AnIndexThatLeaves32BitsIsNotProved) {
  ptx::Module module;
  Problem problem = problem_with("@%p0 bra END;\nmul.lo.s32 %r3, %r3, %r0;\n" + store_at_r3, module);
  problem.buffers[0].shape = {"n", "n"};
  const auto all = decided(problem);
  EXPECT_NE(all.at("overflow").result, Result::proved);
  EXPECT_EQ(all.at("bounds").result, Result::proved) << all.at("bounds").why;
  EXPECT_NE(all.at("bounds").condition, "");
}

// The pass for buffers of at most 2^31 - 1 elements proves `bounds`. Then it looks for a size at which all threads write
// a[0], on a way that asks for n * 2^99 + n, and no number above 2^100 is calculated with.
TEST(Prove, NothingIsKeptOfASecondPassThatIsGivenUp) {
  ptx::Module module;
  Problem problem = problem_with("@%p0 bra END;\nmul.lo.s32 %r3, %r3, %r0;\n" + store_at_r3 +
                                     "cvt.u64.u32 %rd5, %r0;\nshl.b64 %rd6, %rd5, 50;\nshl.b64 %rd6, %rd6, "
                                     "49;\nadd.s64 %rd5, %rd5, %rd6;\n"
                                     "setp.lt.s64 %p1, %rd5, 5;\n@%p1 bra END;\nst.global.f32 [%rd0], %f0;\n",
                                 module);
  problem.buffers[0].shape = {"n", "n"};
  problem.assumptions = {"n >= 2"};
  const auto all = decided(problem);
  EXPECT_EQ(all.at("races").why, "a number is too large");
  for (const char *name : {"bounds", "races", "barriers"})
    EXPECT_EQ(all.at(name).result, Result::not_decided) << name << " without its condition";
}

// 46341 * 46342 = 2147534622 is the first product of neighbours that is more than 2^31 - 1: the last row begins there.
TEST(Prove, AnIndexThatLeaves32BitsIsRefutedOnMemoryThatIsMostlyNotThere) {
  ptx::Module module;
  Problem problem = problem_with("@%p0 bra END;\nmul.lo.s32 %r3, %r3, %r0;\n" + store_at_r3, module);
  problem.buffers[0].shape = {"n", "n"};
  problem.buffers[0].output = false;
  const Property overflow = decided(problem, cases::on_simulator(problem)).at("overflow");
  EXPECT_EQ(overflow.result, Result::fails) << overflow.why;
  ASSERT_TRUE(overflow.failing);
  EXPECT_EQ(overflow.failing->at("n"), 46342);
}

// The last block of 2^31 threads; the index of 64 bits stays within its buffer.
TEST(Prove, ALastBlockThatRunsAloneRefutesNothingThatHolds) {
  ptx::Module module;
  const Problem problem = problem_with("@%p0 bra END;\n" + store_at_r3, module);
  const auto seen = cases::on_simulator(problem)({{"n", 1 << 29}});
  ASSERT_TRUE(seen);
  EXPECT_FALSE(seen->outside || seen->race || seen->barrier || seen->unwritten);
}

TEST(Prove, WorkThatIsCountedEndsAProofAtOnePlaceWhateverTheClockSays) {
  ptx::Module module;
  const Problem problem = problem_with("@%p0 bra END;\n" + store_at_r3, module);
  const auto results = [&](double seconds, std::uint64_t work) {
    std::string all;
    for (const Property &one : decide(problem, {}, {.seconds = seconds, .work = work}))
      all +=
          fmt::format("{} {}{}\n", name_of(one.result), one.why, one.stopped_by_clock ? ", the clock" : "");
    return all;
  };
  const std::string enough = results(100, 1'000'000), little = results(100, 1);
  EXPECT_EQ(enough, results(200, 1'000'000));
  EXPECT_EQ(enough.find("not decided"), std::string::npos) << enough;
  EXPECT_EQ(little, results(200, 1));
  EXPECT_NE(little.find("not decided it takes too much work"), std::string::npos) << little;
  EXPECT_EQ(little.find("the clock"), std::string::npos) << little;
}

TEST(Prove, AProofThatTheClockEndedSaysSo) {
  ptx::Module module;
  const Problem problem = problem_with("@%p0 bra END;\n" + store_at_r3, module);
  for (const Property &one : decide(problem, {}, {.seconds = 0, .work = 1'000'000})) {
    EXPECT_EQ(one.result, Result::not_decided) << one.name;
    EXPECT_TRUE(one.stopped_by_clock) << one.name;
  }
}

// As of `*static_cast<float *>(nullptr)`, of which compilers make a trap.
TEST(Prove, AThreadThatMayEndInATrapIsNotProvedToStayWithinItsBuffers) {
  ptx::Module module;
  const auto trapped = [&](const std::string &where) {
    return decided(
               problem_with("@%p0 bra END;\nsetp.eq.s32 %p1, %r0, " + where + ";\n@%p1 trap;\n" + store_at_r3,
                            module))
        .at("bounds")
        .result;
  };
  EXPECT_NE(trapped("7"), Result::proved);
  EXPECT_EQ(trapped("0"), Result::proved) << "n is at least 1";
}

TEST(Prove, ABarrierThatSomeThreadsSkipIsNotProved) {
  ptx::Module module;
  const Problem problem = problem_with("@%p0 bra END;\nbar.sync 0;\n" + store_at_r3, module);
  EXPECT_NE(decided(problem).at("barriers").result, Result::proved);
}

TEST(Prove, ADataDependentIndexIsNotDecidedAndItsLineIsNotGuessed) {
  ptx::Module module;
  const Problem problem = problem_with(
      "@%p0 bra END;\nmul.wide.s32 %rd1, %r3, 4;\nadd.s64 %rd2, %rd1, %rd0;\nld.global.u64 %rd3, [%rd2];\n"
      "st.global.f32 [%rd3], %f0;\n",
      module);
  for (const char *name : {"bounds", "races"})
    EXPECT_EQ(decided(problem).at(name).result, Result::not_decided);
}

// Assumptions that compare two sizes say nothing about either alone.
TEST(Prove, AnAssumptionOfTwoSizesRulesOutNothingElse) {
  ptx::Module module;
  Problem problem = problem_of(".param .u64 a, .param .u32 n, .param .u32 k",
                               "ld.param.u64 %rd0, [a];\nld.param.u32 %r0, [n];\nmul.wide.s32 %rd1, %r0, "
                               "4;\nadd.s64 %rd2, %rd0, %rd1;\n"
                               "st.global.f32 [%rd2], %f0;\n",
                               module);
  problem.sizes = {"n", "k"};
  problem.assumptions = {"n >= 1", "k >= 1", "k <= n"};
  problem.buffers = {{"a", {"n"}, 4, false}};
  problem.arguments = {{Argument::Kind::pointer, "0", "a"},
                       {Argument::Kind::integer, "n", ""},
                       {Argument::Kind::integer, "k", ""}};
  EXPECT_EQ(decided(problem, cases::on_simulator(problem)).at("bounds").result, Result::fails) << "a[n]";
}

// One element of each row of 256: which one, the input says, and nobody can choose it.
TEST(Prove, AnOutputWhoseColumnComesFromDataIsNotProvedWritten) {
  ptx::Module module;
  Problem problem = problem_of(
      ".param .u64 z, .param .u64 x, .param .u32 n",
      "ld.param.u64 %rd0, [z];\nld.param.u64 %rd1, [x];\nld.param.u32 %r0, [n];\nmov.u32 %r1, %tid.x;\n"
      "mov.u32 %r2, %ctaid.x;\nmad.lo.s32 %r3, %r2, 32, %r1;\nsetp.ge.s32 %p0, %r3, %r0;\n@%p0 bra END;\n"
      "cvt.s64.s32 %rd2, %r3;\nadd.s64 %rd3, %rd1, %rd2;\nld.global.u8 %r4, [%rd3];\nshl.b32 %r5, %r3, 8;\n"
      "add.s32 %r6, %r5, %r4;\nmul.wide.s32 %rd4, %r6, 4;\nadd.s64 %rd5, %rd0, %rd4;\nst.global.f32 [%rd5], "
      "%f0;\n",
      module);
  problem.sizes = {"n"};
  problem.assumptions = {"n >= 1", "n <= 1000"};
  problem.grid = {"ceil_div(n, 32)", "1", "1"};
  problem.block = {"32", "1", "1"};
  problem.buffers = {{"z", {"256 * n"}, 4, true}, {"x", {"n"}, 1, false}};
  problem.arguments = {{Argument::Kind::pointer, "0", "z"},
                       {Argument::Kind::pointer, "0", "x"},
                       {Argument::Kind::integer, "n", ""}};
  EXPECT_NE(decided(problem, cases::on_simulator(problem)).at("written").result, Result::proved);
}

// i is 1000 unless b is at least 1; then it is a % b. That b is at least 1 holds on one of the two ways only.
TEST(Prove, WhatHoldsOnOneWayIsNotTakenToHoldOnTheOther) {
  ptx::Module module;
  Problem problem = problem_of(
      ".param .u64 x, .param .u32 a, .param .u32 b",
      "ld.param.u64 %rd0, [x];\nld.param.u32 %r0, [a];\nld.param.u32 %r1, [b];\nmov.u32 %r2, 1000;\n"
      "setp.lt.s32 %p0, %r1, 1;\n@%p0 bra ON;\nrem.s32 %r2, %r0, %r1;\nON:\nbar.sync 0;\n"
      "mul.wide.s32 %rd1, %r2, 4;\nadd.s64 %rd2, %rd0, %rd1;\nst.global.f32 [%rd2], %f0;\n",
      module);
  problem.sizes = {"a", "b"};
  problem.assumptions = {"a >= 0", "b >= 0", "b <= 16"};
  problem.buffers = {{"x", {"16"}, 4, false}};
  problem.arguments = {{Argument::Kind::pointer, "0", "x"},
                       {Argument::Kind::integer, "a", ""},
                       {Argument::Kind::integer, "b", ""}};
  EXPECT_NE(decided(problem).at("bounds").result, Result::proved) << "x[1000] where b is 0";
  problem.assumptions.emplace_back("b >= 1");
  EXPECT_EQ(decided(problem).at("bounds").result, Result::proved) << decided(problem).at("bounds").why;
}

// The same where the value on that way is itself one of two.
TEST(Prove, WhatHoldsOnOneWayOfSeveralIsNotTakenToHoldElsewhere) {
  ptx::Module module;
  Problem problem = problem_of(
      ".param .u64 x, .param .u32 a, .param .u32 b",
      "ld.param.u64 %rd0, [x];\nld.param.u32 %r0, [a];\nld.param.u32 %r1, [b];\nmov.u32 %r2, %r0;\n"
      "setp.lt.s32 %p0, %r1, 1;\n@%p0 bra ON;\nmov.u32 %r2, 0;\nsetp.lt.s32 %p1, %r0, 7;\n@%p1 bra SMALL;\n"
      "rem.s32 %r2, %r0, %r1;\nSMALL:\nadd.s32 %r2, %r2, 0;\nON:\nbar.sync 0;\n"
      "mul.wide.s32 %rd1, %r2, 4;\nadd.s64 %rd2, %rd0, %rd1;\nst.global.f32 [%rd2], %f0;\n",
      module);
  problem.sizes = {"a", "b"};
  problem.assumptions = {"a >= 0", "b >= 0", "b <= 16"};
  problem.buffers = {{"x", {"16"}, 4, false}};
  problem.arguments = {{Argument::Kind::pointer, "0", "x"},
                       {Argument::Kind::integer, "a", ""},
                       {Argument::Kind::integer, "b", ""}};
  EXPECT_NE(decided(problem).at("bounds").result, Result::proved) << "x[a] where b is 0";
}

// As `extern __shared__ float a[]` and `extern __shared__ float b[]`.
TEST(Prove, DynamicSharedArraysBeginAtOneAddress) {
  ptx::Module module;
  Problem problem = problem_of(
      ".param .u64 x",
      ".extern .shared .align 4 .b8 a[];\n.extern .shared .align 4 .b8 b[];\nmov.u32 %r1, %tid.x;\n"
      "mov.u32 %r2, a;\nmov.u32 %r3, b;\nmad.lo.s32 %r4, %r1, 4, %r2;\nst.shared.f32 [%r4], %f0;\n"
      "xor.b32 %r5, %r1, 31;\nmad.lo.s32 %r6, %r5, 4, %r3;\nld.shared.f32 %f1, [%r6];\n",
      module);
  problem.block = {"32", "1", "1"};
  problem.dynamic_shared_bytes = "128";
  problem.sizes = {"n"};
  problem.buffers = {{"x", {"n"}, 4, false}};
  problem.arguments = {{Argument::Kind::pointer, "0", "x"}};
  EXPECT_NE(decided(problem).at("races").result, Result::proved);
}

// 1431655766 is about 2^32 / 3; 31 / 3 is 10, so 3 * (31 / 3) + 1 is 31, the last of 32 words.
TEST(Prove, AProductWhoseUpperHalfIsAQuotientIsAQuotient) {
  ptx::Module module;
  const auto divided = [&](const std::string &factor, int add) {
    return decided(problem_with(
                       fmt::format("mul.hi.s32 %r4, %r1, {};\nshr.u32 %r5, %r4, 31;\nadd.s32 %r6, %r4, %r5;\n"
                                   "mul.lo.s32 %r7, %r6, 12;\nmov.u32 %r8, s;\nadd.s32 %r9, %r8, %r7;\n"
                                   "st.shared.f32 [%r9+{}], %f0;\n",
                                   factor, 4 * add),
                       module))
        .at("bounds");
  };
  EXPECT_EQ(divided("1431655766", 1).result, Result::proved) << divided("1431655766", 1).why;
  EXPECT_NE(divided("1431655766", 2).result, Result::proved) << "word 32 of 32";
  EXPECT_NE(divided("1620000000", 1).result, Result::proved) << "31 * 1620000000 / 2^32 is 11";
  EXPECT_NE(divided("-1431655766", 1).result, Result::proved) << "a negative factor";
}

// 204 of 2^39, less 2^32: threads of a warp divided by 204 are 0.
TEST(Prove, AFactorAbove31BitsIsAQuotientOnceTheNumberIsAddedAgain) {
  ptx::Module module;
  const auto divided = [&](const std::string &again, int most) {
    Problem problem = problem_with(fmt::format("@%p0 bra END;\nmul.hi.s32 %r4, %r3, -1600085855;\n{}shr.u32 "
                                               "%r5, %r4, 31;\nshr.s32 %r6, %r4, 7;\n"
                                               "add.s32 %r3, %r6, %r5;\n{}",
                                               again, store_at_r3),
                                   module);
    problem.buffers[0].shape = {fmt::format("n / 204 + {}", most)};
    return decided(problem, cases::on_simulator(problem)).at("bounds");
  };
  EXPECT_EQ(divided("add.s32 %r4, %r4, %r3;\n", 1).result, Result::proved)
      << divided("add.s32 %r4, %r4, %r3;\n", 1).why;
  EXPECT_EQ(divided("add.s32 %r4, %r4, %r3;\n", 0).result, Result::fails) << "thread 0 at n = 1";
  EXPECT_NE(divided("", 1).result, Result::proved) << "a negative number without the addition";
}

// Bits 2 to 6 of 4 * t are 4 * (t % 32): the last word of 32. With bit 7 it would be word 63.
TEST(Prove, AMaskOfAdjacentBitsIsARemainder) {
  ptx::Module module;
  const auto masked = [&](int mask) {
    Problem problem = problem_with(
        fmt::format("shl.b32 %r4, %r1, 2;\nand.b32 %r5, %r4, {};\nmov.u32 %r6, s;\nadd.s32 %r7, %r6, %r5;\n"
                    "ld.shared.f32 %f1, [%r7];\n",
                    mask),
        module);
    problem.block = {"64", "1", "1"};
    return decided(problem).at("bounds");
  };
  EXPECT_EQ(masked(124).result, Result::proved) << masked(124).why;
  EXPECT_NE(masked(252).result, Result::proved);
}

// (t / 2) / 4 is t / 8, so their difference is 0; (t / 2) / 2 is more than t / 8 from thread 4 on.
TEST(Prove, AQuotientOfAQuotientIsAQuotient) {
  ptx::Module module;
  const auto difference = [&](int second) {
    return decided(
               problem_with(fmt::format("shr.u32 %r4, %r1, 1;\nshr.u32 %r5, %r4, {};\nshr.u32 %r6, %r1, 3;\n"
                                        "sub.s32 %r7, %r5, %r6;\nmov.u32 %r8, s;\nmad.lo.s32 %r9, %r7, 128, "
                                        "%r8;\nld.shared.f32 %f1, [%r9];\n",
                                        second),
                            module))
        .at("bounds");
  };
  EXPECT_EQ(difference(2).result, Result::proved) << difference(2).why;
  EXPECT_NE(difference(1).result, Result::proved);
}

/// Each thread has four words; all store to theirs, and after a barrier, or without one, all load those of the next.
std::map<std::string, Property> unrolled(bool with_barrier, int step, ptx::Module &module) {
  std::string body =
      "mov.u32 %r4, s;\nmad.lo.s32 %r5, %r1, 16, %r4;\nxor.b32 %r6, %r1, 7;\nmad.lo.s32 %r7, %r6, 16, %r4;\n";
  for (int i = 0; i < 4; ++i) body += fmt::format("st.shared.f32 [%r5+{}], %f0;\n", step * i);
  if (with_barrier) body += "bar.sync 0;\n";
  for (int i = 0; i < 4; ++i) body += fmt::format("ld.shared.f32 %f1, [%r7+{}];\n", 4 * i);
  Problem problem = problem_with(body, module);
  problem.block = {"8", "1", "1"};
  return decided(problem, cases::on_simulator(problem));
}

TEST(Prove, AccessesOfAnUnrolledLoopAreDecidedTogether) {
  ptx::Module module;
  EXPECT_EQ(unrolled(true, 4, module).at("races").result, Result::proved)
      << unrolled(true, 4, module).at("races").why;
  EXPECT_EQ(unrolled(false, 4, module).at("races").result, Result::fails) << "no barrier";
  // Words 0, 2, 4 and 6 of the thread's four: the last two are the next thread's 0 and 2.
  EXPECT_EQ(unrolled(true, 8, module).at("races").result, Result::fails) << "steps of two words";
}

/// x[(z * h + y) * w + c] of a box of d x h x w elements; `guard` is the last one.
Property of_box(const std::string &guard, const char *property, ptx::Module &module) {
  Problem problem = problem_of(
      ".param .u64 x, .param .u32 d, .param .u32 h, .param .u32 w",
      "ld.param.u64 %rd0, [x];\nld.param.u32 %r0, [d];\nld.param.u32 %r1, [h];\nld.param.u32 %r2, [w];\n"
      "mov.u32 %r3, %ctaid.z;\nmov.u32 %r4, %ctaid.y;\nmov.u32 %r5, %ctaid.x;\nmov.u32 %r6, %tid.x;\n"
      "mov.u32 %r7, %tid.y;\nmad.lo.s32 %r8, %r4, 4, %r7;\nmad.lo.s32 %r9, %r5, 32, %r6;\n"
      "setp.ge.s32 %p0, %r8, %r1;\n@%p0 bra END;\n" +
          guard +
          "mad.lo.s32 %r10, %r3, %r1, %r8;\nmad.lo.s32 %r10, %r10, %r2, %r9;\nmul.wide.s32 %rd1, %r10, 4;\n"
          "add.s64 %rd2, %rd0, %rd1;\nst.global.f32 [%rd2], %f0;\n",
      module);
  problem.sizes = {"d", "h", "w"};
  problem.assumptions = {"d >= 1", "h >= 1", "w >= 1"};
  problem.grid = {"ceil_div(w, 32)", "ceil_div(h, 4)", "d"};
  problem.block = {"32", "4", "1"};
  problem.buffers = {{"x", {"d", "h", "w"}, 4, true}};
  problem.arguments = {{Argument::Kind::pointer, "0", "x"},
                       {Argument::Kind::integer, "d", ""},
                       {Argument::Kind::integer, "h", ""},
                       {Argument::Kind::integer, "w", ""}};
  return decided(problem, cases::on_simulator(problem)).at(property);
}

TEST(Prove, PlanesRowsAndColumnsAreTakenApart) {
  ptx::Module module;
  const std::string right = "setp.ge.s32 %p1, %r9, %r2;\n@%p1 bra END;\n",
                    one_more = "setp.gt.s32 %p1, %r9, %r2;\n@%p1 bra END;\n";
  for (const char *name : {"bounds", "races", "written"})
    EXPECT_EQ(of_box(right, name, module).result, Result::proved)
        << name << ": " << of_box(right, name, module).why;
  EXPECT_EQ(of_box(one_more, "bounds", module).result, Result::fails)
      << of_box(one_more, "bounds", module).why;
  EXPECT_EQ(of_box(one_more, "races", module).result, Result::fails) << of_box(one_more, "races", module).why;
}

// A thread writes eight rows of a column; of the last row, it asks for the two conditions in the other order.
TEST(Prove, StoresThatDoNotMakeOneFamilyCompleteEachOther) {
  ptx::Module module;
  const auto rows = [&](int last) {
    std::string body =
        "mov.u32 %r9, %ctaid.y;\nshr.u32 %r4, %r1, 2;\nand.b32 %r5, %r1, 3;\nmad.lo.s32 %r5, %r9, 4, %r5;\n"
        "mul.lo.s32 %r6, %r2, 64;\nmad.lo.s32 %r6, %r4, 8, %r6;\n";
    for (int i = 0; i < 8; ++i) {
      const auto guard = [&](int index) {
        return fmt::format("setp.ge.s32 %p1, %r{}, %r0;\n@%p1 bra L{};\n", index, i);
      };
      body += fmt::format("add.s32 %r7, %r6, {};\n", i == 7 ? last : i) +
              (i == 7 ? guard(5) + guard(7) : guard(7) + guard(5)) +
              fmt::format(
                  "mad.lo.s32 %r8, %r7, %r0, %r5;\nmul.wide.s32 %rd1, %r8, 4;\nadd.s64 %rd1, %rd1, "
                  "%rd0;\nst.global.f32 [%rd1], %f0;\nL{}:\n",
                  i);
    }
    Problem problem = problem_with(body, module);
    problem.grid = {"ceil_div(n, 64)", "ceil_div(n, 4)", "1"};
    problem.buffers[0].shape = {"n", "n"};
    return decided(problem, cases::on_simulator(problem)).at("written");
  };
  EXPECT_EQ(rows(7).result, Result::proved) << rows(7).why;
  EXPECT_NE(rows(6).result, Result::proved) << "row 6 twice, row 7 never";
}

}  // namespace
}  // namespace warpgrade::prove
