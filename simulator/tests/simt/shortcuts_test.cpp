// What makes the simulator fast must not show: reads of shared memory that are entered late, lane patterns
// that are taken over from an earlier access, registers that share a row, operations done in one call.
#include "harness.hpp"

namespace warpgrade::simt {
namespace {

using testing::kernel;
using testing::last;
using testing::run;

const std::string tile = ".shared .align 16 .b8 T[4096];\n";
/// %r1: the thread's word of T.
const std::string mine = "mov.u32 %r1, T; shl.b32 %r2, %tid, 2; add.u32 %r1, %r1, %r2;\n";

/// The lines of the one diagnostic there must be: "2 after 1".
std::string lines_of(const testing::Run &got) {
  if (got.result.diagnostics.size() != 1)
    return std::to_string(got.result.diagnostics.size()) + " diagnostics";
  const Diagnostic &one = got.result.diagnostics[0];
  return std::to_string(one.here.at.line) + " after " + std::to_string(one.other ? one.other->at.line : 0);
}

std::string with_file(const std::string &text) {
  return text + "\n.file 1 \"k.cu\"\n";
}

TEST(LateReads, AStoreFindsTheReadersOfItsWordAfterAnyNumberOfReads) {
  // Warp 0 reads its words `count` times on line 1, then warp 1 writes them on line 2 without a barrier.
  for (const int count : {1, 300, 40000}) {
    const auto got =
        run(with_file(kernel(
                mine +
                    "st.shared.u32 [%r1], %tid; bar.sync 0; mov.u32 %r3, 0; setp.ge.u32 %p1, %tid, 32;\n"
                    "@%p1 bra other;\nagain:\n.loc 1 1 0\nld.shared.u32 %r4, [%r1];\n"
                    "add.u32 %r3, %r3, 1; setp.lt.u32 %p2, %r3, " +
                    std::to_string(count) +
                    "; @%p2 bra again;\nbra done;\nother:\n.loc 1 2 0\nst.shared.u32 [%r1-128], 5;\ndone:",
                tile)),
            {}, 64);
    EXPECT_EQ(lines_of(got), "2 after 1") << count;
    EXPECT_EQ(got.result.diagnostics[0].count, 32u) << count;
    EXPECT_EQ(got.result.diagnostics[0].other->thread, (Dim3{0, 0, 0})) << count;
  }
}

TEST(LateReads, ABarrierDiscardsThem) {
  const auto got = run(
      kernel(mine + "st.shared.u32 [%r1], %tid; bar.sync 0; ld.shared.u32 %r4, [%r1]; bar.sync 0;\n"
                    "xor.b32 %r5, %r1, 128; st.shared.u32 [%r5], 5; bar.sync 0; ld.shared.u32 %r6, [%r1];",
             tile),
      {}, 64);
  EXPECT_TRUE(got.result.diagnostics.empty()) << last(got.result);
}

TEST(LateReads, TwoHalvesOfOneArrayMayBeReadAndWrittenTogether) {
  // Double buffering: bytes 0 to 255 are read while 256 to 511 are written, then the other way round.
  const std::string turn =
      "ld.shared.u32 %r4, [%r1]; xor.b32 %r5, %r1, 256; st.shared.u32 [%r5], %r4; @BAR mov.u32 %r1, %r5;\n";
  const std::string start = mine + "st.shared.u32 [%r1], %tid; st.shared.u32 [%r1+256], 0; bar.sync 0;\n";
  const auto steps = [&](const std::string &barrier) {
    std::string one = turn;
    one.replace(one.find("@BAR"), 4, barrier);
    // the neighbour in the other warp reads what this thread has written
    return start + one + "xor.b32 %r1, %r1, 128;\n" + one + "st.global.u32 [%out], %r4;";
  };
  const auto right = run(kernel(steps("bar.sync 0;"), tile), {}, 64);
  EXPECT_TRUE(right.result.diagnostics.empty()) << last(right.result);
  EXPECT_EQ(right.word(3), 35u);
  const auto wrong = run(kernel(steps(""), tile), {}, 64);
  ASSERT_FALSE(wrong.result.diagnostics.empty());
  EXPECT_EQ(wrong.result.diagnostics[0].code, Code::race);
}

TEST(LateReads, AnArrayWithUnusedWordsIsReadWithoutAlarmAndAHoleIsFound) {
  // Every other word is written, by each thread its own, for two blocks' worth of rounds.
  const std::string body =
      "mov.u32 %r1, T; shl.b32 %r2, %tid, 3; add.u32 %r1, %r1, %r2; mov.u32 %r3, 0;\n"
      "again: st.shared.u32 [%r1], %r3; bar.sync 0; ld.shared.u32 %r4, [%r1]; bar.sync 0; add.u32 %r3, %r3, "
      "1; "
      "setp.lt.u32 %p1, %r3, 100; @%p1 bra again;\n";
  const std::string small = ".shared .align 16 .b8 T[256];\n";
  const auto fine = run(kernel(body, small));
  EXPECT_TRUE(fine.result.diagnostics.empty()) << last(fine.result);
  const auto hole = run(kernel(body + "ld.shared.u32 %r4, [%r1+4]; st.global.u32 [%out], %r4;", small));
  ASSERT_EQ(hole.result.diagnostics.size(), 1u);
  EXPECT_EQ(hole.result.diagnostics[0].code, Code::uninitialized_read);
  EXPECT_EQ(hole.result.diagnostics[0].count, 32u);
}

TEST(LateReads, NoBlockSeesThePreviousOnesWrites) {
  // Block 0 fills all of T, block 1 reads it without having written.
  Device device;
  device.load(testing::parse(
      kernel(mine + "mov.u32 %r9, %ctaid.x; setp.ne.u32 %p1, %r9, 0; @%p1 bra skip; "
                    "st.shared.u32 [%r1], 1; bar.sync 0; ld.shared.u32 %r3, [%r1];\nskip: bar.sync "
                    "0; ld.shared.u32 %r4, [%r1]; setp.eq.u32 %p2, %r4, 1; @%p2 bra end;\nend:",
             ".shared .align 16 .b8 T[128];\n")));
  Launch launch{"k", {2, 1, 1}, {32, 1, 1}, 0, std::vector<std::byte>(16)};
  const LaunchResult result = device.launch(launch);
  ASSERT_EQ(result.diagnostics.size(), 1u);
  EXPECT_EQ(result.diagnostics[0].code, Code::uninitialized_read);
  EXPECT_EQ(result.diagnostics[0].here.block, (Dim3{1, 0, 0}));
}

/// Loads at %in and at %in + %d9; in words: word k of thread t is 100 t + k.
testing::Run two_loads(const std::string &before) {
  std::vector<std::uint64_t> in(32 * 4);
  for (std::size_t i = 0; i < in.size(); ++i) in[i] = 100 * (i / 4) + i % 4;
  return run(
      kernel(before +
             "bra.uni next;\nnext: ld.global.u64 %d1, [%in]; add.s64 %d5, %in, %d9; ld.global.u64 %d2, "
             "[%d5]; st.global.u64 [%out], %d1; st.global.u64 [%out+8], %d2;"),
      in);
}

TEST(SharedPatterns, AnAddressPlusAUniformValueSharesThePattern) {
  const auto got = two_loads("mov.u64 %d9, 16;\n");
  EXPECT_EQ(got.word(5, 0), 500u);
  EXPECT_EQ(got.word(5, 1), 502u);
  EXPECT_EQ(got.result.counters.global_load.sectors, 64u);
}

TEST(SharedPatterns, AValueThatDependsOnALanesPathIsNotUniform) {
  const std::string choose = "setp.lt.u32 %p1, %tid, 10; mov.u64 %d9, 8;\n";
  for (const std::string &text :
       {choose + "@%p1 bra skip; mov.u64 %d9, 16;\nskip:\n", choose + "@!%p1 mov.u64 %d9, 16;\n",
        std::string(
            "setp.lt.u32 %p1, %tid, 10; @%p1 bra one; mov.u64 %d9, 16; bra.uni both;\none: mov.u64 %d9, 8;\n"
            "both:\n")}) {
    const auto got = two_loads(text);
    ASSERT_EQ(got.result.status, Status::completed) << last(got.result);
    EXPECT_EQ(got.word(9, 1), 901u) << text;
    EXPECT_EQ(got.word(10, 1), 1002u) << text;
    EXPECT_EQ(got.word(9, 0), 900u) << text;
  }
}

TEST(SharedPatterns, AValueThatOnlySomeLanesSetIsAnErrorInTheOthers) {
  // One definition, which lanes below 10 jump over: they add an undefined value to their addresses.
  const auto got = two_loads("setp.lt.u32 %p1, %tid, 10; @%p1 bra skip; mov.u64 %d9, 16;\nskip:\n");
  EXPECT_EQ(got.result.status, Status::fault);
  EXPECT_EQ(got.result.diagnostics.back().code, Code::uninitialized_read) << last(got.result);
}

TEST(SharedPatterns, AChangedPatternIsSeenByAllThatFollowIt) {
  // Two loads 8 bytes apart; in round i, the lanes are 8 * i bytes apart.
  std::vector<std::uint64_t> in(32 * 4);
  for (std::size_t i = 0; i < in.size(); ++i) in[i] = i;
  const auto got =
      run(kernel("ld.param.u64 %d1, [k_in]; mov.u64 %d8, 0; mov.u32 %r1, 0;\n"
                 "again: mul.lo.u32 %r2, %tid, %r1; mul.wide.u32 %d2, %r2, 8; add.s64 %d3, %d1, %d2;\n"
                 "ld.global.u64 %d4, [%d3]; ld.global.u64 %d5, [%d3+8]; add.u64 %d8, %d8, %d4; add.u64 "
                 "%d8, %d8, %d5;\nadd.u32 %r1, %r1, 1; setp.lt.u32 %p1, %r1, 4; @%p1 bra again;\n"
                 "st.global.u64 [%out], %d8;"),
          in);
  ASSERT_EQ(got.result.status, Status::completed) << last(got.result);
  for (std::size_t t = 0; t < 32; ++t)  // sum over i = 0 .. 3 of t i + (t i + 1)
    EXPECT_EQ(got.word(t), 2 * 6 * t + 4);
  // Sectors of a load: 8 i (t) + 8 j in 32-byte units. i = 0: 1; 1: 8 or 9; 2: 16; 3: 24 (25 with the last +
  // 8).
  EXPECT_EQ(got.result.counters.global_load.sectors, (1u + 8 + 16 + 24) + (1 + 9 + 16 + 24));
}

TEST(SharedRows, AValueLivesThroughABranchThatOthersTake) {
  // Lanes below 16 compute with many short-lived registers while the others wait with theirs.
  std::string busy;
  for (int i = 10; i < 38; ++i)
    busy += "add.u32 %r" + std::to_string(i) + ", %tid, " + std::to_string(i) + "; add.u32 %r3, %r3, %r" +
            std::to_string(i) + ";\n";
  const auto got =
      run(kernel("mul.lo.u32 %r1, %tid, 7; mov.u32 %r3, 0; setp.ge.u32 %p1, %tid, 16; @%p1 bra over;\n" +
                 busy + "over: add.u32 %r4, %r1, %r3; st.global.u32 [%out], %r4;"));
  for (std::size_t t = 0; t < 32; ++t)  // 28 times t, plus 10 .. 37
    EXPECT_EQ(got.word(t), 7 * t + (t < 16 ? 28 * t + 28 * 47 / 2 : 0));
}

TEST(SharedRows, AGuardedResultKeepsItsValueWhereTheGuardDoesNotHold) {
  const auto got =
      run(kernel("mov.u32 %r1, 5; add.u32 %r2, %tid, 1; setp.lt.u32 %p1, %tid, 4; @%p1 mov.u32 %r1, %r2;\n"
                 "add.u32 %r3, %r1, 100; st.global.u32 [%out], %r3;"));
  EXPECT_EQ(got.word(3), 104u);
  EXPECT_EQ(got.word(4), 105u);
}

TEST(SharedRows, ResultsOfAnInstructionDoNotOverwriteItsSources) {
  // %r1 is needed no more: its halves must not overwrite it before both are taken.
  const auto got =
      run(kernel("mul.lo.u32 %r1, %tid, 65537; add.u32 %r1, %r1, 131072; mov.b32 {%h1, %h2}, %r1;\n"
                 "cvt.u32.u16 %r2, %h1; cvt.u32.u16 %r3, %h2; st.global.u32 [%out], %r2; st.global.u32 "
                 "[%out+8], %r3;"));
  EXPECT_EQ(got.word(9, 0), 9u);
  EXPECT_EQ(got.word(9, 1), 11u);
}

TEST(Runs, OperationsInARowSeeEachOthersResults) {
  // x = 2 x + 1 five times from tid, then one operation of the same kind that only some lanes do
  std::string text = "cvt.rn.f32.u32 %f1, %tid; mov.f32 %f2, 0f40000000; mov.f32 %f3, 0f3F800000;\n";
  for (int i = 0; i < 5; ++i) text += "fma.rn.f32 %f1, %f1, %f2, %f3;\n";
  text +=
      "setp.lt.u32 %p1, %tid, 3; @%p1 fma.rn.f32 %f1, %f1, %f2, %f3; cvt.rzi.u32.f32 %r1, %f1; st.global.u32 "
      "[%out], %r1;";
  const auto got = run(kernel(text));
  for (std::size_t t = 0; t < 32; ++t) {
    std::size_t x = t;
    for (int i = 0; i < (t < 3 ? 6 : 5); ++i) x = 2 * x + 1;
    EXPECT_EQ(got.word(t), x);
  }
}

TEST(Runs, ANanIsTheOneOfTheHardwareAlsoInARow) {
  const auto got =
      run(kernel("mov.f32 %f1, 0fFFC12345; mov.f32 %f2, 0f7F800000; mov.f32 %f3, 0fFF800000; fma.rn.f32 "
                 "%f4, %f1, %f1, %f1; fma.rn.f32 %f5, %f2, %f2, %f3; st.global.f32 [%out], %f4; "
                 "st.global.f32 [%out+8], %f5;"));
  EXPECT_EQ(got.word(7, 0), 0x7FFFFFFFu);
  EXPECT_EQ(got.word(7, 1), 0x7FFFFFFFu);
}

}  // namespace
}  // namespace warpgrade::simt
