// Thread block clusters: where a block is in its cluster, the barrier of the cluster, the shared memory of
// other blocks, and what goes wrong with them.
#include "harness.hpp"

namespace warpgrade::simt {
namespace {

using testing::kernel;
using testing::last;

constexpr std::uint32_t threads = 32;
const std::string word = ".shared .align 8 .b8 words[128];\n";
const std::string sync = "barrier.cluster.arrive;\nbarrier.cluster.wait;\n";
/// %r1: the address of the thread's word, %r2: the same in the next block of a pair.
const std::string addresses =
    "mov.u32 %r1, words; mad.lo.u32 %r1, %tid, 4, %r1; mov.u32 %r9, %cluster_ctarank; xor.b32 %r8, %r9, 1;\n"
    "mapa.shared::cluster.u32 %r2, %r1, %r8;\n";

/// The kernel in blocks of 32 threads; %out is the thread's own in the grid. Line n of the body is line n.
std::string in_grid(const std::string &body, const std::string &before = word) {
  std::string lines;
  int line = 1;
  std::istringstream text(body);
  for (std::string one; std::getline(text, one);)
    lines += ".loc 1 " + std::to_string(line++) + " 1\n" + one + "\n";
  return kernel(
             "mov.u32 %r39, %ctaid.x; mov.u32 %r38, %ctaid.y; mov.u32 %r37, %nctaid.x;\n"
             "mad.lo.u32 %r39, %r38, %r37, %r39; mul.wide.u32 %d39, %r39, 1024; add.s64 %out, %out, %d39;\n" +
                 lines,
             before) +
         ".file 1 \"k.cu\"\n";
}

testing::Run launch(const std::string &text, Dim3 grid, Dim3 cluster, Options options = {},
                    std::uint32_t block = threads) {
  Device device(options);
  device.load(testing::parse(text));
  testing::Run made;
  made.out.resize(std::size_t{grid.x} * grid.y * threads * 4);
  const Address to = device.allocate(made.out.size() * 8, "out");
  device.fill(to, std::byte{0}, made.out.size() * 8);
  Launch launch;
  launch.kernel = "k";
  launch.grid = grid;
  launch.block = {block, 1, 1};
  launch.cluster = cluster;
  launch.arguments.resize(16);
  std::memcpy(launch.arguments.data(), &to, 8);
  std::memcpy(launch.arguments.data() + 8, &to, 8);
  made.result = device.launch(launch);
  device.read(to, std::as_writable_bytes(std::span(made.out)));
  return made;
}

/// The text of the only diagnostic.
std::string only(const testing::Run &run) {
  return run.result.diagnostics.size() == 1
             ? last(run.result)
             : std::to_string(run.result.diagnostics.size()) + " diagnostics: " + last(run.result);
}

TEST(Cluster, SpecialRegistersSayWhereABlockIs) {
  std::string body;
  auto put = [&body, at = 0](const std::string &name) mutable {
    body += "mov.u32 %r1, %" + name + "; st.global.u32 [%out+" + std::to_string(at) + "], %r1;\n";
    at += 4;
  };
  for (const char *name : {"cluster_ctarank", "cluster_nctarank", "cluster_ctaid.x", "cluster_ctaid.y",
                           "clusterid.x", "clusterid.y", "nclusterid.x", "cluster_nctaid.y"})
    put(name);
  const auto got = launch(in_grid(body), {4, 2, 1}, {2, 2, 1});
  EXPECT_TRUE(got.result.diagnostics.empty()) << last(got.result);
  const auto fields = [&](std::size_t block) {
    std::vector<std::uint32_t> all(8);
    std::memcpy(all.data(), &got.out[block * threads * 4], 32);
    return all;
  };
  EXPECT_EQ(fields(0), (std::vector<std::uint32_t>{0, 4, 0, 0, 0, 0, 2, 2}));
  EXPECT_EQ(fields(3), (std::vector<std::uint32_t>{1, 4, 1, 0, 1, 0, 2, 2}));
  EXPECT_EQ(fields(6), (std::vector<std::uint32_t>{2, 4, 0, 1, 1, 0, 2, 2}));
}

TEST(Cluster, LaunchOrKernelMakesItExplicit) {
  const std::string body =
      "mov.pred %p1, %is_explicit_cluster; selp.u32 %r1, 1, 2, %p1; st.global.u32 [%out], %r1;";
  EXPECT_EQ(launch(in_grid(body), {2, 1, 1}, {0, 0, 0}).out[0], 2u);
  EXPECT_EQ(launch(in_grid(body), {2, 1, 1}, {1, 1, 1}).out[0], 1u);
  std::string compiled = in_grid(body);
  compiled.insert(compiled.find("\n{\n") + 1, ".explicitcluster\n.reqnctapercluster 2, 1, 1\n");
  EXPECT_EQ(launch(compiled, {2, 1, 1}, {0, 0, 0}).out[0], 1u);
  EXPECT_NE(last(launch(compiled, {3, 1, 1}, {0, 0, 0}).result)
                .find("a grid of 3 x 1 x 1 blocks cannot be divided into clusters of 2 x 1 x 1"),
            std::string::npos);
}

TEST(Cluster, BlocksReadEachOthersSharedMemory) {
  const auto got = launch(
      in_grid(addresses + "add.u32 %r3, %r39, 100; st.shared.u32 [%r1], %r3;\n" + sync +
              "ld.shared::cluster.u32 %r4, [%r2]; st.global.u32 [%out], %r4;\n"
              "cvt.u64.u32 %d1, %r1; cvta.shared.u64 %d1, %d1; mapa.u64 %d2, %d1, %r8; ld.u32 %r5, [%d2];\n"
              "st.global.u32 [%out+4], %r5; getctarank.u64 %r6, %d2; st.global.u32 [%out+8], %r6;\n"
              "isspacep.shared::cta %p1, %d2; isspacep.shared::cluster %p2, %d2; selp.u32 %r7, 1, 0, %p1;\n"
              "selp.u32 %r6, 2, 0, %p2; add.u32 %r7, %r7, %r6; st.global.u32 [%out+12], %r7;\n" +
              sync),
      {4, 1, 1}, {2, 1, 1});
  EXPECT_TRUE(got.result.diagnostics.empty()) << last(got.result);
  for (std::uint32_t block = 0; block < 4; ++block)
    for (std::uint32_t t = 0; t < threads; ++t) {
      std::uint32_t words[4];
      std::memcpy(words, &got.out[(block * threads + t) * 4], sizeof words);
      EXPECT_EQ(words[0], 100 + (block ^ 1));
      EXPECT_EQ(words[1], 100 + (block ^ 1));
      EXPECT_EQ(words[2], (block ^ 1) & 1);
      EXPECT_EQ(words[3], 2u);
    }
}

TEST(Cluster, AtomicsReachTheMemoryOfOtherBlocks) {
  const auto got = launch(
      in_grid(addresses + "st.shared.u32 [%r1], 0;\n" + sync +
              "mov.u32 %r3, words; mapa.shared::cluster.u32 %r4, %r3, 1;\n"
              "red.shared::cluster.add.u32 [%r4], 1; atom.shared::cluster.max.u32 %r5, [%r4+4], %tid;\n" +
              sync +
              "ld.shared.u32 %r6, [words]; ld.shared.u32 %r7, [words+4];\n"
              "st.global.u32 [%out], %r6; st.global.u32 [%out+8], %r7;"),
      {2, 1, 1}, {2, 1, 1});
  EXPECT_TRUE(got.result.diagnostics.empty()) << last(got.result);
  EXPECT_EQ(got.word(0), 0u);
  EXPECT_EQ(got.word(threads), 64u);
  EXPECT_EQ(got.word(threads, 1), 31u);
}

TEST(Cluster, OfOneBlockNeedsNoSpecialLaunch) {
  const auto got =
      launch(in_grid(addresses + "mapa.shared::cluster.u32 %r2, %r1, 0; st.shared.u32 [%r1], 7;\n" + sync +
                     "ld.shared::cluster.u32 %r4, [%r2]; st.global.u32 [%out], %r4;"),
             {2, 1, 1}, {0, 0, 0});
  EXPECT_TRUE(got.result.diagnostics.empty()) << last(got.result);
  EXPECT_EQ(got.word(5), 7u);
}

const std::string store = addresses + "st.shared.u32 [%r1], %tid;\n";
const std::string load = "ld.shared::cluster.u32 %r4, [%r2];\n";
const std::string keep = "st.global.u32 [%out], %r4;\n";

TEST(Cluster, AccessBeforeTheFirstBarrierMayComeBeforeTheBlock) {
  const auto got = launch(in_grid(store + load + keep + sync), {2, 1, 1}, {2, 1, 1});
  ASSERT_FALSE(got.result.diagnostics.empty());
  EXPECT_NE(last(got.result)
                .find("k.cu:4: error: access on shared memory words, element 0, of the block of rank 1 "
                      "in its cluster: that block may not have started yet"),
            std::string::npos)
      << last(got.result);
}

TEST(Cluster, AccessAfterTheLastBarrierMayComeAfterTheBlock) {
  // Whoever runs first: block 0 reads while block 1 is still there, and block 1 when block 0 has gone.
  for (const std::uint64_t seed : {0, 1, 2, 3}) {
    Options options;
    options.schedule_seed = seed;
    const auto got = launch(in_grid(store + sync + load + keep), {2, 1, 1}, {2, 1, 1}, options);
    ASSERT_FALSE(got.result.diagnostics.empty());
    EXPECT_NE(last(got.result).find("k.cu:6: error"), std::string::npos) << last(got.result);
    EXPECT_NE(last(got.result).find("that block may have ended"), std::string::npos) << last(got.result);
  }
}

/// Thread 0 of each block arrives at the mbarrier of the other one; `wait`: and waits at its own.
std::string arrives_at_other(bool wait) {
  return in_grid(
      "setp.ne.u32 %p1, %tid, 0; mov.u32 %r3, bar; @%p1 bra READY;\n"
      "mbarrier.init.shared::cta.b64 [%r3], 1; fence.mbarrier_init.release.cluster;\n"
      "READY: " +
          sync +
          "@%p1 bra DONE; mov.u32 %r9, %cluster_ctarank; xor.b32 %r8, %r9, 1; mapa.shared::cluster.u32 %r4, "
          "%r3, "
          "%r8; mbarrier.arrive.shared::cluster.b64 _, [%r4];\n" +
          (wait ? "WAIT: mbarrier.try_wait.parity.shared::cta.b64 %p2, [%r3], 0; @!%p2 bra WAIT;\n" : "") +
          "DONE:",
      ".shared .align 8 .b64 bar;\n");
}

TEST(Cluster, ArrivalAtABlockThatDidNotWaitForItMayComeAfterTheBlock) {
  const auto got = launch(arrives_at_other(false), {2, 1, 1}, {2, 1, 1});
  EXPECT_NE(last(got.result).find("that block may have ended"), std::string::npos) << last(got.result);
  const auto waits = launch(arrives_at_other(true), {2, 1, 1}, {2, 1, 1});
  EXPECT_TRUE(waits.result.diagnostics.empty()) << last(waits.result);
}

TEST(Cluster, AWaitingLaneDoesNotStarveOthersOfItsWarp) {
  // Lane 0 waits for lane 1 of its own warp, as libraries do since Volta; other blocks of the cluster run in between.
  const auto got = launch(
      in_grid("setp.eq.u32 %p1, %tid, 0; setp.eq.u32 %p2, %tid, 1; mov.u32 %r3, words; mov.u32 %r7, 7;\n" +
                  sync +
                  "@!%p1 bra OTHERS;\n"
                  "SPIN: ld.volatile.shared.u32 %r4, [%r3+4]; setp.ne.u32 %p3, %r4, 7; @%p3 bra SPIN;\n"
                  "bra DONE;\n"
                  "OTHERS: @%p2 st.volatile.shared.u32 [%r3+4], %r7;\n"
                  "DONE: " +
                  sync + "st.global.u32 [%out], %r4;",
              word),
      {2, 1, 1}, {2, 1, 1});
  EXPECT_EQ(got.result.status, Status::completed) << last(got.result);
}

TEST(Cluster, StoreWithoutABarrierRacesWithTheOwner) {
  const auto got = launch(in_grid(addresses + sync + "st.shared::cluster.u32 [%r2], %tid;\n" +
                                  "ld.shared.u32 %r4, [%r1];\n" + keep + sync),
                          {2, 1, 1}, {2, 1, 1});
  ASSERT_FALSE(got.result.diagnostics.empty());
  bool found = false;
  for (const Diagnostic &one : got.result.diagnostics) {
    if (one.code != Code::race) continue;
    found = true;
    ASSERT_TRUE(one.other) << to_text(one);
    EXPECT_FALSE(one.here.block == one.other->block) << to_text(one);
    EXPECT_EQ(one.here.at.line + one.other->at.line, 5 + 6) << to_text(one);
    EXPECT_NE(one.message.find("is a cluster.sync() missing?"), std::string::npos) << to_text(one);
  }
  EXPECT_TRUE(found) << last(got.result);
}

TEST(Cluster, RelaxedArrivalReleasesOnlyWhatWasFenced) {
  const std::string relaxed = "barrier.cluster.arrive.relaxed;\nbarrier.cluster.wait.acquire;\n";
  const auto racy = launch(in_grid(store + relaxed + load + keep + sync), {2, 1, 1}, {2, 1, 1});
  ASSERT_FALSE(racy.result.diagnostics.empty());
  EXPECT_EQ(racy.result.diagnostics[0].code, Code::race);
  const auto right = launch(in_grid(store + "fence.acq_rel.cluster;\n" + relaxed + load + keep + sync),
                            {2, 1, 1}, {2, 1, 1});
  EXPECT_TRUE(right.result.diagnostics.empty()) << last(right.result);
}

TEST(Cluster, ReadOfAnUnwrittenWordIsReported) {
  const auto got = launch(in_grid(addresses + sync + load + keep + sync), {2, 1, 1}, {2, 1, 1});
  ASSERT_FALSE(got.result.diagnostics.empty());
  EXPECT_EQ(got.result.diagnostics[0].code, Code::uninitialized_read) << last(got.result);
}

TEST(Cluster, ThreadsThatHaveEndedAreNotWaitedFor) {
  const auto got =
      launch(in_grid(addresses + "setp.eq.u32 %p1, %r9, 1;\n@%p1 ret;\n" + sync + "mov.u32 %r4, 5;\n" + keep),
             {2, 1, 1}, {2, 1, 1});
  EXPECT_TRUE(got.result.diagnostics.empty()) << last(got.result);
  EXPECT_EQ(got.word(3), 5u);
}

TEST(Cluster, BarrierThatSomeNeverReachIsADeadlockWithBothLines) {
  const auto got = launch(in_grid("mov.u32 %r1, %cluster_ctarank; mad.lo.u32 %r1, %r1, 64, %tid;\n"
                                  "setp.ge.u32 %p1, %r1, 96;\n@%p1 bra OTHER;\n" +
                                      sync + "ret;\nOTHER: bar.sync 0;\n",
                                  ""),
                          {2, 1, 1}, {2, 1, 1}, {}, 64);
  EXPECT_NE(
      only(got).find("k.cu:5: error: the thread waits at the barrier of the cluster for 32 threads that "
                     "have not arrived and wait elsewhere"),
      std::string::npos)
      << only(got);
  ASSERT_TRUE(got.result.diagnostics[0].other);
  EXPECT_EQ(got.result.diagnostics[0].code, Code::deadlock);
  EXPECT_EQ(got.result.diagnostics[0].other->at.line, 7);
  EXPECT_EQ(got.result.diagnostics[0].other->block, (Dim3{1, 0, 0}));
  EXPECT_EQ(got.result.diagnostics[0].other->thread, (Dim3{32, 0, 0}));
}

TEST(Cluster, HalvesOfTheBarrierComeInTurns) {
  EXPECT_NE(only(launch(in_grid("barrier.cluster.wait;\n"), {2, 1, 1}, {2, 1, 1}))
                .find("k.cu:1: error: the thread waits at the barrier of the cluster without having arrived"),
            std::string::npos);
  EXPECT_NE(only(launch(in_grid("barrier.cluster.arrive;\nbarrier.cluster.arrive;\n"), {2, 1, 1}, {2, 1, 1}))
                .find("k.cu:2: error: the thread arrives at the barrier of the cluster a second time"),
            std::string::npos);
}

TEST(Cluster, AddressOfABlockThatDoesNotExistIsOutOfBounds) {
  const auto got =
      launch(in_grid(addresses + sync + "mapa.shared::cluster.u32 %r2, %r1, 2;\n" + load + keep + sync),
             {2, 1, 1}, {2, 1, 1});
  EXPECT_EQ(got.result.diagnostics.at(0).code, Code::out_of_bounds);
  EXPECT_NE(only(got).find("in shared memory of a block of the cluster that does not exist"),
            std::string::npos)
      << only(got);
}

TEST(Cluster, AccessBeyondAnArrayOfAnotherBlockNamesTheBlock) {
  const auto got = launch(in_grid(store + sync + "ld.shared::cluster.u32 %r4, [%r2+4];\n" + keep + sync),
                          {2, 1, 1}, {2, 1, 1});
  EXPECT_NE(only(got).find("starts at the end of words of the block of rank 0 (128 bytes): element 32"),
            std::string::npos)
      << only(got);
}

TEST(Cluster, MulticastToABlockThatDoesNotExistIsReported) {
  const std::string buffers = ".shared .align 128 .b8 words[1024];\n.shared .align 8 .b64 bar;\n";
  const auto got = launch(
      in_grid("mov.u32 %r1, bar; mbarrier.init.shared::cta.b64 [%r1], 1; mov.u16 %h1, 5;\n"
              "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [words], "
              "[%out], 16, [%r1], %h1;",
              buffers),
      {2, 1, 1}, {2, 1, 1});
  EXPECT_NE(only(got).find("the mask of a multicast, 0x5, names the block of rank 2"), std::string::npos)
      << only(got);
}

TEST(Cluster, MbarrierWithoutArrivalsIsADeadlockWhileOthersRun) {
  const std::string buffers = ".shared .align 8 .b64 bar;\n";
  const auto got = launch(
      in_grid("setp.eq.u32 %p1, %tid, 0;\nmov.u32 %r1, bar; @%p1 mbarrier.init.shared::cta.b64 [%r1], 1;\n" +
                  sync + "WAIT: mbarrier.try_wait.parity.shared::cta.b64 %p2, [%r1], 0;\n@!%p2 bra WAIT;\n" +
                  sync,
              buffers),
      {2, 1, 1}, {2, 1, 1});
  EXPECT_NE(only(got).find("k.cu:5: error: the thread waits at an mbarrier for arrivals that never come"),
            std::string::npos)
      << only(got);
}

/// Each block sends the other one 16 bytes of each thread, or reductions, and waits at its own mbarrier for
/// them. The instruction is line 7, the read line 10. %r2: the thread's place in the other block, %r4: its
/// mbarrier.
std::string counted(const std::string &instruction, int bytes, bool waits = true) {
  return in_grid(
      "mov.u32 %r1, words; mad.lo.u32 %r1, %tid, 16, %r1; mov.u32 %r9, %cluster_ctarank; xor.b32 %r8, %r9, "
      "1; "
      "mapa.shared::cluster.u32 %r2, %r1, %r8; st.shared.u32 [%r1], 0;\n"
      "mov.u32 %r3, bar; mapa.shared::cluster.u32 %r4, %r3, %r8; setp.eq.u32 %p1, %tid, 0; mov.u32 %r6, "
      "words; "
      "mapa.shared::cluster.u32 %r6, %r6, %r8; add.u32 %r5, %tid, %r39; cvt.u64.u32 %d5, %r5;\n"
      "@%p1 mbarrier.init.shared::cta.b64 [%r3], 1;\n" +
          sync + "@%p1 mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r3], " + std::to_string(bytes) + ";\n" +
          instruction + "\n" +
          (waits ? "WAIT: mbarrier.try_wait.parity.shared::cta.b64 %p2, [%r3], 0;\n@!%p2 bra WAIT;\n"
                 : "\n\n") +
          "ld.shared.u32 %r10, [%r1];\nst.global.u32 [%out], %r10;\n" + sync,
      ".shared .align 16 .b8 words[512];\n.shared .align 8 .b64 bar;\n");
}
const std::string store_counted =
    "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v4.b32 [%r2], {%r5,%tid,%r8,%r9}, [%r4];";
const std::string add_counted =
    "red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [%r6], %r5, [%r4];";

TEST(Cluster, StoresThatAnMbarrierCountsAreVisibleAfterIt) {
  const auto got = launch(counted(store_counted, 512), {4, 1, 1}, {2, 1, 1});
  EXPECT_TRUE(got.result.diagnostics.empty()) << last(got.result);
  for (std::uint32_t block = 0; block < 4; ++block) EXPECT_EQ(got.word(block * threads + 7), (block ^ 1) + 7);
  const auto wide = launch(
      counted("st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.b64 [%r2], %d5, [%r4];", 256),
      {2, 1, 1}, {2, 1, 1});
  EXPECT_TRUE(wide.result.diagnostics.empty()) << last(wide.result);
  EXPECT_EQ(wide.word(5), 6u);
}

TEST(Cluster, ReductionsThatAnMbarrierCountsAreVisibleAfterIt) {
  const auto got = launch(counted(add_counted, 128), {2, 1, 1}, {2, 1, 1});
  EXPECT_TRUE(got.result.diagnostics.empty()) << last(got.result);
  EXPECT_EQ(got.word(0), 496u + 32);
  EXPECT_EQ(got.word(threads), 496u);
  std::string most = add_counted;
  most.replace(most.find("add.u32"), 7, "max.s32");
  EXPECT_EQ(launch(counted(most, 128), {2, 1, 1}, {2, 1, 1}).word(threads), 31u);
}

TEST(Cluster, CountedStoresAndReductionsAreNotThereBefore) {
  for (const auto &[instruction, bytes] : {std::pair{store_counted, 512}, {add_counted, 128}}) {
    const auto got = launch(counted(instruction, bytes, false), {2, 1, 1}, {2, 1, 1});
    ASSERT_FALSE(got.result.diagnostics.empty()) << instruction;
    const Diagnostic &first = got.result.diagnostics.front();
    EXPECT_EQ(first.code, Code::race) << to_text(first);
    EXPECT_EQ(first.here.at.line == 10 || first.here.at.line == 7, true) << to_text(first);
  }
}

TEST(Cluster, BytesOfCountedStoresHaveToBeThoseThatAreExpected) {
  EXPECT_NE(
      only(launch(counted(store_counted, 1024), {2, 1, 1}, {2, 1, 1}))
          .find("k.cu:8: error: the thread waits at an mbarrier for bytes that never come: it expects 1024, "
                "and copies bring 512"),
      std::string::npos);
}

TEST(Cluster, CountedStoresNeedAnMbarrierOfTheSameBlock) {
  std::string elsewhere = store_counted;
  elsewhere.replace(elsewhere.find("[%r4]"), 5, "[%r3]");
  const auto got = launch(counted(elsewhere, 512), {2, 1, 1}, {2, 1, 1});
  EXPECT_NE(
      only(got).find("k.cu:7: error: a copy to shared memory that an mbarrier counts has to complete at an "
                     "mbarrier of the block to which it copies"),
      std::string::npos)
      << only(got);
}

TEST(Cluster, AnUnsetValueIsFoundWhereACountedStoreSendsIt) {
  std::string unset = store_counted;
  unset.replace(unset.find("%r9}"), 4, "%r30}");
  const auto got = launch(counted(unset, 512), {2, 1, 1}, {2, 1, 1});
  EXPECT_NE(last(got.result).find("k.cu:7: error: "), std::string::npos) << last(got.result);
  EXPECT_EQ(got.result.diagnostics.at(0).code, Code::uninitialized_read);
}

}  // namespace
}  // namespace warpgrade::simt
