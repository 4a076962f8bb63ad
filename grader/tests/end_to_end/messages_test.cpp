// What a student reads about the commonest mistakes, word by word: each fixture's explanation with its line.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/end_to_end/bench.hpp"
#include "tests/end_to_end/small_course.hpp"
#include "tests/places.hpp"

namespace warpgrade {
namespace {

using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;
using tests::CommandResult;
using tests::shell;

/// What our library writes in the student's process is that process's word.
const std::string refused = "the launcher may not do this: \"";

const fs::path fixtures = root / "grader/tests/submissions/hw6";

/// The line of a fixture's file that holds this text.
int line_of(const fs::path &folder, const std::string &text) {
  for (const auto &entry : fs::directory_iterator(folder)) {
    std::ifstream in(entry.path());
    int number = 0;
    for (std::string line; std::getline(in, line);)
      if (++number; line.find(text) != std::string::npos) return number;
  }
  return 0;
}

/// A fixture's one step.
class Read {
 public:
  explicit Read(const std::string &fixture)
      : folder(bench_.whole(fixtures / fixture)), record(bench_.grade(folder)), step(record.steps.at(0)) {}
  std::string terminal() const { return bench_.terminal(record); }
  /// The first finding of this code.
  judge::Finding finding(const std::string &code) const {
    for (const judge::Finding &f : step.findings)
      if (f.code == code) return f;
    return {};
  }
  int line(const std::string &text) const { return line_of(folder, text); }

 private:
  Bench bench_;

