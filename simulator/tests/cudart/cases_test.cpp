// Programs that each show one fault of the host, or one end of a program: programs/cases.

#include <csignal>

#include "tests/cudart/simt_run.hpp"

namespace warpgrade::tests {
namespace {

std::string in_case(const std::string &name) {
  return "cases/" + name;
}

/// Starts `simt run` on a program that waits for ever, does `then` with its process id $p, and gives what the
/// run wrote.
Ran while_it_waits(const std::string &then,
                   const std::string &program = std::string(WARPGRADE_PROGRAMS) + "/cases/killed_in_launch") {
  return shell("{ " + std::string(WARPGRADE_SIMT) + " run " + program + " & p=$!; sleep 1; " + then + "; }");
}

TEST(EndOfRun, AKilledRunLeavesNoProcess) {
  const Folder folder;  // other tests run the program at the same time
  const std::filesystem::path own = folder / "killed_in_launch";
  std::filesystem::copy_file(std::string(WARPGRADE_PROGRAMS) + "/cases/killed_in_launch", own);
  // The program's own path is in its command line; simt's has "run" before it.
  const Ran ran =
      while_it_waits("kill -9 $p; sleep 1; pgrep -f '^" + own.string() + "' || echo none", own.string());
  EXPECT_CONTAINS(ran.out, "none\n");
}

TEST(EndOfRun, ATerminatedLaunchNamesItsKernelLineAndWord) {
  const Ran ran = while_it_waits("kill -TERM $p; wait $p");
  EXPECT_EQ(ran.status, 128 + SIGTERM);
  EXPECT_CONTAINS(ran.err, "killed_in_launch.cu:");
  EXPECT_CONTAINS(ran.err, ": error: the kernel was still running when the program was ended");
  EXPECT_CONTAINS(ran.err,
                  "the thread reads element 0 of allocation 1, which is 0; this launch has not written it");
  EXPECT_CONTAINS(ran.err, "1 warp is in killed_in_launch.cu:");
  EXPECT_CONTAINS(ran.err, "s when signal 15 came");
  EXPECT_CONTAINS(ran.err, "wait_for_host(int volatile*, int*)");
  EXPECT_FALSE(contains(ran.err, "no errors")) << ran.err;
}

TEST(EndOfRun, ATimeoutNamesTheKernelThoughItSendsItsSignalTwice) {
  const Ran ran = shell("timeout 1 " + std::string(WARPGRADE_SIMT) + " run " + WARPGRADE_PROGRAMS +
                        "/cases/killed_in_launch");
  EXPECT_CONTAINS(ran.err, ": error: the kernel was still running when the program was ended");
  EXPECT_CONTAINS(ran.err, "1 warp is in killed_in_launch.cu:");
}

#ifdef WARPGRADE_DRAWS_PAGES  // the simulator alone does not
TEST(EndOfRun, APageToGoThroughTheFirstMistakeIsWritten) {
  const Folder folder;
  const std::filesystem::path page = folder / "page.html";
  const Ran ran = simt_run("--debug " + page.string(), in_case("atomic_exch_first"));
  EXPECT_EQ(ran.status, 0) << ran.err;
  const std::string written = read_text(page);
  EXPECT_CONTAINS(written, "atomic_exch_first.cu");
  EXPECT_CONTAINS(written, "No mistake was found; this is the first warp of the first kernel.");
}
#endif

TEST(Library, AFenceThatIsMissingInItsOwnKernelIsARemark) {
  const Ran ran = simt_run("", in_case("thrust_unique"));
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_CONTAINS(ran.out, "19900");
  EXPECT_CONTAINS(ran.err, "no errors, 1 remark");
  EXPECT_CONTAINS(
      ran.err,
      ": both accesses are in the library's own kernel, which lacks a fence, unless ranges that were "
      "passed to it overlap");
}

TEST(EndOfRun, AHostThatCorruptsItsHeapHasAnError) {
  const Ran ran = simt_run("", in_case("host_heap_abort"));
  // The C library notices it and aborts, or runs into it, by what lies behind the block that is overrun.
  EXPECT_TRUE(ran.status == 128 + SIGABRT || ran.status == 128 + SIGSEGV) << ran.status;
  EXPECT_CONTAINS(ran.err, "error: host code: the program itself ended with signal");
  EXPECT_FALSE(contains(ran.err, "no errors")) << ran.err;
}

TEST(HostMistake, TwoAllocationsOfOneLaunchAreTwoFindings) {
  const Ran ran = simt_run("", in_case("one_launch_counted_twice"));
  EXPECT_CONTAINS(ran.err, "the end of allocation 1 (400 bytes)");
  EXPECT_CONTAINS(ran.err, "(28 times)");  // of 128 threads, those from 100 on
  EXPECT_CONTAINS(ran.err, "the end of allocation 2 (480 bytes)");
  EXPECT_CONTAINS(ran.err, "(8 times)");  // those from 120 on
  EXPECT_FALSE(contains(ran.err, "2 launches")) << ran.err;
}

TEST(HostMistake, ACounterThatOnlyAtomicsWriteIsReadTooEarly) {
  EXPECT_CONTAINS(simt_run("", in_case("managed_counter_nosync")).err,
                  "error: host code: the program itself reads or writes managed allocation 1");
}

TEST(HostMistake, MemoryOfAPoolIsFreedInFlight) {
  const Ran by_host = simt_run("", in_case("pool_cudafree_in_flight"));
  EXPECT_EQ(by_host.status, 1);
  EXPECT_CONTAINS(by_host.err, "error: cudaFree: frees allocation 1 while ramp(int*) in stream");
  const Ran elsewhere = simt_run("", in_case("pool_free_other_stream"));
  EXPECT_EQ(elsewhere.status, 1);
  EXPECT_CONTAINS(elsewhere.err, "error: cudaFreeAsync: frees allocation 1 in stream");
}

TEST(HostMistake, AHostFunctionMustNotCallCuda) {
  const Ran ran = simt_run("", in_case("hostfunc_calls_cuda"));
  EXPECT_CONTAINS(ran.out, "inside: cudaErrorNotPermitted, got -1\n");
  EXPECT_CONTAINS(ran.err, "error: cudaMemcpy: is called in a function that a stream runs");
}

TEST(HostMistake, AnUncheckedFailedLaunchIsAnError) {
  const Ran ran = simt_run("", in_case("unknown_kernel_launch"));
  EXPECT_EQ(ran.status, 1);
  EXPECT_CONTAINS(ran.err, "error: cudaLaunchKernel: returned cudaErrorInvalidResourceHandle");
  EXPECT_CONTAINS(ran.err, "and the program ended without a call of cudaGetLastError");
}

TEST(EndOfRun, AWaitThatNothingCanEndIsAnError) {
  const Ran ran = simt_run("", in_case("endless_poll"));
  EXPECT_EQ(ran.out, "cudaErrorLaunchTimeout\n") << ran.err;
  EXPECT_CONTAINS(ran.err, "endless_poll.cu:6: error: the kernel waits for ever");
  EXPECT_CONTAINS(ran.err, "2 warps are in endless_poll.cu:6");
}

TEST(Options, ChooseTheDeviceThatTheProgramSees) {
  EXPECT_EQ(simt_run("", in_case("says_its_device")).out,
            "Warpgrade simulated GPU, 9.0, 8 multiprocessors of 2048 threads, 2 blocks of 1024\n");
  EXPECT_EQ(simt_run("--multiprocessors 3", in_case("says_its_device")).out,
            "Warpgrade simulated GPU, 9.0, 3 multiprocessors of 2048 threads, 2 blocks of 1024\n");
  EXPECT_EQ(simt_run("--gpu nvidia-l4", in_case("says_its_device")).out,
            "NVIDIA L4, 8.9, 58 multiprocessors of 1536 threads, 1 blocks of 1024\n");
  const Ran unknown = simt_run("--gpu nvidia-l5", in_case("says_its_device"));
  EXPECT_EQ(unknown.status, 2);
  EXPECT_CONTAINS(unknown.err, "no GPU is called nvidia-l5; known are nvidia-a10, ");
}

TEST(RightProgram, MatchesAGpu) {
  const std::pair<const char *, const char *> programs[] = {
      {"atomic_exch_first", "7\n"},       {"shared_unset_moved", "25 6511\n"},
      {"shfl_unused_lane", "120\n"},      {"poll_between_blocks", "96 of 96 settled\n"},
      {"ptx_float_literal", "100 103\n"}, {"sum_of_byte_differences", "22\n"},
      {"sum_of_pair_differences", "21\n"}};
  for (const auto &[name, out] : programs) {
    const Ran ran = simt_run("", in_case(name));
    EXPECT_EQ(ran.out, out) << ran.err;
    EXPECT_EQ(ran.status, 0) << ran.err;
  }
}

}  // namespace
}  // namespace warpgrade::tests
