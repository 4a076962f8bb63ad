// Right programs, and what can be seen of a run from outside.
#include <nlohmann/json.hpp>

#include "sandbox/sanitized.hpp"
#include "tests/cudart/simt_run.hpp"

namespace warpgrade::tests {
namespace {

class CorrectProgram : public testing::TestWithParam<const char *> {};

TEST_P(CorrectProgram, GivesTheRightAnswerWithoutErrors) {
  const Ran ran = simt_run("", std::string("correct ") + GetParam());
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_CONTAINS(ran.err, ": no errors");
  EXPECT_FALSE(contains(ran.err, "warning")) << ran.err;
}

INSTANTIATE_TEST_SUITE_P(SimtRun, CorrectProgram,
                         testing::Values("vector_add", "launch_calls", "reductions", "transposition",
                                         "histogram", "symbols", "managed_and_pinned", "streams_and_events",
                                         "two_and_three_dimensions", "printing", "function_pointers",
                                         "device_questions", "reset"),
                         [](const auto &one) { return std::string(one.param); });

TEST(SimtRun, RunsALibraryThatWasNotWrittenForIt) {
  const Ran ran = simt_run("", "library");
  EXPECT_EQ(ran.out, "sorted\n");
  EXPECT_EQ(ran.status, 0) << ran.err;
}

TEST(SimtRun, KeepsVariablesAndKernelsOfTwoFilesApartThatHaveTheSameName) {
  const Ran ran = simt_run("", "two_files");
  EXPECT_EQ(ran.status, 0) << ran.err;
}

TEST(SimtRun, RunsFilesThatWereCompiledSeparately) {
  const Ran ran = simt_run("", "separate");
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_CONTAINS(simt_run("", "separate wrong").err,
                  marked("separate.cu", "out_of_range") + ": error: store");
}

TEST(SimtRun, TakesProgramsOfThePerThreadDefaultStream) {
  const Ran ran = simt_run("", "per_thread");
  EXPECT_EQ(ran.status, 0) << ran.err;
}

TEST(SimtRun, TakesProgramsOfCuda12) {
  const Ran ran = simt_run("", "twelve");
  EXPECT_EQ(ran.status, 0) << ran.err;
}

#if !defined(WARPGRADE_SANITIZED)  // the address sanitizer brings an operator new of its own
TEST(SimtRun, SharesNoMemoryWithTheOperatorNewOfTheProgram) {
  const Ran ran = simt_run("", "own_new");
  EXPECT_EQ(ran.status, 1) << ran.err;
  EXPECT_CONTAINS(ran.err,
                  marked("own_new.cu", "past_the_end") + ": error: store of 4 bytes that starts at the end");
}
#endif

TEST(SimtRun, TakesProgramsWithManyHostThreads) {
  const Ran ran = simt_run("", "correct many_threads");
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_CONTAINS(ran.err, "simt: 40 launches of 1 kernel: no errors");  // 4 threads, 10 launches each
}

TEST(SimtRun, LeavesStandardOutputToTheProgramAndPrintsForKernelsWhereItWaits) {
  const Ran ran = simt_run("", "correct printing");
  EXPECT_EQ(ran.out, "before\nbetween\nthread 0 of block: 0.0\nthread 1 of block: 0.5\nafter\n");
}

TEST(SimtRun, ReportsTheSameWithAnyNumberOfThreads) {
  const Ran one = simt_run("--threads 1 --counters", "mistakes race");
  const Ran four = simt_run("--threads 4 --counters", "mistakes race");
  EXPECT_EQ(one.err, four.err);
  EXPECT_EQ(one.status, four.status);
}

TEST(SimtRun, CallsElapsedTimesMeaningless) {
  const Ran ran = simt_run("", "correct streams_and_events");
  EXPECT_CONTAINS(ran.err, "elapsed times mean nothing here");
  EXPECT_FALSE(contains(simt_run("", "correct vector_add").err, "elapsed"));
}

TEST(SimtRun, KeepsTheProgramsOwnExitStatusInTheJson) {
  const Folder folder;
  const std::string file = (folder / "run.json").string();
  const Ran ran = simt_run("--json " + file, "mistakes race");
  EXPECT_EQ(ran.status, 1);
  EXPECT_EQ(nlohmann::json::parse(read_text(file)).at("exit_status"), 0);
}

TEST(SimtRun, CountsSectorsAndFlopsByLine) {
  // 1000 floats a warp at a time: 31 full requests of 4 sectors and one of 8 floats, 1 sector, for each of
  // two inputs and the output.
  const Folder folder;
  const std::string file = (folder / "run.json").string();
  const Ran ran = simt_run("--counters --json " + file, "correct vector_add");
  EXPECT_CONTAINS(ran.err, "add(float const*, float const*, float*, int): 1 launch, 1024 threads");
  const auto json = nlohmann::json::parse(read_text(file));
  EXPECT_EQ(json.at("schema"), "warpgrade.simt/1");
  EXPECT_EQ(json.at("exit_status"), 0);
  const auto &kernel = json.at("kernels").at(0);
  EXPECT_EQ(kernel.at("global_load").at("requests"), 2 * 32);
  EXPECT_EQ(kernel.at("global_load").at("sectors"), 2 * (31 * 4 + 1));
  EXPECT_EQ(kernel.at("global_store").at("sectors"), 31 * 4 + 1);
  EXPECT_EQ(kernel.at("fp32_add"), 1000);
}

TEST(SimtRun, EndsAsTheProgramDoes) {
  EXPECT_EQ(simt_run("", "mistakes exits_with_7").status, 7);
  EXPECT_EQ(simt_run("", "mistakes exits_with_7_after_a_race").status, 7);
  EXPECT_EQ(simt_run("", "mistakes aborts").status, 128 + SIGABRT);
  EXPECT_EQ(simt_run("", "mistakes null_pointer").status, 128 + SIGSEGV);
  EXPECT_EQ(simt_run("", "mistakes killed").status, 128 + SIGKILL);
}

TEST(SimtRun, ReportsWhatItFoundHoweverTheProgramEnds) {
  for (const char *end : {"exits_with_7_after_a_race", "aborts", "null_pointer", "killed"}) {
    const Ran ran = simt_run("", std::string("mistakes ") + end);
    EXPECT_CONTAINS(ran.err, marked("mistakes.cu", "race_read") + ": error: read after write");
  }
}

TEST(SimtRun, ExplainsWhatItCannotRunAndHowToBuildItInstead) {
  const auto refusal = [](const std::string &program) {
    const Ran ran = simt_run("", program);
    EXPECT_EQ(ran.status, 2);
    EXPECT_EQ(ran.out, "");
    return ran.err;
  };
  EXPECT_CONTAINS(refusal("static_runtime"), "nvcc -cudart shared");
  EXPECT_CONTAINS(refusal("no_ptx"), "machine code for sm_80 and no PTX");
  EXPECT_CONTAINS(refusal("separate_no_ptx"), "machine code for sm_80 and no PTX");
  EXPECT_CONTAINS(refusal("../CMakeFiles"), "is a folder");
  EXPECT_CONTAINS(refusal("nothing"), "does not exist");
  EXPECT_CONTAINS(shell(std::string(WARPGRADE_SIMT) + " run " + WARPGRADE_SOURCES + "/small.cu").err,
                  "is not a program");
  EXPECT_CONTAINS(shell(std::string(WARPGRADE_SIMT) + " run").err, "no program given");
}

TEST(SimtRun, RunsProgramsWithoutKernelsWhateverTheyWereCompiledFor) {
  const Ran ran = simt_run("", "no_kernels");
  EXPECT_EQ(ran.out, "1 cudaSuccess\n") << ran.err;
  EXPECT_EQ(ran.status, 0) << ran.err;
}

TEST(SimtRun, SaysThatAProgramNeverUsedTheRuntime) {
  const Ran ran = shell(std::string(WARPGRADE_SIMT) + " run /bin/true");
  EXPECT_EQ(ran.status, 2);
  EXPECT_CONTAINS(ran.err, "never called the CUDA runtime");
}

#ifdef WARPGRADE_NEWER
TEST(SimtRun, RunsPtxForANewerDevice) {
  const Ran ran = simt_run("", "newer");
  EXPECT_EQ(ran.status, 1);  // the program ends with 0 and has an error
  EXPECT_CONTAINS(ran.err, "the end of allocation 1 (64 bytes): element 16, the last is 15");
}
#endif

TEST(SimtRun, AsksForLineNumbersWhereThereAreNone) {
  const Ran ran = simt_run("", "without_lines");
  EXPECT_EQ(ran.status, 1);
  EXPECT_CONTAINS(ran.err, "\nerror: store of 4 bytes");
  EXPECT_CONTAINS(ran.err, "thread (16,0,0) of block (0,0,0) of kernel(int*)");
  EXPECT_CONTAINS(ran.err, "compile with nvcc -lineinfo");
}

}  // namespace
}  // namespace warpgrade::tests
