// What the simulator must notice, with the exact words.
#include "harness.hpp"

namespace warpgrade::simt {
namespace {

using testing::kernel;
using testing::last;
using testing::run;

std::string at(int line) {
  return ".loc 1 " + std::to_string(line) + " 0\n";
}
std::string with_file(const std::string &text) {
  return text + ".file 1 \"k.cu\"\n";
}
const std::string shared = ".shared .align 4 .b8 As[128];\n.shared .align 4 .b8 Bs[128];\n";
const std::string own = "mov.u32 %r9, As; shl.b32 %r8, %tid, 2; add.u32 %r10, %r9, %r8;\n";  // &As[tid]

TEST(Memory, ReadBeforeTheStartNamesTheDistance) {
  const auto got = run(with_file(kernel(at(12) + "ld.global.f32 %f1, [%in+-4];")));
  EXPECT_EQ(got.result.status, Status::fault);
  EXPECT_EQ(last(got.result),
            "k.cu:12: error: load of 4 bytes, 4 bytes before the start of in (1024 bytes): element -1, "
            "thread (0,0,0) of block (0,0,0) of k");
  EXPECT_EQ(got.result.diagnostics.back().distance_bytes, -4);
}

TEST(Memory, OneByteIsSingularAndAnEmptyBufferHasNoLastElement) {
  const auto past = [](const std::string &bytes) {
    return last(
        run(kernel("ld.global.u8 %r1, [rgb+" + bytes + "];", ".global .align 4 .b8 rgb[" + bytes + "];\n"))
            .result);
  };
  EXPECT_NE(
      past("3").find("load of 1 byte that starts at the end of rgb (3 bytes): element 3, the last is 2"),
      std::string::npos)
      << past("3");
  const auto got = run(
      kernel("setp.eq.u32 %p1, %tid, 0; @%p1 ld.shared.u32 %r1, [none];", ".shared .align 4 .b8 none[2];\n"));
  EXPECT_NE(
      last(got.result).find("starts 2 bytes before the end of none (2 bytes): element 0, and there is none"),
      std::string::npos)
      << last(got.result);
}

TEST(Memory, NullPointersAndWildPointersSayWhatTheyAre) {
  EXPECT_EQ(last(run(with_file(kernel(at(2) + "mov.u64 %d1, 0; st.global.u32 [%d1], %tid;"))).result),
            "k.cu:2: error: store of 4 bytes through a null pointer, thread (0,0,0) of block (0,0,0) of k");
  EXPECT_NE(last(run(kernel("mov.u64 %d1, 0x555555550000; ld.u32 %r1, [%d1];")).result)
                .find("far from every allocation"),
            std::string::npos);
}

TEST(Memory, MisalignedAccessIsAnError) {
  const auto got = run(with_file(kernel(at(2) + "ld.global.u32 %r1, [%in+2];")));
  EXPECT_EQ(got.result.diagnostics.back().code, Code::misaligned);
  const auto vector = run(kernel("ld.global.v4.f32 {%f1, %f2, %f3, %f4}, [%in+8];"));
  EXPECT_EQ(vector.result.diagnostics.back().code, Code::misaligned);
}

TEST(Memory, TheLaunchStopsBeforeTheBadStore) {
  // lane 31 stores past the end; no lane's store of that instruction happens
  const auto got =
      run(kernel("setp.eq.u32 %p1, %tid, 31; selp.u64 %d1, 32, 0, %p1; add.s64 %d2, %out, %d1; st.global.u32 "
                 "[%d2], 5;"));
  EXPECT_EQ(got.result.status, Status::fault);
  EXPECT_EQ(got.result.diagnostics.back().here.thread, (Dim3{31, 0, 0}));
  EXPECT_EQ(got.word(0), 0u);
}

TEST(Memory, UseAfterFreeNamesTheBuffer) {
  Device device;
  device.load(testing::parse(kernel("ld.global.u32 %r1, [%in];")));
  const Address from = device.allocate(1024, "scratch", true);
  device.free(from);
  Launch launch{"k", {1, 1, 1}, {32, 1, 1}, 0, std::vector<std::byte>(16)};
  std::memcpy(launch.arguments.data(), &from, 8);
  const LaunchResult result = device.launch(launch);
  EXPECT_EQ(result.diagnostics.back().code, Code::use_after_free);
  EXPECT_EQ(result.diagnostics.back().buffer, "scratch");
}

TEST(Memory, OverflowFromOneSharedArrayIntoTheNextIsSeen) {
  const auto got = run(with_file(
      kernel(own + at(6) + "st.shared.u32 [%r10+4], 1; mov.u32 %r1, Bs; st.shared.u32 [%r1], 1;", shared)));
  EXPECT_EQ(
      last(got.result),
      "k.cu:6: error: shared store of 4 bytes that starts at the end of As (128 bytes): element 32, the "
      "last is 31, thread (31,0,0) of block (0,0,0) of k");
}

TEST(Memory, SharedIndexBelowZeroIsNamedRightly) {
  const auto got = run(with_file(kernel(own + at(6) + "st.shared.u32 [%r10+-4], 1;", shared)));
  EXPECT_EQ(last(got.result),
            "k.cu:6: error: shared store of 4 bytes, 4 bytes before the start of As (128 bytes): element -1, "
            "thread (0,0,0) of block (0,0,0) of k");
}

TEST(Memory, SharedArraysHaveTheNamesThatTheStudentGaveThem) {
  // _ZZ4tilePfE2As is As inside tile(float*)
  const auto got = run(kernel("mov.u32 %r1, _ZZ4tilePfE2As; st.shared.u32 [%r1+128], 1;",
                              ".shared .align 4 .b8 _ZZ4tilePfE2As[128];\n"));
  EXPECT_EQ(got.result.diagnostics.back().buffer, "As");
}

TEST(Memory, ConstantMemoryIsReadOnly) {
  const auto got =
      run(kernel("mov.u64 %d1, table; st.global.u32 [%d1], 1;", ".const .align 4 .b8 table[16];\n"));
  EXPECT_EQ(got.result.status, Status::fault);
}

TEST(Initialised, ReadOfUnwrittenGlobalMemoryIsReported) {
  Device device;
  device.load(
      testing::parse(with_file(kernel(at(8) + "ld.global.u32 %r1, [%in]; st.global.u32 [%out], %r1;"))));
  const Address from = device.allocate(1024, "C"), to = device.allocate(1024, "D");
  Launch launch{"k", {1, 1, 1}, {32, 1, 1}, 0, std::vector<std::byte>(16)};
  std::memcpy(launch.arguments.data(), &from, 8);
  std::memcpy(launch.arguments.data() + 8, &to, 8);
  const LaunchResult first = device.launch(launch);
  EXPECT_EQ(first.status, Status::completed);
  EXPECT_EQ(last(first),
            "k.cu:8: error: load of 4 bytes from C that was never written: element 0, thread (0,0,0) of "
            "block (0,0,0) of k (32 times)");
  device.fill(from, std::byte{1}, 1024);
  EXPECT_TRUE(device.launch(launch).diagnostics.empty());
}

TEST(Initialised, ReadOfUnwrittenSharedMemoryIsReported) {
  const auto got =
      run(with_file(kernel(own + at(3) + "ld.shared.u32 %r1, [%r10]; st.global.u32 [%out], %r1;", shared)));
  EXPECT_EQ(got.result.status, Status::completed);
  EXPECT_EQ(got.result.diagnostics.back().code, Code::uninitialized_read);
  EXPECT_EQ(got.result.diagnostics.back().buffer, "As");
}

// As[tid] = tid, then As[63 - tid] is read: by another warp.
std::string exchange(const std::string &between) {
  return with_file(kernel(own + at(3) + "st.shared.u32 [%r10], %tid;\n" + between +
                              "sub.u32 %r1, 63, %tid; shl.b32 %r1, %r1, 2; add.u32 %r1, %r1, %r9;\n" + at(5) +
                              "ld.shared.u32 %r2, [%r1]; st.global.u32 [%out], %r2;",
                          ".shared .align 4 .b8 As[256];\n"));
}

TEST(Race, MissingBarrierBetweenWarpsIsAnErrorWithBothLines) {
  const auto got = run(exchange(""), {}, 64);
  EXPECT_EQ(got.result.status, Status::completed);
  bool found = false;
  for (const Diagnostic &d : got.result.diagnostics) {
    if (d.code != Code::race) continue;
    found = true;
    EXPECT_EQ(d.severity, Severity::error);
    EXPECT_EQ(d.buffer, "As");
    EXPECT_EQ(d.here.at.line + d.other->at.line, 8);
  }
  EXPECT_TRUE(found);
}

TEST(Race, ABarrierOrdersTheBlock) {
  const auto got = run(exchange("bar.sync 0;\n"), {}, 64);
  EXPECT_TRUE(got.result.diagnostics.empty()) << last(got.result);
  EXPECT_EQ(got.word(5), 58u);
}

// The same within one warp: As[31 - tid].
std::string exchange_in_warp(const std::string &between) {
  return with_file(kernel(own + at(3) + "st.shared.u32 [%r10], %tid;\n" + between +
                              "sub.u32 %r1, 31, %tid; shl.b32 %r1, %r1, 2; add.u32 %r1, %r1, %r9;\n" + at(5) +
                              "ld.shared.u32 %r2, [%r1]; st.global.u32 [%out], %r2;",
                          ".shared .align 4 .b8 As[256];\n"));
}

TEST(Race, LanesOfOneWarpAreAWarningUnlessTheySync) {
  const auto got = run(exchange_in_warp(""));
  ASSERT_EQ(got.result.diagnostics.size(), 1u);
  EXPECT_EQ(last(got.result),
            "k.cu:5: warning: read after write on shared memory As, element 31: lanes of one warp do not run "
            "in lock step; put a __syncwarp() between line 3 and line 5, thread (0,0,0) of block (0,0,0) of "
            "k; the other is thread (31,0,0) of "
            "block (0,0,0) at k.cu:3 (32 times)");
  EXPECT_TRUE(run(exchange_in_warp("bar.warp.sync -1;\n")).result.diagnostics.empty());
  // a shuffle orders nothing
  EXPECT_FALSE(run(exchange_in_warp("shfl.sync.idx.b32 %r5, %tid, 0, 31, -1;\n")).result.diagnostics.empty());
}

TEST(Race, WriteAfterReadIsSeen) {
  // everyone reads As[0], then thread 40 of the other warp writes it without a barrier
  const auto got =
      run(with_file(kernel(own + "st.shared.u32 [%r10], 1; bar.sync 0;\n" + at(7) +
                               "ld.shared.u32 %r1, [%r9];\n setp.ne.u32 %p1, %tid, 40; @%p1 bra DONE;\n" +
                               at(9) + "st.shared.u32 [%r9], 2;\nDONE: st.global.u32 [%out], %r1;",
                           ".shared .align 4 .b8 As[256];\n")),
          {}, 64);
  ASSERT_FALSE(got.result.diagnostics.empty());
  EXPECT_EQ(got.result.diagnostics.back().code, Code::race);
  EXPECT_EQ(got.result.diagnostics.back().here.at.line, 9);
  EXPECT_EQ(got.result.diagnostics.back().other->at.line, 7);
}

TEST(Race, TwoLanesThatStoreDifferentValuesToOnePlaceAreAnError) {
  const auto got =
      run(with_file(kernel("mov.u32 %r1, As;\n" + at(4) + "st.shared.u32 [%r1], %tid;", shared)));
  ASSERT_EQ(got.result.diagnostics.size(), 1u);
  EXPECT_EQ(got.result.diagnostics[0].severity, Severity::error);
  EXPECT_TRUE(run(kernel("mov.u32 %r1, As; st.shared.u32 [%r1], 7;", shared)).result.diagnostics.empty())
      << "equal values do no harm";
}

TEST(Race, EqualValuesFromTwoWarpsAreInformation) {
  const auto got =
      run(with_file(kernel("mov.u32 %r1, As;\n" + at(4) + "st.shared.u32 [%r1], 7;", shared)), {}, 64);
  ASSERT_EQ(got.result.diagnostics.size(), 1u);
  EXPECT_EQ(last(got.result),
            "k.cu:4: info: write after write on shared memory As, element 0: two warps write the same value "
            "without "
            "a barrier between, thread (32,0,0) of block (0,0,0) of k; the other is thread (0,0,0) of block "
            "(0,0,0) "
            "at k.cu:4");
}

// Warp 0 stores 5 to As[0], then 1 to Bs[0]; warp 1 waits for it and reads As[0].
std::string hand_over(const std::string &release, const std::string &acquire = "membar.cta;\n") {
  return with_file(
      kernel("mov.u32 %r1, As; mov.u32 %r2, Bs; setp.ne.u32 %p1, %tid, 0; @!%p1 st.shared.u32 [%r2], 0;\n"
             "bar.sync 0; @%p1 bra WAIT; st.shared.u32 [%r1], 5;\n" +
                 release +
                 "st.volatile.shared.u32 [%r2], 1; bra DONE;\n"
                 "WAIT: setp.ne.u32 %p2, %tid, 32; @%p2 bra DONE;\n"
                 "AGAIN: ld.volatile.shared.u32 %r3, [%r2]; setp.eq.u32 %p3, %r3, 0; @%p3 bra AGAIN;\n" +
                 acquire + "ld.shared.u32 %r4, [%r1]; st.global.u32 [%out], %r4;\nDONE:",
             shared));
}

TEST(Race, AFlagAfterAFenceOrdersWhatWasDoneBeforeTheFence) {
  const auto got = run(hand_over("membar.cta;\n"), {}, 64);
  EXPECT_TRUE(got.result.diagnostics.empty()) << last(got.result);
  EXPECT_EQ(got.word(32), 5u);
  const auto without = run(hand_over(""), {}, 64);
  ASSERT_EQ(without.result.diagnostics.size(), 1u) << "what the flag guards races, but not the flag";
  EXPECT_EQ(without.result.diagnostics[0].severity, Severity::error);
  EXPECT_EQ(without.result.diagnostics[0].buffer, "As");
  EXPECT_EQ(without.result.diagnostics[0].message,
            "read after write on shared memory As, element 0: the other warp signals it, but a "
            "__threadfence_block() is missing before that");
}

TEST(Race, AReaderOfAFlagInSharedMemoryIsWarnedIfItHasNoFence) {
  const auto got = run(hand_over("membar.cta;\n", ""), {}, 64);
  ASSERT_EQ(got.result.diagnostics.size(), 1u) << last(got.result);
  const Diagnostic &race = got.result.diagnostics[0];
  EXPECT_EQ(race.severity, Severity::warning);
  EXPECT_EQ(race.message,
            "read after write on shared memory As, element 0: the thread does not acquire what the other "
            "warp released: it has no __threadfence_block() between reading the flag or taking the lock and "
            "this access");
  EXPECT_EQ(race.here.thread.x, 32u);
  ASSERT_TRUE(race.other);
  EXPECT_EQ(race.other->thread.x, 0u);
}

// Every thread reads As[0]; then a thread of the last warp writes there.
TEST(Race, AWriteAfterReadsInSharedMemoryNamesAnotherReaderWithItsLine) {
  const std::string all_read =
      "mov.u32 %r1, As; setp.eq.u32 %p1, %tid, 0; @%p1 st.shared.u32 [%r1], 5; bar.sync 0;\n" + at(7) +
      "ld.shared.u32 %r2, [%r1]; st.global.u32 [%out], %r2;\n";
  for (const std::uint32_t threads : {32, 64}) {
    const std::string write = "setp.eq.u32 %p2, %tid, " + std::to_string(threads - 1) + ";\n" + at(9) +
                              "@%p2 st.shared.u32 [%r1], 6;";
    const auto got = run(with_file(kernel(all_read + write, shared)), {}, threads);
    ASSERT_EQ(got.result.diagnostics.size(), 1u) << last(got.result);
    const Diagnostic &race = got.result.diagnostics[0];
    EXPECT_EQ(race.message.find("several"), std::string::npos) << race.message;
    EXPECT_EQ(race.severity, threads == 32 ? Severity::warning : Severity::error);
    EXPECT_EQ(race.here.thread.x, threads - 1);
    EXPECT_EQ(race.here.at.line, 9);
    ASSERT_TRUE(race.other);
    EXPECT_EQ(race.other->thread.x / 32, 0u);
    EXPECT_NE(race.other->thread.x, threads - 1);
    EXPECT_EQ(race.other->at.line, 7);
  }
}

TEST(Race, ASyncOfSomeLanesOrdersOnlyThose) {
  // lanes 0 to 15 and 16 to 31 sync among themselves; each lane reads what its neighbour has written
  const std::string tile =
      own +
      "st.shared.u32 [%r10], %tid; setp.lt.u32 %p1, %tid, 16; selp.u32 %r3, 0xffff, 0xffff0000, %p1;\n"
      "bar.warp.sync %r3; xor.b32 %r4, %tid, ";
  const std::string read =
      "; shl.b32 %r4, %r4, 2; add.u32 %r4, %r4, %r9; ld.shared.u32 %r5, [%r4]; st.global.u32 [%out], %r5;";
  const auto within = run(kernel(tile + "8" + read, shared), {}, 32);
  EXPECT_TRUE(within.result.diagnostics.empty()) << last(within.result);
  const auto across = run(kernel(tile + "16" + read, shared), {}, 32);
  ASSERT_EQ(across.result.diagnostics.size(), 1u);
  EXPECT_EQ(across.result.diagnostics[0].severity, Severity::warning);
}

TEST(Race, AnUpdateOfAVolatileWordInTwoStepsIsLost) {
  const std::string update =
      "ld.volatile.shared.u32 %r2, [%r1]; add.u32 %r4, %r2, 1; @%p2 st.volatile.shared.u32 [%r1], %r4;\n";
  const std::string begin =
      "mov.u32 %r1, As; setp.eq.u32 %p1, %tid, 0; @%p1 st.shared.u32 [%r1], 0; "
      "bar.sync 0; and.b32 %r3, %tid, 31; ";
  const auto by_warps = run(kernel(begin + "setp.eq.u32 %p2, %r3, 0;\n" + update, shared), {}, 64);
  ASSERT_EQ(by_warps.result.diagnostics.size(), 1u) << last(by_warps.result);
  EXPECT_EQ(by_warps.result.diagnostics[0].severity, Severity::error);
  EXPECT_EQ(by_warps.result.diagnostics[0].message.find("lost update on shared memory As, element 0: "), 0u);
  const auto by_one = run(kernel(begin + "setp.eq.u32 %p2, %tid, 32;\n" + update, shared), {}, 64);
  EXPECT_TRUE(by_one.result.diagnostics.empty()) << "all read the word, one thread adds to it";
}

TEST(Race, CodeThatReliesOnLockStepIsReportedOnceWithTheNumberOfPlaces) {
  // Each round adds the next lane's word: it reads what another lane has stored and stores what another has read.
  std::string body = own + "st.shared.u32 [%r10], 1; st.shared.u32 [%r10+128], 1; bar.sync 0;\n";
  for (int line = 10; line < 15; ++line)
    body +=
        at(line) +
        "ld.volatile.shared.u32 %r2, [%r10]; ld.volatile.shared.u32 %r3, [%r10+4]; add.u32 %r2, %r2, %r3; "
        "st.volatile.shared.u32 [%r10], %r2;\n";
  const auto got = run(with_file(kernel(body, ".shared .align 4 .b8 As[256];\n")));
  ASSERT_EQ(got.result.diagnostics.size(), 1u) << last(got.result);
  EXPECT_EQ(got.result.diagnostics[0].severity, Severity::warning);
  EXPECT_NE(last(got.result).find("other places of the kernel lack a __syncwarp() in the same way (k.cu:1"),
            std::string::npos)
      << last(got.result);
}

TEST(Race, AFlagDoesNotOrderWhatComesBetweenTheFenceAndTheFlag) {
  const auto got = run(hand_over("membar.cta; st.shared.u32 [%r1+4], 6; st.shared.u32 [%r1], 7;\n"), {}, 64);
  ASSERT_EQ(got.result.diagnostics.size(), 1u);
  EXPECT_EQ(got.result.diagnostics[0].severity, Severity::error);
}

TEST(Initialised, APartOfAnElementMayBePadding) {
  // a byte and a word of 8 bytes, as structs are written; then all 8 are read at once
  const std::string member = "mov.u32 %r1, As; mul.lo.u32 %r2, %tid, 8; add.u32 %r1, %r1, %r2;\n";
  const std::string large = ".shared .align 8 .b8 As[256];\n";
  EXPECT_TRUE(run(kernel(member + "st.shared.u32 [%r1], 5; ld.shared.u64 %d1, [%r1];", large))
                  .result.diagnostics.empty());
  EXPECT_EQ(run(kernel(member + "ld.shared.u64 %d1, [%r1]; st.global.u64 [%out], %d1;", large))
                .result.diagnostics.size(),
            1u);
}

TEST(Initialised, AWholeElementOfAVectorMayBePadding) {
  // words 0 and 2 of 16 bytes; then all are copied as two pairs
  const std::string members =
      "mov.u32 %r1, As; mul.lo.u32 %r2, %tid, 16; add.u32 %r1, %r1, %r2;\nst.shared.u32 [%r1], 5; "
      "st.shared.u32 [%r1+8], 5;\n";
  const std::string large = ".shared .align 16 .b8 As[512];\n";
  EXPECT_TRUE(run(kernel(members + "ld.shared.v4.u32 {%r3, %r4, %r5, %r6}, [%r1];", large))
                  .result.diagnostics.empty());
  // what is computed from the padding is still an error
  const auto used = run(kernel(members + "ld.shared.v2.u32 {%r3, %r4}, [%r1]; add.u32 %r5, %r4, %r3; "
                                         "st.global.u32 [%out], %r5;",
                               large));
  ASSERT_FALSE(used.result.diagnostics.empty());
  EXPECT_EQ(used.result.diagnostics[0].code, Code::uninitialized_read);
}

TEST(Race, AtomicsDoNotRaceWithAtomics) {
  const auto got = run(kernel("mov.u32 %r1, As; setp.eq.u32 %p1, %tid, 0; @%p1 st.shared.u32 [%r1], 0; "
                              "bar.sync 0; atom.shared.add.u32 %r2, [%r1], 1; bar.sync 0;\n"
                              "ld.shared.u32 %r3, [%r1]; st.global.u32 [%out], %r3;",
                              shared),
                       {}, 64);
  EXPECT_TRUE(got.result.diagnostics.empty()) << last(got.result);
  EXPECT_EQ(got.word(9), 64u);
}

TEST(Race, BytesAreDistinguished) {
  // four threads write the four bytes of a word: no race
  const auto got = run(kernel("mov.u32 %r1, As; add.u32 %r1, %r1, %tid; st.shared.u8 [%r1], %tid; bar.sync "
                              "0; ld.shared.u8 %r2, [%r1]; st.global.u32 [%out], %r2;",
                              shared),
                       {}, 64);
  EXPECT_TRUE(got.result.diagnostics.empty()) << last(got.result);
  EXPECT_EQ(got.word(33), 33u);
}

TEST(AsyncCopy, ArrivesAtTheWaitAndReadingEarlierIsReported) {
  const auto text = [](const std::string &wait) {
    return kernel(own + "cp.async.ca.shared.global [%r10], [%in], 4; cp.async.commit_group;\n" + wait +
                      "bar.sync 0; ld.shared.u32 %r1, [%r10]; st.global.u32 [%out], %r1;",
                  shared);
  };
  std::vector<std::uint64_t> in(128);
  for (std::size_t i = 0; i < in.size(); ++i) in[i] = i;
  const auto good = run(text("cp.async.wait_group 0;\n"), in);
  EXPECT_TRUE(good.result.diagnostics.empty()) << last(good.result);
  EXPECT_EQ(good.word(3), 12u);
  const auto bad = run(text(""), in);
  ASSERT_FALSE(bad.result.diagnostics.empty());
  EXPECT_EQ(bad.result.diagnostics[0].code, Code::race);
  EXPECT_NE(last(bad.result).find("asynchronous copy"), std::string::npos);
}

}  // namespace
}  // namespace warpgrade::simt
