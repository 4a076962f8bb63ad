// Bulk copies, the barriers that count their bytes, and what goes wrong with them.
#include "harness.hpp"

namespace warpgrade::simt {
namespace {

using testing::kernel;
using testing::last;
using testing::parse;
using testing::run;

const std::string buffers = ".shared .align 128 .b8 tile[1024];\n.shared .align 8 .b64 bar;\n";

/// Thread 0 fetches `bytes` of in to the tile, the others arrive; all wait if `wait`, and write a word of the
/// tile each.
std::string fetch(const std::string &bytes, const std::string &expected, bool wait = true,
                  const std::string &where = "tile") {
  return kernel(
      "setp.ne.u32 %p1, %tid, 0;\nmov.u32 %r1, bar;\n@%p1 bra READY;\nmbarrier.init.shared::cta.b64 [%r1], "
      "32;\n"
      "fence.mbarrier_init.release.cluster;\nREADY: bar.sync 0;\n"
      "@%p1 bra OTHERS;\n"
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [" +
          where + "], [%in], " + bytes +
          ", [%r1];\nmbarrier.arrive.expect_tx.release.cta.shared::cta.b64 %d1, [%r1], " + expected +
          ";\nbra WAIT;\nOTHERS: mbarrier.arrive.release.cta.shared::cta.b64 %d1, [%r1];\nWAIT:\n" +
          (wait ? "mbarrier.try_wait.parity.acquire.cta.shared::cta.b64 %p2, [%r1], 0;\n@!%p2 bra WAIT;\n"
                : "") +
          "mov.u32 %r2, tile; mad.lo.u32 %r2, %tid, 8, %r2; ld.shared.u64 %d2, [%r2]; st.global.u64 [%out], "
          "%d2;",
      buffers);
}

std::vector<std::uint64_t> numbers() {
  std::vector<std::uint64_t> in(128);
  for (std::size_t i = 0; i < in.size(); ++i) in[i] = 1000 + i;
  return in;
}

TEST(BulkCopy, ArrivesWithThePhaseOfItsBarrier) {
  const auto got = run(fetch("256", "256"), numbers());
  EXPECT_TRUE(got.result.diagnostics.empty()) << last(got.result);
  for (std::size_t t = 0; t < 32; ++t) EXPECT_EQ(got.word(t), 1000 + t);
}

TEST(BulkCopy, OfFewerBytesThanAnnouncedLeavesTheThreadsWaiting) {
  const auto got = run(fetch("256", "512"), numbers());
  EXPECT_NE(last(got.result).find("for bytes that never come: it expects 512, and copies bring 256"),
            std::string::npos)
      << last(got.result);
}

TEST(BulkCopy, OfMoreBytesThanAnnouncedLeavesTheThreadsWaiting) {
  const auto got = run(fetch("256", "128"), numbers());
  EXPECT_NE(last(got.result).find("bring more bytes than it expects: 256 instead of 128"), std::string::npos)
      << last(got.result);
}

TEST(BulkCopy, WithoutAWaitRacesWithTheReader) {
  const auto got = run(fetch("256", "256", false), numbers());
  ASSERT_FALSE(got.result.diagnostics.empty());
  EXPECT_EQ(got.result.diagnostics[0].code, Code::race);
  EXPECT_NE(last(got.result).find("read before the end of an asynchronous copy"), std::string::npos)
      << last(got.result);
}

TEST(BulkCopy, BeyondItsBufferOrOfAnOddSizeIsRefusedWithTheReason) {
  EXPECT_EQ(run(fetch("20", "20"), numbers()).result.diagnostics.at(0).code, Code::misaligned);
  EXPECT_EQ(run(fetch("256", "256", true, "tile+8"), numbers()).result.diagnostics.at(0).code,
            Code::misaligned);
  EXPECT_EQ(run(fetch("256", "256", true, "tile+896"), numbers()).result.diagnostics.at(0).code,
            Code::out_of_bounds);
  EXPECT_EQ(run(fetch("1040", "1040"), numbers()).result.diagnostics.at(0).code, Code::out_of_bounds);
}

/// Every thread sets its word of the tile; thread 0 sends the tile; `then` comes before the wait, `after`
/// behind it.
std::string send(const std::string &then, const std::string &after = "") {
  return kernel(
      "mov.u32 %r1, tile; mad.lo.u32 %r2, %tid, 8, %r1; add.u32 %r3, %tid, 7; cvt.u64.u32 %d1, %r3;\n"
      "st.shared.u64 [%r2], %d1; fence.proxy.async.shared::cta; bar.sync 0;\n"
      "setp.ne.u32 %p1, %tid, 0;\n@%p1 bra DONE;\n"
      "cp.async.bulk.global.shared::cta.bulk_group [%out], [%r1], 256; cp.async.bulk.commit_group;\n" +
          then + "cp.async.bulk.wait_group.read 0;\n" + after + "DONE: bar.sync 0;",
      buffers);
}

TEST(BulkCopy, ToGlobalMemoryBringsTheTile) {
  const auto got = run(send("", "st.shared.u64 [%r2], %in;\n"));
  EXPECT_TRUE(got.result.diagnostics.empty()) << last(got.result);
  for (std::size_t i = 0; i < 32; ++i) EXPECT_EQ(got.out[i], i + 7);
}

TEST(BulkCopy, RacesWithAChangeOfItsSourceBeforeTheWait) {
  const auto got = run(send("st.shared.u64 [%r2], %in;\n"));
  ASSERT_FALSE(got.result.diagnostics.empty());
  EXPECT_EQ(got.result.diagnostics[0].code, Code::race);
  EXPECT_NE(last(got.result).find("was changed while a bulk copy still read it"), std::string::npos)
      << last(got.result);
}

TEST(BulkCopy, MayOverwriteWhatALaunchBeforeHasUsed) {
  const std::string use = "ld.global.u64 %d3, [%out]; add.s64 %d3, %d3, 1; st.global.u64 [%out], %d3;\n";
  Device device;
  device.load(parse(kernel(
      "mov.u32 %r1, tile; mad.lo.u32 %r2, %tid, 8, %r1; cvt.u64.u32 %d1, %tid; st.shared.u64 [%r2], %d1;\n"
      "fence.proxy.async.shared::cta; bar.sync 0; setp.ne.u32 %p1, %tid, 0; @%p1 bra SENT;\n"
      "cp.async.bulk.global.shared::cta.bulk_group [%out], [%r1], 256; cp.async.bulk.commit_group;\n"
      "cp.async.bulk.wait_group 0;\nSENT: bar.sync 0;\n" +
          use,
      buffers)));
  const Address to = device.allocate(1024, "out");
  device.fill(to, std::byte{0}, 1024);
  Launch launch;
  launch.kernel = "k";
  launch.block = {32, 1, 1};
  launch.arguments.resize(16);
  std::memcpy(launch.arguments.data() + 8, &to, 8);
  for (int i = 0; i < 2; ++i) EXPECT_EQ(last(device.launch(launch)), "completed");
}

TEST(BulkCopy, WritesMemoryThatCountsAsWritten) {
  const auto got = run(send(""));
  EXPECT_EQ(got.result.status, Status::completed) << last(got.result);
}

TEST(NamedBarrier, OpensWhileAnotherWarpWaitsAtAnMbarrier) {
  const auto got = run(
      kernel(
          "mov.u32 %r1, bar; setp.ne.u32 %p1, %tid, 0; @%p1 bra READY; mbarrier.init.shared::cta.b64 [%r1], "
          "1;\nREADY: bar.sync 0; setp.gt.u32 %p2, %tid, 63; @%p2 bra WAIT; bar.sync 1, 64; @%p1 bra END; "
          "mbarrier.arrive.shared::cta.b64 _, [%r1]; bra END;\nWAIT: "
          "mbarrier.try_wait.parity.shared::cta.b64 "
          "%p3, [%r1], 0; @!%p3 bra WAIT;\nEND:",
          buffers),
      {}, 96);
  EXPECT_EQ(last(got.result), "completed");
}

TEST(Elect, ChoosesOneLaneOfTheMembers) {
  const auto got =
      run(kernel("mov.u32 %r1, 0;\nelect.sync _|%p1, 0xffffffff;\n@%p1 mov.u32 %r1, 1;\n"
                 "st.global.u32 [%out], %r1;"));
  EXPECT_TRUE(got.result.diagnostics.empty()) << last(got.result);
  int elected = 0;
  for (std::size_t t = 0; t < 32; ++t) elected += static_cast<int>(got.word(t) & 1);
  EXPECT_EQ(elected, 1);
}

TEST(Elect, TellsEveryMemberWhichLaneItIs) {
  const auto got =
      run(kernel("setp.gt.u32 %p2, %tid, 3;\n@!%p2 bra END;\nelect.sync %r1|%p1, 0xfffffff0;\n"
                 "st.global.u32 [%out], %r1;\nEND:"));
  EXPECT_TRUE(got.result.diagnostics.empty()) << last(got.result);
  for (std::size_t t = 0; t < 32; ++t) EXPECT_EQ(got.word(t), t < 4 ? 0u : 4u);
}

}  // namespace
}  // namespace warpgrade::simt
