// Divergence, barriers, calls, warp operations, endless loops.
#include "harness.hpp"

namespace warpgrade::simt {
namespace {

using testing::kernel;
using testing::last;
using testing::run;

std::string file_line(int line) {
  return ".loc 1 " + std::to_string(line) + " 0\n";
}
std::string with_file(const std::string &text) {
  return text + ".file 1 \"k.cu\"\n";
}

TEST(Divergence, LanesReconvergeAfterAnIf) {
  // Odd lanes add 10; all then vote: the ballot sees the whole warp again.
  const auto got = run(kernel(
      "and.b32 %r1, %tid, 1; setp.eq.u32 %p1, %r1, 0; mov.u32 %r2, 1; @%p1 bra EVEN; add.u32 %r2, %r2, 10;\n"
      "EVEN: activemask.b32 %r3; st.global.u32 [%out], %r2; st.global.u32 [%out+8], %r3;"));
  ASSERT_EQ(got.result.status, Status::completed) << last(got.result);
  EXPECT_EQ(got.word(4), 1u);
  EXPECT_EQ(got.word(5), 11u);
  EXPECT_EQ(got.word(5, 1), 0xFFFFFFFFu);
}

TEST(Divergence, LoopsRunForTheCountOfEachLane) {
  // lane t counts to t + 1
  const auto got =
      run(kernel("mov.u32 %r1, 0; LOOP: add.u32 %r1, %r1, 1; setp.le.u32 %p1, %r1, %tid; @%p1 bra LOOP; "
                 "st.global.u32 [%out], %r1;"));
  for (std::size_t lane = 0; lane < 32; ++lane) EXPECT_EQ(got.word(lane), lane + 1);
}

TEST(Divergence, LabelsOfInlineAssemblyBelongToTheirBraces) {
  const std::string loop =
      "{ .reg .pred p; again: add.u32 %r1, %r1, 1; rem.u32 %r2, %r1, 4; setp.eq.u32 p, %r2, 0;\n"
      "@p bra over; bra again; over: }\n";
  const auto got = run(kernel("mov.u32 %r1, 0; " + loop + loop + "add.u32 %r1, %r1, 1; " + loop +
                              "st.global.u32 [%out], %r1;"));
  ASSERT_EQ(got.result.status, Status::completed) << last(got.result);
  EXPECT_EQ(got.word(0), 12u);
}

TEST(Divergence, TablesBranchByIndex) {
  const auto got =
      run(kernel("and.b32 %r1, %tid, 1; targets: .branchtargets A, B; brx.idx %r1, targets;\n"
                 "A: mov.u32 %r2, 5; bra DONE; B: mov.u32 %r2, 6; DONE: st.global.u32 [%out], %r2;"));
  ASSERT_EQ(got.result.status, Status::completed) << last(got.result);
  EXPECT_EQ(got.word(0), 5u);
  EXPECT_EQ(got.word(1), 6u);
}

TEST(Divergence, ALaneThatHoldsALockIsNotStarvedBySpinningLanes) {
  const std::string spin =
      "mov.u64 %d1, lock;\n"
      "TRY: atom.global.cas.b32 %r1, [%d1], 0, 1; setp.ne.u32 %p1, %r1, 0; @%p1 bra TRY;\n"
      "ld.volatile.global.u32 %r2, [%d1+4]; add.u32 %r2, %r2, 1; st.volatile.global.u32 [%d1+4], %r2; "
      "st.global.u32 [%out], %r2;\n"
      "membar.gl; atom.global.exch.b32 %r3, [%d1], 0;";
  const auto got = run(kernel(spin, ".global .align 4 .b8 lock[8];\n"));
  ASSERT_EQ(got.result.status, Status::completed) << last(got.result);
  std::uint64_t sum = 0;
  for (std::size_t lane = 0; lane < 32; ++lane) sum += got.word(lane);
  EXPECT_EQ(sum, 32u * 33 / 2);  // every lane saw another count of 1 .. 32
}

TEST(Endless, ALoopEndsByTheBudget) {
  Options options;
  options.instruction_budget = 1'000'000;
  const auto got =
      run(with_file(kernel(file_line(7) + "LOOP: add.u32 %r1, %r1, 1; bra LOOP;")), {}, 32, options);
  EXPECT_EQ(got.result.status, Status::time_limit);
  EXPECT_EQ(
      last(got.result),
      "k.cu:7: error: the launch did not end within 1000000 warp instructions; is there an endless loop?, "
      "thread (0,0,0) of block (0,0,0) of k");
}

TEST(Barrier, ReductionsSeeEveryThreadOfTheBlock) {
  // 64 threads, of which those below 40 hold the predicate
  const auto got = run(kernel("setp.lt.u32 %p1, %tid, 40; bar.red.popc.u32 %r1, 0, %p1; bar.red.and.pred "
                              "%p2, 0, %p1; bar.red.or.pred %p3, 0, %p1;\n"
                              "selp.u32 %r2, 1, 0, %p2; selp.u32 %r3, 1, 0, %p3; st.global.u32 [%out], %r1; "
                              "st.global.u32 [%out+8], %r2; st.global.u32 [%out+16], %r3;"),
                       {}, 64);
  ASSERT_EQ(got.result.status, Status::completed) << last(got.result);
  EXPECT_EQ(got.word(63), 40u);
  EXPECT_EQ(got.word(63, 1), 0u);
  EXPECT_EQ(got.word(0, 2), 1u);
  EXPECT_EQ(got.result.counters.barriers, 3u);
}

TEST(Barrier, WarpThatSplitsAroundABarrierIsReported) {
  const auto got =
      run(with_file(kernel("setp.lt.u32 %p1, %tid, 5; @%p1 bra A;\n" + file_line(10) +
                           "bar.sync 0; bra DONE;\nA:\n" + file_line(20) + "bar.sync 0;\nDONE:")));
  EXPECT_EQ(got.result.status, Status::fault);
  EXPECT_EQ(got.result.diagnostics.back().code, Code::barrier_divergence);
  EXPECT_EQ(last(got.result).substr(0, 9), "k.cu:10: ");
  EXPECT_EQ(got.result.diagnostics.back().other->at.line, 20);
}

TEST(Barrier, WarpsAtDifferentBarriersAreReportedWithBothLines) {
  const auto got =
      run(with_file(kernel("setp.lt.u32 %p1, %tid, 32; @%p1 bra A;\n" + file_line(10) +
                           "bar.sync 0; bra DONE;\nA:\n" + file_line(20) + "bar.sync 0;\nDONE:")),
          {}, 64);
  EXPECT_EQ(got.result.status, Status::fault);
  EXPECT_EQ(
      last(got.result),
      "k.cu:20: error: threads of one block wait at different barriers: 32 at k.cu:20, 32 at k.cu:10; every "
      "thread has to reach the same __syncthreads(), thread (0,0,0) of block "
      "(0,0,0) of k; the other is thread (32,0,0) of block (0,0,0) at k.cu:10");
}

TEST(Barrier, ThreadsThatReturnedEarlierAreAWarning) {
  const auto got = run(with_file(kernel("setp.lt.u32 %p1, %tid, 5;\n" + file_line(4) + "@%p1 ret;\n" +
                                        file_line(10) + "bar.sync 0;")),
                       {}, 64);
  EXPECT_EQ(got.result.status, Status::completed);
  EXPECT_EQ(
      last(got.result),
      "k.cu:10: warning: 59 threads of the block wait at the barrier in k.cu:10, and 5 have left the kernel "
      "at "
      "k.cu:4 and never reach it, thread (5,0,0) of block (0,0,0) of k; the other is thread (0,0,0) of block "
      "(0,0,0) at k.cu:4");
}

TEST(Barrier, ThreadsThatJumpToTheEndLeaveAtTheTestThatSendsThem) {
  const auto got = run(with_file(kernel("setp.lt.u32 %p1, %tid, 32;\n" + file_line(6) + "@%p1 bra DONE;\n" +
                                        file_line(10) + "bar.sync 0;\n" + file_line(30) + "DONE:")),
                       {}, 64);
  EXPECT_EQ(got.result.status, Status::completed);
  EXPECT_EQ(
      last(got.result),
      "k.cu:10: warning: 32 threads of the block wait at the barrier in k.cu:10, and 32 have left the kernel "
      "at k.cu:6 and never reach it, thread (32,0,0) of block (0,0,0) of k; the other is thread (0,0,0) of "
      "block (0,0,0) at k.cu:6");
}

TEST(Barrier, CountThatIsNeverReachedIsADeadlock) {
  const auto got = run(with_file(kernel(file_line(3) + "bar.sync 1, 64;")));
  EXPECT_EQ(got.result.status, Status::fault);
  EXPECT_EQ(got.result.diagnostics.back().code, Code::deadlock);
}

TEST(Shuffle, MovesValuesAsTheManualSays) {
  const auto shuffle = [](const std::string &text) {
    return run(kernel("mul.lo.u32 %r1, %tid, 10; " + text +
                      " selp.u32 %r3, 1, 0, %p1; st.global.u32 [%out], %r2; st.global.u32 [%out+8], %r3;"));
  };
  const auto down = shuffle("shfl.sync.down.b32 %r2|%p1, %r1, 4, 31, -1;");
  EXPECT_EQ(down.word(0), 40u);
  EXPECT_EQ(down.word(28), 280u);  // beyond the end: its own value, predicate false
  EXPECT_EQ(down.word(28, 1), 0u);
  EXPECT_EQ(shuffle("shfl.sync.up.b32 %r2|%p1, %r1, 1, 0, -1;").word(5), 40u);
  EXPECT_EQ(shuffle("shfl.sync.bfly.b32 %r2|%p1, %r1, 1, 31, -1;").word(6), 70u);
  // segments of 8 lanes: clamp 31 with segment mask 24 (0x18) is 0x181F; lane 9 reads lane 8 + 3
  EXPECT_EQ(shuffle("shfl.sync.idx.b32 %r2|%p1, %r1, 3, 0x181F, -1;").word(9), 110u);
}

TEST(Shuffle, LaneOutsideTheMaskIsAnErrorAndTheLaunchGoesOn) {
  const auto got = run(with_file(
      kernel(file_line(4) + "shfl.sync.idx.b32 %r2, %tid, 0, 31, 0xFFFF; st.global.u32 [%out], 5;")));
  EXPECT_EQ(got.result.status, Status::completed);
  EXPECT_EQ(got.word(31), 5u);
  ASSERT_EQ(got.result.diagnostics.size(), 1u);
  EXPECT_EQ(got.result.diagnostics.back().severity, Severity::error);
  EXPECT_EQ(got.result.diagnostics.back().code, Code::invalid_shuffle);
  EXPECT_EQ(got.result.diagnostics.back().here.thread, (Dim3{16, 0, 0}));
}

TEST(Shuffle, LanesThatNeverArriveAreADeadlock) {
  // lanes below 8 wait for all, the others wait at the block's barrier
  const auto got = run(with_file(kernel("setp.lt.u32 %p1, %tid, 8; @%p1 bra A;\n" + file_line(10) +
                                        "bar.sync 0; bra DONE;\nA:\n" + file_line(20) +
                                        "shfl.sync.idx.b32 %r2, %tid, 0, 31, -1;\nDONE:")));
  EXPECT_EQ(got.result.status, Status::fault);
  EXPECT_EQ(got.result.diagnostics.back().code, Code::deadlock);
}

TEST(Vote, CountsTheMembers) {
  const auto got =
      run(kernel("setp.lt.u32 %p1, %tid, 4; vote.sync.ballot.b32 %r1, %p1, -1; vote.sync.any.pred %p2, %p1, "
                 "-1; vote.sync.all.pred %p3, !%p1, -1;\n"
                 "selp.u32 %r2, 1, 0, %p2; selp.u32 %r3, 1, 0, %p3; st.global.u32 [%out], %r1; st.global.u32 "
                 "[%out+8], %r2; st.global.u32 [%out+16], %r3;"));
  EXPECT_EQ(got.word(9), 15u);
  EXPECT_EQ(got.word(9, 1), 1u);
  EXPECT_EQ(got.word(9, 2), 0u);
}

TEST(Match, FindsEqualLanesAndReduxAddsThem) {
  // tid / 16: lanes 0-15 and 16-31; the sum of 0 .. 31 is 496
  const auto got =
      run(kernel("shr.u32 %r1, %tid, 4; match.any.sync.b32 %r2, %r1, -1; redux.sync.add.s32 %r3, %tid, -1; "
                 "st.global.u32 [%out], %r2; st.global.u32 [%out+8], %r3;"));
  EXPECT_EQ(got.word(3), 0xFFFFu);
  EXPECT_EQ(got.word(20), 0xFFFF0000u);
  EXPECT_EQ(got.word(20, 1), 496u);
}

TEST(Call, FunctionsReturnToWhereTheyWereCalled) {
  const std::string twice =
      ".func (.param .b32 back) twice(.param .b32 x)\n{ .reg .b32 %r<3>; .reg .pred %p<2>; ld.param.u32 %r1, "
      "[x]; setp.gt.u32 %p1, %r1, 100; @%p1 bra BIG;\n"
      "add.u32 %r1, %r1, %r1; st.param.b32 [back+0], %r1; ret; BIG: st.param.b32 [back+0], 7; ret; }\n";
  const auto call = [](const std::string &from, const std::string &to) {
    return "{ .param .b32 param0; st.param.b32 [param0+0], " + from +
           "; .param .b32 retval0;\ncall.uni (retval0), twice, (param0);\nld.param.b32 " + to +
           ", [retval0+0]; }\n";
  };
  const auto got = run(kernel(
      "mul.lo.u32 %r1, %tid, 4; " + call("%r1", "%r2") + call("%r2", "%r3") + "st.global.u32 [%out], %r3;",
      twice));
  ASSERT_EQ(got.result.status, Status::completed) << last(got.result);
  EXPECT_EQ(got.word(3), 48u);   // 12, 24, 48
  EXPECT_EQ(got.word(20), 7u);   // 80, 160 > 100
  EXPECT_EQ(got.word(31), 14u);  // 124 > 100: 7, then 14
}

TEST(Unsupported, InstructionsMatterOnlyWhenTheyAreReached) {
  const std::string text =
      with_file(kernel("setp.ne.u32 %p1, %tid, %tid;\n" + file_line(9) +
                       "@%p1 bra SKIP; wmma.load.a.sync.aligned.row.m16n16k16.global.f16 "
                       "{%r1}, [%in];\nSKIP: mov.u32 %r0, 1;"));
  const auto reached = run("" + text);
  EXPECT_EQ(reached.result.status, Status::unsupported);
  EXPECT_EQ(reached.result.diagnostics.back().here.at.line, 9);
  const auto skipped = run(with_file(
      kernel("setp.eq.u32 %p1, %tid, %tid; @%p1 bra SKIP; wmma.mma.sync %r1, %r2; SKIP: mov.u32 %r0, 1;")));
  EXPECT_EQ(skipped.result.status, Status::completed) << last(skipped.result);
}

TEST(Trap, StopsTheLaunch) {
  const auto got = run(with_file(kernel(file_line(5) + "setp.eq.u32 %p1, %tid, 3; @%p1 trap;")));
  EXPECT_EQ(got.result.status, Status::fault);
  EXPECT_EQ(last(got.result),
            "k.cu:5: error: the kernel called __trap(), thread (3,0,0) of block (0,0,0) of k");
}

const std::string factorial =
    ".visible .func (.param .b32 result) f(.param .b32 n)\n{\n.reg .b32 %r<9>; .reg .pred %p<3>;\n"
    "ld.param.u32 %r1, [n]; setp.lt.u32 %p1, %r1, 2; mov.u32 %r2, 1; @%p1 bra $E;\nsub.s32 %r3, %r1, 1;\n"
    "{ .param .b32 a; .param .b32 b; st.param.b32 [a], %r3; call.uni (b), f, (a); ld.param.b32 %r4, [b]; }\n"
    "mul.lo.s32 %r2, %r1, %r4;\n$E: st.param.b32 [result], %r2; ret;\n}\n";
const std::string call_f =
    "{ .param .b32 a; .param .b32 b; st.param.b32 [a], %r1; call.uni (b), f, (a); "
    "ld.param.b32 %r2, [b]; } st.global.u32 [%out], %r2;";

TEST(Control, RecursiveFunctionsKeepTheirRegisters) {
  const auto got = testing::run(testing::kernel("and.b32 %r1, %tid, 7;\n" + call_f, factorial));
  ASSERT_EQ(got.result.status, Status::completed) << testing::last(got.result);
  const std::uint32_t want[8] = {1, 1, 2, 6, 24, 120, 720, 5040};
  for (std::size_t thread = 0; thread < 32; ++thread) EXPECT_EQ(got.word(thread), want[thread % 8]);
}

TEST(Control, EndlessRecursionIsAnError) {
  const auto got = testing::run(testing::kernel("mov.u32 %r1, 100000;\n" + call_f, factorial));
  EXPECT_EQ(got.result.status, Status::fault);
  EXPECT_NE(testing::last(got.result).find("the stack of the thread overflows"), std::string::npos);
}

TEST(Control, FunctionsAreCalledThroughPointersAndTables) {
  const auto function = [](const std::string &name, const std::string &body) {
    return ".visible .func (.param .b32 result) " + name +
           "(.param .b32 n)\n{ .reg .b32 %r<3>; ld.param.u32 %r1, [n]; " + body +
           " st.param.b32 [result], %r1; ret; }\n";
  };
  const std::string before = function("twice", "shl.b32 %r1, %r1, 1;") +
                             function("next", "add.u32 %r1, %r1, 1;") +
                             ".visible .global .align 8 .u64 table[2] = {twice, next};\n";
  // even threads: table[0], odd ones: table[1]
  const auto got = testing::run(testing::kernel(
      "and.b32 %r1, %tid, 1; mul.wide.u32 %d1, %r1, 8; mov.u64 %d2, table; add.s64 %d2, %d2, %d1;\n"
      "ld.global.u64 %d3, [%d2];\n{ .param .b32 a; .param .b32 b; st.param.b32 [a], %tid;\n"
      "prototype_0 : .callprototype (.param .b32 _) _ (.param .b32 _);\n"
      "call (b), %d3, (a), prototype_0; ld.param.b32 %r2, [b]; } st.global.u32 [%out], %r2;",
      before));
  ASSERT_EQ(got.result.status, Status::completed) << testing::last(got.result);
  EXPECT_EQ(got.word(6), 12u);
  EXPECT_EQ(got.word(7), 8u);
}

}  // namespace
}  // namespace warpgrade::simt
