// What the simulator does not run is refused when it is reached, with the student's line and the reason.
#include <algorithm>

#include "harness.hpp"

namespace warpgrade::simt {
namespace {

using testing::kernel;
using testing::last;
using testing::run;

/// The refusal of some PTX on line 7 of k.cu, without the thread at its end.
std::string refusal(const std::string &ptx, const std::string &before = "") {
  const auto got = run(kernel(".loc 1 7 3\n" + ptx, before) + ".file 1 \"k.cu\"\n");
  EXPECT_EQ(got.result.status, Status::unsupported) << ptx;
  const std::string text = last(got.result);
  return text.substr(0, text.find(", thread (0,0,0) of block (0,0,0) of k"));
}
/// "k.cu:7: error: unsupported PTX instruction X (PTX line N): " and the reason
std::string says(const std::string &opcode, const std::string &reason) {
  return "k.cu:7: error: unsupported PTX instruction " + opcode + " (PTX line 11): " + reason;
}

TEST(Refused, QueriesOfTexturesAndReductionsOnSurfacesNameTheLine) {
  const std::string why = "queries of textures and surfaces, and reductions on surfaces, are not simulated";
  EXPECT_EQ(refusal("txq.width.b32 %r1, [%d1];"), says("txq.width.b32", why));
  EXPECT_EQ(refusal("sured.b.add.1d.u32.trap [%d1, {%r2}], %r1;"), says("sured.b.add.1d.u32.trap", why));
  EXPECT_EQ(refusal("sust.p.1d.b32.trap [%d1, {%r2}], {%r1};"),
            says("sust.p.1d.b32.trap", "formatted surface stores are not simulated"));
}

TEST(Refused, AsynchronousStoresWithoutAnMbarrierNameTheLine) {
  const std::string why = "of st.async and red.async, only those that an mbarrier counts are simulated";
  const std::string store = "st.async.mmio.release.sys.global.b32",
                    sum = "red.async.mmio.release.sys.global.add.u32";
  EXPECT_EQ(refusal(store + " [%d1], %r2;"), says(store, why));
  EXPECT_EQ(refusal(sum + " [%d1], %r2;"), says(sum, why));
}

TEST(Refused, RegistersThatCannotChangeHandsNameTheLine) {
  const std::string more = "setmaxnreg.inc.sync.aligned.u32", fewer = "setmaxnreg.dec.sync.aligned.u32",
                    why = "the number of registers must be a multiple of 8 from 24 to 256";
  for (const char *registers : {"16", "20", "28", "260", "264"}) {
    EXPECT_EQ(refusal(more + " " + registers + ";"), says(more, why)) << registers;
    EXPECT_EQ(refusal(fewer + " " + registers + ";"), says(fewer, why)) << registers;
  }
  for (const char *registers : {"24", "40", "232", "256"})
    EXPECT_EQ(run(kernel(more + " " + registers + ";")).result.status, Status::completed) << registers;
}

TEST(Refused, ReductionsAndOtherTilesOfBulkCopiesNameTheLine) {
  const std::string why =
      "of the bulk copies, only those of one dimension and of tiles of tensors are simulated, without "
      "reductions";
  const std::string columns =
      "cp.async.bulk.tensor.3d.shared::cta.global.im2col.mbarrier::complete_tx::bytes";
  EXPECT_EQ(refusal(columns + " [%r1], [%d1, {%r2, %r2, %r2}], [%r3], {%h1};"), says(columns, why));
  const std::string sum = "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32";
  EXPECT_EQ(refusal(sum + " [%d1], [%r1], 16;"), says(sum, why));
}

std::string call_of(const std::string &function) {
  return "{ .param .b64 param0; st.param.b64 [param0], %d1; .param .b64 retval0;\ncall.uni (retval0), " +
         function + ", (param0);\n}";
}
std::string prototype(const std::string &function) {
  return ".extern .func (.param .b64 result) " + function + " (.param .b64 argument);\n";
}

TEST(Refused, KernelsThatStartKernelsNameTheLine) {
  EXPECT_EQ(
      refusal(call_of("__cudaCDP2LaunchDeviceV2"), prototype("__cudaCDP2LaunchDeviceV2")),
      "k.cu:7: error: unsupported call to __cudaCDP2LaunchDeviceV2() in device code: a kernel cannot start "
      "other kernels when it is graded");
}

TEST(Refused, UnknownInlinePtxNamesTheLine) {
  EXPECT_EQ(refusal("frobnicate.f32 %f1, %f2;"),
            "k.cu:7: error: unsupported PTX instruction frobnicate.f32 (PTX line 11)");
}

TEST(Refused, UnreachedInstructionsDoNotMatter) {
  const auto got =
      run(kernel("setp.ne.u32 %p1, %tid, %tid; @%p1 frobnicate.f32 %f1, %f2; st.global.u32 [%out], 5;"));
  EXPECT_EQ(got.result.status, Status::completed);
  EXPECT_EQ(got.word(3), 5u);
}

// mbarrier: the barriers in memory of cuda::barrier and cuda::pipeline.

const std::string barrier = ".shared .align 8 .b8 bar[8];\n.shared .align 4 .b8 As[256];\n";
/// Thread 0 initialises a barrier for some arrivals; all arrive, and wait.
std::string all_meet(int count, const std::string &between = "") {
  return "setp.eq.u32 %p1, %tid, 0; mov.u32 %r1, bar; @%p1 mbarrier.init.shared.b64 [%r1], " +
         std::to_string(count) +
         "; bar.sync 0;\nmov.u32 %r9, As; shl.b32 %r8, %tid, 2; add.u32 %r10, %r9, %r8; xor.b32 %r11, %r8, "
         "128; "
         "add.u32 %r11, %r9, %r11;\n.loc 1 3 1\nst.shared.u32 [%r10], %tid;\n" +
         between +
         "mbarrier.arrive.shared.b64 %d1, [%r1];\n.loc 1 5 1\n"
         "AGAIN: mbarrier.test_wait.shared.b64 %p2, [%r1], %d1; @!%p2 bra AGAIN;\n.loc 1 6 1\n";
}

TEST(Mbarrier, ArrivalAndWaitOrderSharedMemoryBetweenWarps) {
  const auto got =
      run(kernel(all_meet(64) + "ld.shared.u32 %r2, [%r11]; st.global.u32 [%out], %r2;", barrier), {}, 64);
  EXPECT_EQ(last(got.result), "completed");
  EXPECT_EQ(got.word(5), 37u);  // 5 ^ 32
}

TEST(Mbarrier, AThreadThatDoesNotWaitRaces) {
  const auto got =
      run(kernel(all_meet(64, "ld.shared.u32 %r2, [%r11];\n"), barrier) + ".file 1 \"k.cu\"\n", {}, 64);
  EXPECT_TRUE(std::any_of(got.result.diagnostics.begin(), got.result.diagnostics.end(),
                          [](const Diagnostic &one) { return one.code == Code::race; }));
}

TEST(Mbarrier, AWaitThatNeverEndsIsADeadlock) {
  const auto got = run(kernel(all_meet(65), barrier) + ".file 1 \"k.cu\"\n", {}, 64);
  EXPECT_EQ(got.result.status, Status::fault);
  ASSERT_FALSE(got.result.diagnostics.empty());
  EXPECT_EQ(got.result.diagnostics.back().code, Code::deadlock);
  EXPECT_NE(last(got.result)
                .find("k.cu:5: error: the thread waits at an mbarrier for arrivals that never come: 1 of "
                      "65 are missing"),
            std::string::npos)
      << last(got.result);
}

TEST(Mbarrier, MoreArrivalsThanExpectedAreAnError) {
  const auto got = run(kernel(all_meet(40, "mbarrier.arrive.shared.b64 _, [%r1], 41;\n"), barrier), {}, 64);
  ASSERT_FALSE(got.result.diagnostics.empty());
  EXPECT_EQ(got.result.diagnostics.back().code, Code::barrier_divergence);
  EXPECT_EQ(got.result.diagnostics.back().message,
            "more threads arrive at an mbarrier than it was initialized for: 40 are missing, 41 arrive");
}

TEST(Mbarrier, ACopyArrivesWithThePhaseOfItsBarrier) {
  const std::string copy =
      "cp.async.ca.shared.global [%r10], [%in], 4; cp.async.mbarrier.arrive.shared.b64 [%r1];\n";
  const std::string body =
      all_meet(64, "bar.sync 0;\n" + copy) + "ld.shared.u32 %r2, [%r11]; st.global.u32 [%out], %r2;";
  std::vector<std::uint64_t> in(256);
  for (std::size_t thread = 0; thread < 64; ++thread) in[4 * thread] = 1000 + thread;
  const auto got = run(kernel(body, barrier), in, 64);
  EXPECT_EQ(last(got.result), "completed");
  EXPECT_EQ(got.word(5), 1037u);
}

TEST(AsyncCopies, ALoopThatNeverWaitsTakesNoMemoryOfTheHost) {
  const std::string body =
      "mov.u32 %r9, As; shl.b32 %r8, %tid, 2; add.u32 %r10, %r9, %r8; mov.u32 %r1, 0;\n"
      "AGAIN: cp.async.ca.shared.global [%r10], [%in], 4; cp.async.commit_group; add.u32 %r1, %r1, 1; "
      "setp.lt.u32 %p1, %r1, 3000; @%p1 bra AGAIN;\ncp.async.wait_all; ld.shared.u32 %r2, [%r10]; "
      "st.global.u32 [%out], %r2;";
  std::vector<std::uint64_t> in(128);
  in[4 * 9] = 77;
  const auto got = run(kernel(body, barrier), in);
  EXPECT_EQ(got.result.status, Status::completed);
  EXPECT_EQ(got.word(9), 77u);
}

}  // namespace
}  // namespace warpgrade::simt
