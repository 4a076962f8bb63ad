// Launchers that attack (launchers/hostile.cu): each costs a verdict, the next call works, and no process is
// left.
#include <gtest/gtest.h>

#include "studio.hpp"

namespace warpgrade::record {
namespace {

using Outcome = Recording::Outcome;

struct Case {
  int M;
  Outcome outcome;
  const char *words;
};
void PrintTo(const Case &attack, std::ostream *to) {
  *to << "M = " << attack.M;
}
constexpr const char
    *hung = "the launcher did not return within 0.4 s",
    *lost = "the plan did not arrive: the launcher closed or replaced descriptors that it did not open";
constexpr int harmless = 1000;  // a value of M that hostile.cu does not know: only the launch

// Once in the best sandbox there is, once with nothing but the worker's own filter and limits.
class Hostile : public testing::TestWithParam<std::tuple<bool, Case>> {};

TEST_P(Hostile, CostsAVerdictAndNothingElse) {
  const auto &[contained, attack] = GetParam();
  Limits limits;
  // Those that hang meet the deadline on any machine; no other one comes near it, however busy the machine
  // is.
  limits.wall_seconds = attack.words == std::string(hung) ? 0.4 : 60;
  limits.cpu_seconds = 120;
  limits.memory_bytes = 256 << 20;
  const tests::Studio studio("hostile.cu", limits,
                             contained ? sandbox::Sandbox::detect() : sandbox::Sandbox::none());
  const Recording recording = studio.record(attack.M);
  EXPECT_EQ(recording.outcome, attack.outcome) << recording.message;
  EXPECT_EQ(recording.message, attack.words);
  EXPECT_LE(recording.printed.size(), limits.output_bytes);
  EXPECT_EQ(tests::workers_alive(), 0);

  const Recording next = studio.record(harmless);
  EXPECT_EQ(next.outcome, Outcome::plan) << next.message;
  EXPECT_EQ(studio.operations(next), "launch kernel(float*) <<<(1, 1, 1), (32, 1, 1)>>> with C\n");
  EXPECT_EQ(next.printed, "");
}

const Case attacks[] = {
    {1, Outcome::crashed, "the launcher ended its process with exit status 0 instead of returning"},  // exit
    {2, Outcome::crashed, "the launcher ended its process with exit status 0 instead of returning"},  // _exit
    {3, Outcome::crashed,
     "the host code of this step crashed with SIGABRT (abort, a failed assertion or a corrupted heap)"},
    {4, Outcome::crashed, "the launcher threw an exception: \"no 'score' for you\""},
    {5, Outcome::crashed, "the launcher threw an exception: \"something of type int\""},
    {6, Outcome::time_limit, hung},                                    // an endless loop
    {7, Outcome::time_limit, hung},                                    // an endless wait
    {8, Outcome::time_limit, hung},                                    // a fork bomb
    {9, Outcome::time_limit, hung},                                    // an endless flood of output
    {10, Outcome::plan, ""},                                           // a finite one
    {11, Outcome::bad_plan, "the plan continues after its end mark"},  // garbage on every descriptor
    {12, Outcome::crashed,
     "the launcher threw an exception: \"std::bad_alloc\" (it may use 256 MiB of memory)"},
    {13, Outcome::crashed,
     "the host code of this step crashed with SIGSEGV (a null pointer is read or written)"},  // of malloc
    {14, Outcome::crashed,
     "the host code of this step crashed with SIGSEGV (a null pointer is read or written)"},
    {15, Outcome::crashed, "the host code of this step crashed with SIGFPE (integer division by zero)"},
    {16, Outcome::crashed, "the host code of this step crashed with SIGTERM"},
    {17, Outcome::crashed, "the host code of this step crashed with SIGKILL"},
    {18, Outcome::time_limit, hung},  // stops itself
    {19, Outcome::crashed, "the host code of this step crashed with SIGINT"},
    {20, Outcome::bad_plan, lost},  // closes every descriptor
    {21, Outcome::plan, ""},        // tries every system call that could leave the process: none succeeds
    {22, Outcome::crashed,
     "the host code of this step crashed with SIGSEGV (invalid memory access)"},             // recursion
    {23, Outcome::crashed, "the launcher threw an exception: \"Operation not permitted\""},  // a thread
    {24, Outcome::time_limit, hung},  // ignores every signal
    {25, Outcome::crashed,
     "the launcher ended its process with exit status 0 instead of returning"},  // quick_exit
    {26, Outcome::crashed,
     "the launcher ended its process with exit status 3 instead of returning"},  // exec fails
    {27, Outcome::time_limit, hung},                                             // closes the plan and waits
    {28, Outcome::bad_plan, lost},    // puts another descriptor in the plan's place
    {29, Outcome::time_limit, hung},  // catches the fault of a device access, for ever
    {30, Outcome::crashed, "the host code of this step crashed with SIGILL (illegal instruction)"},
    {31, Outcome::plan, ""},  // bytes that are not text
    {32, Outcome::crashed, "the host code of this step crashed with SIGILL (illegal instruction)"},
    {33, Outcome::bad_plan, "the device code has no such kernel"},  // a forged plan
    {34, Outcome::plan, ""},  // a forged empty plan: the same as doing nothing
    {35, Outcome::bad_plan, "the plan is longer than 33554432 bytes, uploads included"},
};

INSTANTIATE_TEST_SUITE_P(Attack, Hostile, testing::Combine(testing::Bool(), testing::ValuesIn(attacks)),
                         [](const auto &one) {
                           return "M" + std::to_string(std::get<1>(one.param).M) +
                                  (std::get<0>(one.param) ? "" : "_without_bubblewrap");
                         });

TEST(HostileOutput, IsShownUnchangedAndCut) {
  const tests::Studio studio("hostile.cu");
  EXPECT_EQ(studio.record(31).printed, "\x1b[2J\xff\xfe no newline");
  const Recording flood = studio.record(10);
  EXPECT_EQ(flood.printed.size(), 65536u);
  EXPECT_TRUE(flood.printed_more);
  EXPECT_EQ(studio.record(21).printed, "");  // "... succeeded" is what it would print
}

TEST(HostileConstructor, EndsTheWorkerBeforeTheCall) {
  const tests::Studio studio("ctor_exit.cu");
  const Recording recording = studio.record(1);
  EXPECT_EQ(recording.outcome, Outcome::crashed);
  EXPECT_EQ(recording.message,
            "the process ended with exit status 0 before the launcher was called (in the constructor of a "
            "global object)");
}

TEST(HostileMany, ManyParallelRecordersStaySeparate) {
  const tests::Studio one("hostile.cu"), two("honest.cu"), three("hostile.cu");
  EXPECT_EQ(one.record(17).outcome, Outcome::crashed);
  EXPECT_EQ(two.record(1).outcome, Outcome::plan);
  EXPECT_EQ(three.record(21).outcome, Outcome::plan);
  EXPECT_EQ(one.record(harmless).outcome, Outcome::plan);
}

}  // namespace
}  // namespace warpgrade::record
