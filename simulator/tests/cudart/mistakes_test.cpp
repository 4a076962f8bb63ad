// Wrong programs: what the report says about them.
#include "sandbox/sanitized.hpp"
#include "tests/cudart/simt_run.hpp"

namespace warpgrade::tests {
namespace {

std::string report_of(const std::string &name, int status = 1, const std::string &options = "") {
  const Ran ran = simt_run(options, "mistakes " + name);
  EXPECT_EQ(ran.status, status) << ran.err;
  return ran.err;
}

TEST(SimtRunReport, NamesLineThreadBufferAndArgumentOfAnAccessPastTheEnd) {
  EXPECT_CONTAINS(report_of("out_of_bounds"),
                  marked("mistakes.cu", "out_of_bounds") +
                      ": error: store of 4 bytes that starts at the end of allocation 1 (400 bytes): element "
                      "100, the last is 99, thread (4,0,0) of block (3,0,0) of past_the_end(float*, int)\n"
                      "  allocation 1 is argument 1 of the kernel\n");
}

TEST(SimtRunReport, GivesBothSidesOfARaceAndCountsLaunches) {
  const std::string report = report_of("race");
  EXPECT_CONTAINS(report, marked("mistakes.cu", "race_read") + ": error: read after write");
  EXPECT_CONTAINS(report, "at " + marked("mistakes.cu", "race_write") + " (96 times, in 3 launches)");
  // The second warp reads what the first wrote, and the first reads what the second has not written yet.
  EXPECT_CONTAINS(report, "simt: 3 launches of 1 kernel: ");
}

TEST(SimtRunReport, ChecksNoRacesOrUninitializedReadsOnRequest) {
  const std::string report = report_of("race", 0, "--no-race-check --no-init-check");
  EXPECT_CONTAINS(report, "no errors");
}

TEST(SimtRunReport, SaysWhereThreadsOfABlockWait) {
  EXPECT_CONTAINS(report_of("barrier"),
                  marked("mistakes.cu", "barrier") + ": error: threads of one block wait");
}

TEST(SimtRunReport, NamesTheReadOfUnwrittenMemory) {
  EXPECT_CONTAINS(report_of("uninitialized"), marked("mistakes.cu", "access") +
                                                  ": error: load of 4 bytes from allocation 1 that was never "
                                                  "written: element 0");
}

TEST(SimtRunReport, WarnsOfAResultOfWhichAPartWasNeverWritten) {
  // 16 of 32 ints
  EXPECT_CONTAINS(report_of("partial_result"),
                  "warning: cudaMemcpy: copies 128 bytes of allocation 1 to the host, of which 64 were never "
                  "written\n");
}

TEST(SimtRunReport, WarningsChangeTheExitStatusUnlessOnlyErrorsCount) {
  EXPECT_EQ(simt_run("", "mistakes partial_result").status, 1);
  EXPECT_EQ(simt_run("--errors-only", "mistakes partial_result").status, 0);
}

TEST(SimtRunReport, SaysWhatKeepsKernelsFromVirtualMemory) {
  const std::string no_access = simt_run("", "unmapped no_access").err,
                    unmapped = simt_run("", "unmapped unmapped").err,
                    beyond = simt_run("", "unmapped beyond").err;
  EXPECT_CONTAINS(no_access, "unmapped.cu:9: error: store of 4 bytes at address 0x");
  EXPECT_CONTAINS(no_access,
                  "is an address of cuMemAddressReserve that kernels cannot reach yet: call cuMemMap and "
                  "cuMemSetAccess for the whole range first\n");
  EXPECT_CONTAINS(unmapped, "unmapped.cu:9: error: store of 4 bytes in allocation 1, which was freed");
  EXPECT_CONTAINS(unmapped, "allocation 1 is argument 1 of the kernel, and was unmapped by cuMemUnmap\n");
  EXPECT_CONTAINS(beyond, "the end of allocation 1 (2097152 bytes)");
}

TEST(SimtRunReport, SaysThatAnArgumentIsAHostPointer) {
  const std::string report = report_of("host_pointer");
  EXPECT_CONTAINS(report, marked("mistakes.cu", "access") + ": error: load of 4 bytes");
  EXPECT_CONTAINS(report, "\n  argument 1 of the kernel, 0x");
  // The address sanitizer's heap is not a heap to the kernel.
  EXPECT_CONTAINS(
      report, sandbox::sanitized ? "is a host pointer" : "is a host pointer (it points to the host's heap)");
}

TEST(SimtRunReport, ReportsAHostPointerAlikeInEveryRun) {
  EXPECT_EQ(report_of("host_pointer"), report_of("host_pointer"));
}

TEST(SimtRunReport, ReportsUseAfterFree) {
  EXPECT_CONTAINS(
      report_of("use_after_free"),
      marked("mistakes.cu", "access") + ": error: load of 4 bytes in allocation 1, which was freed");
}

TEST(SimtRunReport, ListsMistakesOfTheHost) {
  const std::string report = report_of("copies");
  for (const char *mistake :
       {"error: cudaMemcpy: writes 72 bytes at allocation 1, up to 8 bytes past the end of its 64 bytes\n",
        "error: cudaMemcpy: the kind is cudaMemcpyDeviceToHost, but the destination is device memory\n",
        "error: cudaMemcpy: writes 64 bytes at allocation 1, which was freed\n",
        "error: cudaFree: allocation 1 was freed before\n",
        "is the host's stack, not the start of an allocation\n",
        "error: cudaFree: the pointer is allocation 1 + 4 bytes, not the start of an allocation\n"})
    EXPECT_CONTAINS(report, mistake);
  EXPECT_FALSE(contains(report, "cudaErrorInvalidValue")) << "each is explained already:\n" << report;
}

TEST(SimtRunReport, ExplainsACrashOfTheHostAtADevicePointer) {
  const Ran ran = simt_run("", "mistakes host_access");
  EXPECT_EQ(ran.status, 128 + SIGSEGV);
  EXPECT_EQ(ran.out, "about to read\n");
  EXPECT_CONTAINS(
      ran.err,
      "error: host code: the program itself reads or writes allocation 1 + 12 bytes, which is device "
      "memory: only kernels can; cudaMemcpy brings it to the host\n");
}

TEST(SimtRunReport, ExplainsACrashOfTheHostAtFreedManagedMemory) {
  EXPECT_CONTAINS(report_of("managed_after_free", 128 + SIGSEGV),
                  "managed allocation 1 + 4 bytes (managed memory), which was freed");
}

TEST(SimtRunReport, CallsAnImpossibleLaunchAnErrorEvenIfUnchecked) {
  EXPECT_CONTAINS(report_of("bad_launch"),
                  "error: a block of 2000 x 1 x 1 has 2000 threads; at most 1024 are possible, launching "
                  "copy(int const*, "
                  "int*)\n");
}

TEST(SimtRunReport, TellsLaunchesApartThatAreRefusedForDifferentReasons) {
  const std::string report = report_of("bad_launches");
  EXPECT_CONTAINS(report, "simt: 0 launches of 0 kernels: 2 errors\n");
  EXPECT_CONTAINS(report,
                  "error: a block of 1100 x 1 x 1 has 1100 threads; at most 1024 are possible, launching ");
  EXPECT_CONTAINS(report, " (3 times, in 3 launches)\n");
}

TEST(SimtRunReport, SaysWhenABlockNeedsMoreRegistersThanThereAre) {
  const Ran ran = simt_run("", "errors questions");
  EXPECT_CONTAINS(ran.err, "error: a block of 1024 threads with ");
  EXPECT_CONTAINS(ran.err, ", more than 65536, launching greedy(float*)\n");
}

TEST(SimtRunReport, RemarksOnLeaksWithoutCallingThemErrors) {
  EXPECT_CONTAINS(
      report_of("leak", 0),
      "info: cudaFree: never called for 2 allocations, 164 bytes in all: allocation 1 (64 bytes), "
      "allocation 2 (100 bytes)\n");
}

TEST(SimtRunReport, WarnsOfPrintedTextThatNeverAppeared) {
  const Ran ran = simt_run("", "mistakes printf_lost");
  EXPECT_EQ(ran.out, "");
  EXPECT_CONTAINS(ran.err,
                  "warning: printf: 11 bytes that kernels printed never appeared");  // "never seen\n"
}

TEST(SimtRunReport, SaysWhereALaunchWasThatDidNotEnd) {
  const Ran ran = simt_run("--limit 100000", "mistakes endless");
  EXPECT_EQ(ran.out, "cudaErrorLaunchTimeout\n");
  EXPECT_CONTAINS(ran.err, marked("mistakes.cu", "endless") +
                               ": error: the launch did not end within 100000 warp instructions");
}

TEST(SimtRunReport, NamesACallThatIsNotSupportedOnce) {
  const Ran ran = simt_run("", "mistakes peer");
  EXPECT_EQ(ran.out, "cudaErrorNotSupported\ncudaErrorNotSupported\n");
  const std::string sentence =
      "warning: cudaDeviceEnablePeerAccess: not supported by the simulator: there is one";
  EXPECT_CONTAINS(ran.err, sentence);
  EXPECT_EQ(ran.err.find("cudaDeviceEnablePeerAccess"), ran.err.rfind("cudaDeviceEnablePeerAccess"))
      << ran.err;
  EXPECT_EQ(ran.status, 1);
}

TEST(SimtRunReport, SaysWhichBlocksWaitForABlockThatNeverReachesTheGridBarrier) {
  const Ran ran = simt_run("", "mistakes grid_sync");
  EXPECT_EQ(ran.out, "cudaSuccess\ncudaErrorLaunchTimeout\n");
  EXPECT_CONTAINS(ran.err, marked("mistakes.cu", "grid_sync") +
                               ": error: the block waits for other blocks of the grid that never come");
}

TEST(SimtRunReport, SaysHowAKernelWithAGridBarrierIsLaunched) {
  EXPECT_CONTAINS(
      simt_run("", "mistakes grid_sync_alone").err,
      marked("mistakes.cu", "grid_sync") + ": error: grid.sync() in a launch that is not cooperative");
}

TEST(SimtRunReport, ChecksMemoryOfTheDeviceHeapLikeAllOther) {
  const std::string memory = "memory from malloc() or new of ";
  EXPECT_CONTAINS(simt_run("", "mistakes double_delete").err,
                  marked("mistakes.cu", "double_delete") + ": error: free() or delete of " + memory);
  EXPECT_CONTAINS(simt_run("", "mistakes after_free").err,
                  marked("mistakes.cu", "after_free") + ": error: load of 4 bytes in " + memory);
  EXPECT_CONTAINS(
      simt_run("", "mistakes past_new").err,
      marked("mistakes.cu", "past_new") + ": error: store of 4 bytes that starts at the end of " + memory);
}

TEST(SimtRunReport, NamesTexturesThatWereDestroyedAndWritesOutsideOfSurfaces) {
  EXPECT_CONTAINS(simt_run("", "mistakes destroyed_texture").err,
                  marked("mistakes.cu", "destroyed_texture") + ": error: 0x1 is not a texture object");
  EXPECT_CONTAINS(simt_run("", "mistakes surface").err,
                  marked("mistakes.cu", "surface") + ": error: surface write of 4 bytes at byte 32 of row 0");
}

}  // namespace
}  // namespace warpgrade::tests
