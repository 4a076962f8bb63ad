// The words for launchers that do what a plan cannot hold (launchers/refused.cu and its neighbours).
#include <gtest/gtest.h>

#include <fstream>

#include "studio.hpp"

namespace warpgrade::record {
namespace {

using Outcome = Recording::Outcome;

/// The line of a launcher's file that holds this text.
int line_of(const std::string &file, const std::string &text) {
  std::ifstream in(std::filesystem::path(WARPGRADE_LAUNCHERS) / file);
  int number = 0;
  for (std::string line; std::getline(in, line);)
    if (++number; line.find(text) != std::string::npos) return number;
  return 0;
}

struct Case {
  int M;
  const char *words;
};
void PrintTo(const Case &one, std::ostream *to) {
  *to << "M = " << one.M;
}
const std::string said = "the launcher may not do this: \"";
class Refused : public testing::TestWithParam<Case> {};

TEST_P(Refused, IsABadPlanThatNamesTheCallAndTheRule) {
  const tests::Studio studio("refused.cu");
  const Recording recording = studio.record(GetParam().M);
  EXPECT_EQ(recording.outcome, Outcome::bad_plan);
  // What our library says in the student's process comes as that process's words.
  const std::string words = GetParam().words;
  EXPECT_EQ(recording.message, words.starts_with("cuda") ? said + words + '"' : words);
  EXPECT_TRUE(recording.plan.operations.empty());
}

constexpr const char *reads =
    ": reads results back to the host; a launcher may only start work, so what it launches cannot depend on "
    "results";
const std::string memcpy_reads = std::string("cudaMemcpy") + reads,
                  symbol_reads = std::string("cudaMemcpyFromSymbol") + reads;

INSTANTIATE_TEST_SUITE_P(
    Launcher, Refused,
    testing::Values(
        Case{1, memcpy_reads.c_str()}, Case{2, memcpy_reads.c_str()}, Case{3, symbol_reads.c_str()},
        Case{4,
             "cudaGraphCreate: a plan cannot hold graphs or captured streams; launch the kernels directly"},
        Case{5,
             "cudaLaunchCooperativeKernel: a plan cannot hold cooperative launches: blocks may not wait for "
             "each other"},
        Case{6,
             "cudaMallocManaged: managed memory is shared with the host; a launcher may only start work, so "
             "use cudaMalloc"},
        Case{7, "cudaDeviceReset: it would free the memory of the caller"},
        Case{8, "cudaLaunchHostFunc: host functions cannot be part of a plan"},
        Case{9, "cudaFree: C was not allocated by the launcher"},
        Case{10, "cudaFree: scratch 1 was already freed"},
        Case{11, "cudaMemset: writes 64 bytes at C + 4 bytes, but C has 64"},
        Case{12,
             "cudaMemcpy: copies host to device, but its source is A: A, B and C are already on the device; "
             "pass "
             "them to the kernel as they are, without cudaMalloc and without copies"},
        Case{13, "the launcher reads or writes device memory (A) on the host; only a kernel may do that"},
        Case{14, "cudaLaunchKernel: the function it launches is not a __global__ function"},
        Case{15, "the launcher makes more than 1000 launches"},
        Case{17, "the plan is longer than 33554432 bytes, uploads included"}, Case{18, memcpy_reads.c_str()},
        Case{19,
             "cudaStreamBeginCapture: a plan cannot hold graphs or captured streams; launch the kernels "
             "directly"},
        Case{20, "the launches have more than 17179869184 threads together"},
        Case{21, "cudaMalloc: the launcher uses more than 1000 allocations and variables"},
        Case{22, "cudaMemcpy2D: writes 1596 bytes at C, but C has 64"},  // 199 * 8 + 4
        Case{23, "cudaMemcpy: copies device to host, but its source is host memory"},
        Case{24,
             "cudaMemcpy: copies a device pointer (A + 4 bytes) as data; pass pointers as "
             "arguments of the "
             "kernel"},
        Case{25,
             "cudaMemcpyToSymbol: copies a device pointer (C) as data; pass pointers as "
             "arguments of the "
             "kernel"},
        Case{26, "the launcher reads or writes device memory (B) on the host; only a kernel may do that"}),
    [](const auto &one) { return "M" + std::to_string(one.param.M); });

TEST(RefusedCall, IsKnownByItsLine) {
  const tests::Studio studio("refused.cu");
  const auto line = [&](int M) {
    const Recording recording = studio.record(M);
    EXPECT_EQ(recording.outcome, Outcome::bad_plan);
    return studio.recorder.line_of(recording.callers);
  };
  EXPECT_EQ(line(3), line_of("refused.cu", "cudaMemcpyFromSymbol(host, variable, 4)"));
  EXPECT_EQ(line(7), line_of("refused.cu", "cudaDeviceReset()"));
  EXPECT_EQ(line(11), line_of("refused.cu", "cudaMemset(C + 1, 0, 64)"));
  EXPECT_EQ(line(13), line_of("refused.cu", "host[0] = A[1]")) << "the host's own access";
  EXPECT_EQ(line(14), line_of("refused.cu", "cudaLaunchKernel(reinterpret_cast"));
  EXPECT_EQ(line(24), line_of("refused.cu", "cudaMemcpy(scratch, &described")) << "with an allocation before";
}

TEST(RefusedCall, KnowsTheLinesOfTheAllocationsBeforeIt) {
  const tests::Studio studio("refused.cu");
  const Recording recording = studio.record(24);
  ASSERT_EQ(recording.allocations.size(), 1u);
  EXPECT_EQ(recording.allocations[0].name, "scratch 1");
  EXPECT_EQ(recording.allocations[0].bytes, 16u);
  EXPECT_EQ(studio.recorder.line_of(recording.allocations[0].callers),
            line_of("refused.cu", "cudaMalloc(&scratch, sizeof described)"));
}

TEST(RefusedCall, AtAMadeUpAddressHasNoLine) {
  const tests::Studio studio("refused.cu");
  EXPECT_EQ(studio.recorder.line_of({}), 0);
  EXPECT_EQ(studio.recorder.line_of({0, 1, ~std::uint64_t{0}}), 0);
}

TEST(RefusedFlip, TwoRecordingsMustAgree) {
  const tests::Studio studio("refused.cu");
  const Recording recording = studio.record(16);
  EXPECT_EQ(recording.outcome, Outcome::bad_plan);
  EXPECT_EQ(recording.message.substr(0, 62), "two recordings of the same call differ at operation 2: launch ")
      << recording.message;
}

TEST(RefusedEarly, ALaunchInAConstructor) {
  const tests::Studio studio("ctor_launch.cu");
  const Recording recording = studio.record(1);
  EXPECT_EQ(recording.outcome, Outcome::bad_plan);
  EXPECT_EQ(recording.message,
            said +
                "a kernel launch: called before the launcher, in the constructor of a global object; only "
                "the launcher may use the device\"");
}

TEST(RefusedLate, LaunchesAndEndsAfterTheLauncherReturned) {
  Limits patient, hasty;
  patient.wall_seconds = 60;  // only what hangs may meet a deadline, however busy the machine is
  hasty.wall_seconds = 0.3;
  const tests::Studio studio("late.cu", patient), waiting("late.cu", hasty);
  for (const int M : {1, 2}) {  // atexit, the destructor of a global object
    const Recording recording = studio.record(M);
    EXPECT_EQ(recording.outcome, Outcome::bad_plan);
    EXPECT_EQ(recording.message,
              said +
                  "a kernel launch: called after the launcher returned; only the launcher may use the "
                  "device\"");
  }
  EXPECT_EQ(studio.record(3).outcome, Outcome::crashed);      // _exit in a destructor
  EXPECT_EQ(waiting.record(4).outcome, Outcome::time_limit);  // a destructor that waits
  EXPECT_EQ(studio.record(5).outcome, Outcome::plan);
}

}  // namespace
}  // namespace warpgrade::record
