// Blocks and warps that wait for others let them run, whatever the loop looks like in which they wait; and a wait
// that nobody can end is told.
#include "tests/simt/harness.hpp"

namespace warpgrade::simt {
namespace {

/// k(data), one warp a block, of which thread 0 runs `body`: %me is the word of its block, %b its number, %n that of
/// the last one.
LaunchResult launch(const std::string &body, std::uint32_t blocks,
                    std::vector<std::uint32_t> *words = nullptr, int threads = 1) {
  Options options;
  options.threads = threads;
  options.alone_until = 0;
  options.instruction_budget = 100'000'000;
  Device device(options);
  device.load(testing::parse(
      ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 k_data)\n{\n"
      ".reg .b32 %r<40>, %b, %n, %t; .reg .b64 %d<40>, %data, %me; .reg .pred %p<9>;\n.loc 1 1 0\n"
      "mov.u32 %b, %ctaid.x; mov.u32 %n, %nctaid.x; sub.u32 %n, %n, 1; mov.u32 %t, %tid.x;\n"
      "ld.param.u64 %data, [k_data]; mul.wide.u32 %d30, %b, 4; add.s64 %me, %data, %d30;\n"
      "setp.ne.u32 %p8, %t, 0; @%p8 bra end;\n.loc 1 2 0\n" +
      body + "\nend: ret;\n}\n.file 1 \"k.cu\"\n"));
  const Address data = device.allocate(4096 * 4, "data", true);
  device.fill(data, std::byte{0}, 4096 * 4);
  Launch launch{"k", {blocks, 1, 1}, {32, 1, 1}, 0, std::vector<std::byte>(8)};
  std::memcpy(launch.arguments.data(), &data, 8);
  LaunchResult result = device.launch(launch);
  if (words) {
    words->resize(blocks);
    device.read(data, std::as_writable_bytes(std::span(*words)));
  }
  return result;
}

/// Each block waits for the next one and then sets its word, in a loop with a store and many basic blocks.
const std::string chain =
    "setp.eq.u32 %p1, %b, %n;\n"
    "again: atom.global.add.u32 %r1, [%me], 0; setp.ne.u32 %p2, %r1, 0; @%p2 bra round;\n"
    "@%p1 bra settle; atom.global.add.u32 %r2, [%me+4], 0; setp.eq.u32 %p3, %r2, 0; @%p3 bra round;\n"
    "settle: atom.global.exch.b32 %r3, [%me], 1;\n"
    "round: mov.u32 %r4, 3;\n"
    "rest: sub.u32 %r4, %r4, 1; setp.ne.u32 %p4, %r4, 0; @%p4 bra rest;\n"
    "atom.global.add.u32 %r5, [%me], 0; setp.eq.u32 %p5, %r5, 0; @%p5 bra again;";

TEST(Progress, ABlockThatWaitsForALaterOneLetsItRun) {
  for (const int threads : {1, 3}) {
    std::vector<std::uint32_t> words;
    const LaunchResult result = launch(chain, 40, &words, threads);
    EXPECT_EQ(result.status, Status::completed) << testing::last(result);
    EXPECT_TRUE(result.diagnostics.empty()) << testing::last(result);
    EXPECT_EQ(words, std::vector<std::uint32_t>(40, 1));
    // 40 blocks come one after the other, each after at most 3 windows of 2048 basic blocks of those that are there,
    // of some 4 instructions: 40 * 41 / 2 * 3 * 2048 * 4
    EXPECT_LT(result.warp_instructions, 20'200'000u);
  }
}

TEST(Progress, BlocksThatWaitForEarlierOnesMayExceedTheResidentBlocks) {
  std::vector<std::uint32_t> words;
  const LaunchResult result = launch(
      "setp.eq.u32 %p1, %b, 0; @%p1 bra settle;\n"
      "again: ld.volatile.global.u32 %r1, [%me+-4]; setp.eq.u32 %p2, %r1, 0; @%p2 bra again;\n"
      "settle: st.volatile.global.u32 [%me], 1;",
      1000, &words);
  EXPECT_EQ(result.status, Status::completed) << testing::last(result);
  EXPECT_EQ(words, std::vector<std::uint32_t>(1000, 1));
}

TEST(Progress, BlocksThatWaitInPairsLetTheRestOfTheGridRun) {
  // An odd block waits for nobody and an even one for the next block: when a pair has ended, no block waits.
  const std::string pairs =
      "and.b32 %r6, %b, 1; setp.eq.u32 %p1, %r6, 1;\n" + chain.substr(chain.find("again:"));
  std::vector<std::uint32_t> words;
  const LaunchResult result = launch(pairs, 10, &words);
  EXPECT_EQ(result.status, Status::completed) << testing::last(result);
  EXPECT_EQ(words, std::vector<std::uint32_t>(10, 1));
}

TEST(Progress, AWaitThatNothingCanEndIsReportedWithItsWord) {
  const std::string never =
      "again: atom.global.add.u32 %r1, [%data], 0; mov.u32 %r4, 3;\n"
      "rest: sub.u32 %r4, %r4, 1; setp.ne.u32 %p4, %r4, 0; @%p4 bra rest;\n"
      "setp.eq.u32 %p2, %r1, 0; @%p2 bra again; st.global.u32 [%me+4], 1;";
  const LaunchResult result = launch(never, 3);
  EXPECT_EQ(result.status, Status::time_limit);
  ASSERT_FALSE(result.diagnostics.empty());
  EXPECT_EQ(result.diagnostics.back().code, Code::time_limit);
  const std::string text = testing::last(result);
  EXPECT_NE(text.find("the kernel waits for ever"), std::string::npos) << text;
  EXPECT_NE(text.find("reads element 0 of data, which is 0"), std::string::npos) << text;
  EXPECT_NE(text.find("3 warps are in k.cu:2"), std::string::npos) << text;
}

/// Waits for the word of the next block, in rounds that store something to a word of its own.
std::string chain_with(const std::string &store) {
  return "setp.eq.u32 %p1, %b, %n; mov.u32 %r6, 0; @%p1 bra settle;\n"
         "again: ld.volatile.global.u32 %r1, [%me+4]; add.u32 %r6, %r6, 1; " +
         store + " setp.eq.u32 %p2, %r1, 0; @%p2 bra again;\nsettle: st.volatile.global.u32 [%me], 1;";
}

TEST(Progress, APlainStoreToTheSameWordInEachRoundIsNoProgress) {
  for (const char *store : {"st.global.u32 [%me+8192], %r1;", "st.global.u32 [%me+8192], %r6;"}) {
    std::vector<std::uint32_t> words;
    const LaunchResult result = launch(chain_with(store), 20, &words);
    EXPECT_EQ(result.status, Status::completed) << testing::last(result);
    EXPECT_EQ(words, std::vector<std::uint32_t>(20, 1));
    // As above, but 20 blocks, with loops of one basic block and 6 instructions.
    EXPECT_LT(result.warp_instructions, 20u * 21 / 2 * 3 * 2048 * 6 + (3u << 18) * 6);
  }
}

TEST(Progress, AWaitWithAPlainStoreInEachRoundIsToldToo) {
  const LaunchResult result = launch(
      "again: ld.volatile.global.u32 %r1, [%data]; st.global.u32 [%me+8192], %r1; setp.eq.u32 %p2, %r1, 0; "
      "@%p2 bra again;",
      3);
  EXPECT_EQ(result.status, Status::time_limit);
  EXPECT_NE(testing::last(result).find("the kernel waits for ever"), std::string::npos)
      << testing::last(result);
}

TEST(Progress, ALoopThatCountsInMemoryHasTimeToEndByItself) {
  // 4.5 million rounds of 8 instructions that look at one word: more than the 32 million of a wait without a store.
  const LaunchResult result = launch(
      "mov.u32 %r2, 4500000;\nagain: ld.volatile.global.u32 %r1, [%data]; and.b32 %r3, %r2, 1023; "
      "mul.wide.u32 %d1, %r3, 4; add.s64 %d1, %d1, %data; st.global.u32 [%d1+8192], %r2; sub.u32 %r2, %r2, "
      "1; "
      "setp.ne.u32 %p2, %r2, 0; @%p2 bra again;",
      1);
  EXPECT_EQ(result.status, Status::completed) << testing::last(result);
}

TEST(Progress, AnAtomicThatChangesNothingIsNoWriter) {
  // Block 1 writes 5 and ends; block 0 asks again and again whether it is 7.
  const std::string asks =
      "setp.eq.u32 %p1, %b, 0; @%p1 bra again; st.volatile.global.u32 [%data], 5; bra end;\n.loc 1 7 0\n"
      "again: atom.global.add.u32 %r1, [%data], 0; setp.ne.u32 %p2, %r1, 7; @%p2 bra again;";
  const LaunchResult result = launch(asks, 2);
  EXPECT_EQ(result.status, Status::time_limit);
  const std::string text = testing::last(result);
  EXPECT_NE(text.find("which is 5; thread (0,0,0) of block (1,0,0) wrote it last, in k.cu:2"),
            std::string::npos)
      << text;
  // Without other strong accesses nobody notes who changes a word; nobody is named then.
  const LaunchResult alone =
      launch("again: atom.global.add.u32 %r1, [%data], 0; setp.ne.u32 %p2, %r1, 7; @%p2 bra again;", 2);
  EXPECT_EQ(testing::last(alone).find("wrote it last"), std::string::npos) << testing::last(alone);
}

TEST(Progress, ReadingManyVolatileWordsIsNoWait) {
  // 4096 words, again and again: the sum of each round is stored.
  const LaunchResult result = launch(
      "mov.u32 %r1, 300;\nround: mov.u64 %d1, %data; mov.u32 %r2, 4096; mov.u32 %r3, 0;\n"
      "next: ld.volatile.global.u32 %r4, [%d1]; add.u32 %r3, %r3, %r4; add.s64 %d1, %d1, 4; "
      "sub.u32 %r2, %r2, 1; setp.ne.u32 %p1, %r2, 0; @%p1 bra next;\n"
      "st.volatile.global.u32 [%me], %r1; sub.u32 %r1, %r1, 1; setp.ne.u32 %p2, %r1, 0; @%p2 bra round;",
      1);
  EXPECT_EQ(result.status, Status::completed) << testing::last(result);
}

}  // namespace
}  // namespace warpgrade::simt