 public:
  const fs::path folder;
  const grading::SubmissionRecord record;
  const grading::StepRecord &step;
};

TEST(Said, ACopyOfAnArgumentToTheDeviceThatItIsAlreadyThere) {
  const Read read("bad_plan/copies_its_arguments_to_the_device");
  EXPECT_EQ(read.step.reason, refused +
                                  "cudaMemcpy: copies host to device, but its source is A: A, B and C are "
                                  "already on the device; pass "
                                  "them to the kernel as they are, without cudaMalloc and without copies\"");
  EXPECT_EQ(read.finding("bad_plan").line, read.line("cudaMemcpy(dA, A"));
  EXPECT_EQ(read.finding("bad_plan").file, "step1_coalesced.cu");
}

TEST(Said, ACopyOfTheResultToTheHostThatItIsAlreadyThere) {
  const Read read("bad_plan/copies_its_result_to_the_host");
  EXPECT_EQ(read.step.reason,
            refused +
                "cudaMemcpy: copies device to host, but its destination is C: A, B and C are already on the "
                "device; "
                "pass them to the kernel as they are, without cudaMalloc and without copies\"");
  EXPECT_EQ(read.finding("bad_plan").line, read.line("cudaMemcpy(C, dC"));
}

TEST(Said, ReadingResultsBackWithItsLine) {
  const Read read("bad_plan/reads_back");
  EXPECT_EQ(read.finding("bad_plan").line, read.line("cudaMemcpy(host.data()"));
  EXPECT_THAT(read.step.reason, StartsWith(refused + "cudaMemcpy: reads results back to the host"));
}

TEST(Said, ACallBeforeTheEndOfTheLauncherThoughNothingFollowsIt) {
  // The last call of a function may be compiled to a jump, which leaves no trace of where it came from.
  const Read read("bad_plan/frees_the_judges_buffer");
  EXPECT_GT(read.finding("bad_plan").line, 0);
}

TEST(Said, ACopyToTooLittleMemoryWithTheCudaMallocAndSizeof) {
  const Read read("bad_plan/allocates_elements_not_bytes");
  EXPECT_THAT(
      read.step.reason,
      AllOf(HasSubstr("but a has "),
            HasSubstr("\"; cudaMalloc in step1_coalesced.cu:" + std::to_string(read.line("cudaMalloc(")) +
                      " allocated the 4 bytes of a, as many as A, B and C have elements; did you forget "
                      "sizeof(float)?")));
  EXPECT_EQ(read.finding("bad_plan").line, read.line("cudaMemcpy("));
}

TEST(Said, AKernelBeyondTooLittleMemoryWithTheCudaMallocAndSizeof) {
  const Read read("out_of_bounds/scratch_of_elements_not_bytes");
  EXPECT_THAT(read.step.reason,
              ContainsRegex("cudaMalloc in step1_coalesced.cu:" + std::to_string(read.line("cudaMalloc(")) +
                            " allocated the [0-9]+ bytes? of a, as many as A, B and C have elements; did you "
                            "forget sizeof.float.[?]"));
}

TEST(Said, ALaunchThatNoGpuWouldStartWithTheLaunchersLine) {
  for (const auto &[fixture, words] :
       {std::pair{"launch_error/block_of_2048", "has 2048 threads; at most 1024 are possible"},
        std::pair{"launch_error/floor_division", "is empty; is the number of blocks rounded down?"}}) {
    const Read read(fixture);
    EXPECT_THAT(read.step.reason, HasSubstr(words));
    EXPECT_EQ(read.finding("launch_error").line, read.line("<<<")) << fixture;
  }
}

TEST(Said, TooManyBlocksAsThreadsForResults) {
  const Read read("time_limit/grid_counts_threads");
  EXPECT_THAT(
      read.step.reason,
      ContainsRegex("the launch did not end in time: it has [0-9,]+ threads for [0-9,]+ results; a grid "
                    "counts blocks, not threads"));
  EXPECT_THAT(read.terminal(), Not(HasSubstr("endless loop?")));
}

TEST(Said, AnEndlessLoopAsOne) {
  EXPECT_THAT(Read("time_limit/endless_loop_in_kernel").step.reason, HasSubstr("an endless loop?"));
}

TEST(Said, AnEarlyReturnBeforeABarrierFirstWithThreadsThatWaitAndThreadsThatLeft) {
  const Read read("uninitialized_read/early_return");
  const std::string barrier = std::to_string(read.line("tiles are loaded")),
                    left = std::to_string(read.line("return;"));
  EXPECT_THAT(
      read.finding("barrier_divergence").message,
      ContainsRegex("^[0-9]+ threads? of the block waits? at the barrier in step2_shared.cu:" + barrier +
                    ", and [0-9]+ have left the kernel at step2_shared.cu:" + left + " and never reach it"));
  const std::string text = read.terminal();
  EXPECT_LT(text.find("have left the kernel"), text.find("uninitialized read")) << text;
  EXPECT_EQ(text.find("problem "), std::string::npos) << text;
}

TEST(Said, ABarrierInAnIfWithHowManyWaitAtEither) {
  const Read read("barrier_error/barrier_in_guard");
  EXPECT_THAT(read.step.reason,
              ContainsRegex("threads of one (block|warp) wait at different barriers: [0-9]+ at "
                            "step2_shared.cu:[0-9]+, [0-9]+ at step2_shared.cu:[0-9]+"));
}

TEST(Said, AKernelThatWritesAnInputThatItIsOne) {
  const Read read("input_changed/blocks_scale_the_same_row");
  EXPECT_THAT(read.step.reason, ::testing::AnyOf("A is an input, and the kernel writes it",
                                                 StartsWith("the read-only matrix A (")));
  const judge::Finding found = read.finding("input_changed");
  EXPECT_THAT(found.message, StartsWith("A is an input, and the kernel writes it ("));
  EXPECT_EQ(found.line, read.line("*= alpha"));
  EXPECT_EQ(read.finding("race").code, "") << "it follows from writing A";
}

TEST(Said, ALibrarysHeaderBeforeAnythingIsCompiled) {
  const Read read("build_error/sorts_with_thrust");
  EXPECT_EQ(read.step.reason,
            "step1_coalesced.cu includes <thrust/device_vector.h>, which belongs to a library");
  EXPECT_EQ(
      read.step.build.log,
      "step1_coalesced.cu:5: error: <thrust/device_vector.h> belongs to a library; only kernels of your "
      "own may be used\n");
}

TEST(Said, AHeaderOfTheStudentsOwnThatOnlyTheStepsFilesAreHandedIn) {
  const Read read("build_error/header_of_its_own");
  EXPECT_EQ(
      read.step.reason,
      "step1_coalesced.cu:4 includes \"util.h\", which is missing when the step is graded: only the step's "
      "files are handed in (step1_coalesced.cu). Move what step1_coalesced.cu needs of it into "
      "step1_coalesced.cu");
}

TEST(Said, AFileInUtf16HowToSaveIt) {
  const Read read("build_error/saved_as_utf16");
  EXPECT_THAT(
      read.step.reason,
      StartsWith("step1_coalesced.cu is saved as UTF-16, and compilers read UTF-8: save it as UTF-8. In "
                 "VS Code, click 'UTF-16' in the bar at the bottom, then 'Save with Encoding'"));
  EXPECT_THAT(read.step.reason, HasSubstr("iconv -f UTF-16 -t UTF-8 step1_coalesced.cu"));
}

#ifdef WARPGRADE_CLANG
TEST(Said, AMissingSemicolonWithItsOwnLineWhereClangIsThereToo) {
  const Read read("build_error/semicolon_missing");
  const std::string place = "step1_coalesced.cu:" + std::to_string(read.line("float sum = 0"));
  const std::string text = read.terminal();
  const std::size_t at = text.find("at       " + place);
  ASSERT_NE(at, std::string::npos) << text;
  EXPECT_THAT(text.substr(at, 200), HasSubstr("expected ';' at end of declaration")) << text;
}
#endif

// --- the command

CommandResult grade(const std::string &words, const fs::path &folder = root) {
  return shell(std::string("'") + place::grade + "' " + words, folder);
}

TEST(Said, WhatACodePrintsInOneLineByDefault) {
  const std::string words =
      "step1 --device sim --size 33 --submission " + (fixtures / "accepted/debug_printf").string();
  const std::string brief = grade(words).output;
  EXPECT_THAT(brief, ContainsRegex("  printed  your code printed [0-9]+ lines?; -v shows (it|them)\n"));
}

TEST(Said, AMistypedStepWhichOneWasMeant) {
  const CommandResult typo = grade("stepp2 --device sim --assignment hw6");
  EXPECT_EQ(typo.status, 2);
  EXPECT_THAT(typo.output,
              StartsWith("grade: hw6 has no step 'stepp2'; did you mean step2? (it has: step0, "));
  EXPECT_EQ(grade("stepp2").output, "grade: there is no step 'stepp2'; did you mean step2 of hw6?\n");
  EXPECT_EQ(grade("step0_naive.cu").output,
            "grade: there is no step 'step0_naive.cu'; did you mean step0 of hw6?\n");
  EXPECT_THAT(grade("starter/hw6/step3_blocktile.cu --assignment hw6").output,
              HasSubstr("did you mean step3?"));
  EXPECT_THAT(grade("3 --assignment hw6").output, HasSubstr("did you mean step3?"));
  for (const char *word : {"step3.cu", "blocktile"})
    EXPECT_EQ(grade(word).output,
              fmt::format("grade: there is no step '{}'; did you mean step3 of hw6?\n", word));
  EXPECT_EQ(grade("expain --assignment hw6").output,
            "grade: there is no step or command 'expain'; did you mean 'grade explain'?\n");
}

TEST(Said, AFileThatCannotBeWrittenBeforeAnythingIsGraded) {
  const CommandResult page = grade("step0 --device sim --submission solutions/hw6 --html /nowhere/page.html");
  EXPECT_EQ(page.status, 2);
  EXPECT_EQ(page.output, "grade: --html: cannot write /nowhere/page.html: there is no folder '/nowhere'\n");
  EXPECT_EQ(grade("bench step0 --device sim --submission solutions/hw6 --csv /tmp").output,
            "grade: --csv: cannot write /tmp: it is a folder\n");
  EXPECT_EQ(grade("explain step0 --json /proc/x").status, 2);
  EXPECT_EQ(grade("roofline step0 --device sim --svg /proc/x").status, 2);
}

TEST(Said, NothingBelowFiftyColumnsButWhatIsCopiedIsLonger) {
  for (const std::string what :
       {"--submission solutions/hw6 --device sim -v", "--submission starter/hw6 --device sim",
        "step1 --device sim --submission grader/tests/submissions/hw6/accepted/naive_order_in_step1",
        "step2 --device sim --submission grader/tests/submissions/hw6/wrong_answer/tail_dropped"}) {
    std::istringstream lines(shell(std::string("COLUMNS=50 '") + place::grade + "' " + what, root).output);
    for (std::string line; std::getline(lines, line);) {
      const bool one_word = line.find(' ', line.find_first_not_of(" \\", 11)) == std::string::npos;
      const bool to_copy = line.ends_with("\\") || line.find("./grade ") != std::string::npos || one_word;
      EXPECT_TRUE(line.size() <= 50 || to_copy) << line;
    }
  }
}

TEST(Said, WhoseRoofItIsWhereThereIsNoGpu) {
  const CommandResult r = grade("roofline step0 --device sim --submission solutions/hw6");
  EXPECT_EQ(r.status, 0) << r.output;
  EXPECT_THAT(r.output, HasSubstr("There is no GPU here (--device sim), so the roof is that of NVIDIA"));
  EXPECT_THAT(r.output, ContainsRegex("--gpu[ \n]names"));
}

TEST(Said, ABenchOfATooLargeSizeThatItNeedsAGpuBeforeAnythingIsBuilt) {
  const CommandResult r = grade("bench --device sim --sizes 2048 --submission solutions/hw6");
  EXPECT_EQ(r.status, 2);
  EXPECT_EQ(
      r.output,
      "grade: there is no GPU here (--device sim), and m=n=k=2048 is too large for the simulator; './grade "
      "bench --submission solutions/hw6 --device sim' without sizes counts at m=n=k=256\n");
}

class Folder : public ::testing::Test {
 protected:
  tests::SmallCourse course;
};

TEST_F(Folder, AnEditedHeaderOfTheCourseIsNotUsedAndThatIsSaid) {
  course.write("mine/step0_naive.cu", course.solution("step0_naive.cu"));
  course.write("mine/gemm.h", "#define MINE\n");
  const CommandResult r = grade("step0 --device sim --assignment hw6 --submission .", course / "mine");
  EXPECT_EQ(r.status, 0) << r.output;
  EXPECT_THAT(r.output, HasSubstr("note     your gemm.h differs from the course's gemm.h, which is used"));
  EXPECT_THAT(r.output, HasSubstr("only the step's files are handed in"));
}

TEST_F(Folder, OffersOnlyFilesOfTheCourse) {
  course.write("mine/step0_naive.cu", course.solution("step0_naive.cu"));
  EXPECT_THAT(grade("--help", course / "mine").output, Not(HasSubstr("mmdriver")));
  EXPECT_THAT(grade("--help").output, HasSubstr("mmdriver"));
  EXPECT_EQ(grade("completion --candidates 1 mm", course / "mine").output, "");
  EXPECT_EQ(grade("completion --candidates 1 mm").output, "mmdriver\n");
  // Steps beyond the course are listed in assignment.yaml and come with no kit.
  course.replace(
      "assignments/hw6/assignment.yaml", "cases: square}\n  - {id: step1",
      "cases: square}\n  - {id: beyond1, title: More, file: beyond1.cu, entry: beyond1, beyond: true, "
      "cases: square}\n  - {id: step1");
  EXPECT_EQ(grade("completion --candidates 1 beyo", course / "mine").output, "");
  EXPECT_THAT(grade("step9 --device sim", course / "mine").output, HasSubstr("(it has: step0, step1)"));
  course.write("mine/beyond/beyond1.cu", course.solution("step0_naive.cu"));
  EXPECT_EQ(grade("completion --candidates 1 beyo", course / "mine").output, "beyond1\n");
}

TEST_F(Folder, PackingAnUntouchedStubDoesNotCallItOk) {
  course.write("mine/step0_naive.cu", course.solution("step0_naive.cu"));
  fs::copy(course / "starter/hw6/step1_coalesced.cu", course / "mine/step1_coalesced.cu");
  const CommandResult r =
      grade("package 20261234 --device sim --assignment hw6 --submission .", course / "mine");
  EXPECT_EQ(r.status, 1) << r.output;
  EXPECT_THAT(r.output, HasSubstr("  ok   step0_naive.cu           accepted\n"));
  EXPECT_THAT(r.output,
              HasSubstr("  -    step1_coalesced.cu       launches no kernel yet, so it gets no points\n"));
  EXPECT_THAT(r.output,
              HasSubstr("1 of its files is still to be done: a step that does nothing gets no points."));
}

}  // namespace
}  // namespace warpgrade
