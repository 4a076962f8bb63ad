// ./grade as a person types it: exit status, last line, files written.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/places.hpp"

namespace {

namespace fs = std::filesystem;
const fs::path root = fs::path(place::root).lexically_normal();

struct Result {
  int status = -1;
  std::string output;
  std::string last_line() const {
    const std::string trimmed = output.substr(0, output.find_last_not_of('\n') + 1);
    return trimmed.substr(trimmed.rfind('\n') + 1);
  }
};

/// Runs a program in `folder`; words are ours, so a shell may read them.
Result run(const std::string &program, const std::string &words, const fs::path &folder) {
  const std::string command =
      "cd '" + folder.string() + "' && '" + program + "' " + words + " 2>&1 </dev/null";
  Result r;
  FILE *pipe = popen(command.c_str(), "r");
  std::array<char, 4096> piece{};
  for (std::size_t n; (n = fread(piece.data(), 1, piece.size(), pipe)) > 0;) r.output.append(piece.data(), n);
  const int status = pclose(pipe);
  r.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return r;
}

Result grade(const std::string &words, const fs::path &folder = root) {
  return run(place::grade, words, folder);
}
Result gradebook(const std::string &words, const fs::path &folder = root) {
  return run(place::gradebook, words, folder);
}

/// A copy of the course in a separate folder, for tests that edit it.
class CourseCopy : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("warpgrade-command-" + std::to_string(getpid()));
    fs::remove_all(folder_);
    fs::create_directories(folder_);
    for (const char *part : {"assignments", "starter", "solutions"})
      fs::copy(root / part, folder_ / part, fs::copy_options::recursive);
  }
  void TearDown() override { fs::remove_all(folder_); }
  void replace(const fs::path &file, const std::string &from, const std::string &to) {
    std::stringstream text;
    text << std::ifstream(folder_ / file).rdbuf();
    std::string s = text.str();
    ASSERT_NE(s.find(from), std::string::npos);
    s.replace(s.find(from), from.size(), to);
    std::ofstream(folder_ / file) << s;
  }
  fs::path folder_;
};

TEST(Command, ASolutionOnTheSimulatorExitsWithZeroAndEndsWithItsScore) {
  const Result r = grade("step2 --submission solutions/hw6 --device sim");
  EXPECT_EQ(r.status, 0) << r.output;
  EXPECT_EQ(r.last_line(), "Score: 20/30") << r.output;
  EXPECT_NE(r.output.find("10 points"), std::string::npos) << r.output;
}

TEST(Command, WithoutASubmissionGradesTheStarterAtTheRootAndLocalFilesElsewhere) {
  const Result starter = grade("step1 --device sim");
  EXPECT_EQ(starter.status, 1) << starter.output;
  EXPECT_EQ(starter.last_line(), "Score: 0/20");
  EXPECT_EQ(grade("step1 --device sim", root / "solutions/hw6").last_line(), "Score: 14/20");
}

TEST(Command, AnInterruptedRunLeavesNoProcessAndNoFolderBehind) {
  const fs::path folder = fs::temp_directory_path() / ("warpgrade-interrupted-" + std::to_string(getpid()));
  fs::create_directories(folder);
  // `timeout` waits for ./grade, which waits for its sandboxes; the launcher sleeps for longer than a second.
  const std::string command =
      "cd '" + root.string() + "' && TMPDIR='" + folder.string() +
      std::string("' timeout --preserve-status -s INT 1 '") + place::grade +
      "' step1 --device sim "
      "--submission grader/tests/submissions/hw6/time_limit/host_sleep >/dev/null 2>&1 </dev/null";
  const int status = std::system(command.c_str());
  EXPECT_EQ(WEXITSTATUS(status), 130);
  EXPECT_TRUE(fs::is_empty(folder));
  fs::remove_all(folder);
}

TEST(Command, AScoreThatCouldNotBeWrittenIsNoSuccess) {
  EXPECT_EQ(grade("step0 --submission solutions/hw6 --device sim >/dev/full").status, 3);
  const Result r = grade("step0 --submission solutions/hw6 --device sim --json /nonexistent/score.json");
  EXPECT_EQ(r.status, 2) << r.output;
  EXPECT_NE(r.output.find("/nonexistent/score.json"), std::string::npos) << r.output;
  EXPECT_EQ(r.output.find("Score:"), std::string::npos) << "it is found before anything is graded\n"
                                                        << r.output;
}

TEST(Command, ASeedIsAWholeNumberAndWordsAreShownEscaped) {
  EXPECT_EQ(grade("step0 --seed -1").status, 2);
  EXPECT_EQ(grade("step0 --seed 99999999999999999999999").status, 2);
  const Result r = grade("\"$(printf 'step\\033[31m')\" --assignment hw6");
  EXPECT_EQ(r.status, 2);
  EXPECT_NE(r.output.find("step\\x1b[31m"), std::string::npos) << r.output;
}

TEST(Command, AnUnknownStepIsAUsageErrorThatNamesTheSteps) {
  const Result r = grade("step9 --assignment hw6");
  EXPECT_EQ(r.status, 2);
  EXPECT_NE(
      r.output.find("has no step 'step9' (it has: step0, step1, step2, step3, step4, beyond1, beyond2,"),
      std::string::npos)
      << r.output;
}

TEST(Command, AnUnknownOptionOrFolderIsAUsageError) {
  EXPECT_EQ(grade("--fast").status, 2);
  const Result r = grade("step1 --submission no/such/folder");
  EXPECT_EQ(r.status, 2);
  EXPECT_NE(r.output.find("there is no folder 'no/such/folder'"), std::string::npos) << r.output;
}

TEST(Command, DemandingAGpuWhereThereIsNoneIsAUsageErrorThatSaysWhy) {
  if (fs::exists("/dev/nvidiactl")) return;  // then there is one to use, and `make test-gpu` uses it
  const Result r = grade("step1 --device gpu");
  EXPECT_EQ(r.status, 2);
  EXPECT_NE(r.output.find("no GPU to use"), std::string::npos) << r.output;
}

TEST(Command, OneCaseCanBeRepeatedBySizeOrByName) {
  const Result r = grade(
      "step1 --submission solutions/hw6 --device sim --case 'm=5 n=7 k=3 alpha=2 beta=-1' --seed 7 "
      "--verbose");
  EXPECT_EQ(r.status, 0) << r.output;
  EXPECT_NE(r.output.find("m=5 n=7 k=3 alpha=2 beta=-1"), std::string::npos) << r.output;
  EXPECT_NE(r.output.find("1 of 1 right"), std::string::npos) << r.output;
  EXPECT_TRUE(r.output.ends_with("Score: not graded (1 of 20 cases run)\n"))
      << "it is not a grade: " << r.output;
  EXPECT_EQ(grade("step1 --submission solutions/hw6 --device sim --size 0").status, 2);
}

TEST(Command, TheCommandThatAReportNamesRepeatsTheFailure) {
  const std::string bad = "grader/tests/submissions/hw6/wrong_answer/tail_dropped";
  const Result first = grade("--submission " + bad + " --device sim step2");
  const std::size_t at = first.output.find("  again    ./grade ");
  ASSERT_NE(at, std::string::npos) << first.output;
  // Pasted into a shell unchanged, over several lines.
  const std::string words = first.output.substr(at + 19, first.output.find("\n  cases", at) - at - 19);
  EXPECT_NE(words.find(" \\\n"), std::string::npos) << words;
  const Result again = grade(words);
  EXPECT_EQ(again.status, 1) << again.output;
  EXPECT_NE(again.output.find("wrong_answer"), std::string::npos) << again.output;
}

TEST(Command, JsonAndJunitAreWrittenWhole) {
  const fs::path folder = fs::temp_directory_path() / ("warpgrade-files-" + std::to_string(getpid()));
  fs::create_directories(folder);
  const Result r = grade("step0 --submission solutions/hw6 --device sim --json '" +
                         (folder / "s.json").string() + "' --junit '" + (folder / "s.xml").string() + "'");
  EXPECT_EQ(r.status, 0) << r.output;
  const auto j = nlohmann::json::parse(std::ifstream(folder / "s.json"));
  EXPECT_EQ(j["schema"], "warpgrade.score/1");
  EXPECT_EQ(j["steps"][0]["verdict"], "accepted");
  EXPECT_NEAR(j["steps"][0]["counters"]["global_store"]["sectors_per_request"].get<double>(), 32.0, 1e-9);
  std::stringstream xml;
  xml << std::ifstream(folder / "s.xml").rdbuf();
  EXPECT_NE(xml.str().find("<testsuite name=\"hw6.step0\""), std::string::npos);
  fs::remove_all(folder);
}

TEST(Command, PlanPrintsReadableLaunches) {
  const Result r = grade("plan step3 --submission solutions/hw6 --size 1000 --device sim");
  EXPECT_EQ(r.status, 0) << r.output;
  // 8 x 8 tiles of 128 x 128 cover 1000 x 1000; 16 x 16 threads of 8 x 8 results fill a tile.
  EXPECT_NE(r.output.find("gemm_blocktile"), std::string::npos) << r.output;
  EXPECT_NE(r.output.find("64"), std::string::npos) << r.output;
  EXPECT_NE(r.output.find("256"), std::string::npos) << r.output;
}

TEST(Command, ListNamesTheFilesToWriteAndWhetherTheyWereBegun) {
  const Result starter = grade("list --submission starter/hw6");
  EXPECT_EQ(starter.status, 0) << starter.output;
  EXPECT_NE(starter.output.find("step3_blocktile.cu: as handed out"), std::string::npos) << starter.output;
  EXPECT_EQ(starter.output.find(": changed"), std::string::npos) << starter.output;
  const Result part =
      grade("list --assignment hw6 --submission grader/tests/submissions/hw6/race/missing_first_barrier");
  EXPECT_EQ(part.status, 0) << part.output;
  EXPECT_NE(part.output.find(": changed"), std::string::npos) << part.output;
  EXPECT_NE(part.output.find(": missing"), std::string::npos) << part.output;
  EXPECT_EQ(grade("list --assignment hw6 --submission nowhere").status, 2);
}

TEST(Command, ExplainNamesTheUncoalescedLineTheSectorsAndTheCure) {
  const Result r = grade("explain step0 --submission solutions/hw6");
  EXPECT_EQ(r.status, 0) << r.output;
  // The line of the product: A's column costs 32 sectors, B's element 1, so (32 + 1) / 2 a request, (4 + 1) /
  // 2 at best.
  EXPECT_NE(r.output.find("16.5/2.5"), std::string::npos) << r.output;
  EXPECT_NE(r.output.find("Not coalesced: neighbouring lanes load from A 1024 bytes apart"),
            std::string::npos)
      << r.output;
}

TEST(Command, ExplainDrawsTheLanesOfALineAsTextAndAsAPicture) {
  const fs::path folder = fs::temp_directory_path() / ("warpgrade-picture-" + std::to_string(getpid()));
  fs::create_directories(folder);
  const fs::path picture = folder / "lanes.svg";
  const Result r = grade(
      "explain step2 --submission grader/tests/submissions/hw6/accepted/column_walk_in_step2 --line 15 --svg "
      "'" +
      picture.string() + "'");
  EXPECT_EQ(r.status, 0) << r.output;
  EXPECT_NE(r.output.find("32 wavefronts, 1 would do"), std::string::npos) << r.output;
  EXPECT_NE(r.output.find("bank  0, 32 words: lanes 0 1 2 3"), std::string::npos) << r.output;
  std::stringstream svg;
  svg << std::ifstream(picture).rdbuf();
  EXPECT_EQ(svg.str().find("<svg xmlns="), 0u);
  EXPECT_NE(svg.str().find("wavefront 32"), std::string::npos);
  fs::remove_all(folder);
}

TEST(Command, ExplainingALineThatDoesNothingIsAUsageError) {
  const Result r = grade("explain step0 --submission solutions/hw6 --line 1");
  EXPECT_EQ(r.status, 2) << r.output;
  EXPECT_NE(r.output.find("step0_naive.cu:1 executes nothing"), std::string::npos) << r.output;
}

TEST(Command, WhatCannotBeExplainedSaysWhy) {
  const Result stub = grade("explain step1 --submission starter/hw6");
  EXPECT_EQ(stub.status, 1) << stub.output;
  EXPECT_NE(stub.output.find("nothing is launched"), std::string::npos) << stub.output;
  const Result broken =
      grade("explain step2 --submission grader/tests/submissions/hw6/wrong_answer/tail_dropped --size 33");
  EXPECT_EQ(broken.status, 0) << "a wrong answer has traffic too\n" << broken.output;
}

TEST(Command, AThresholdOnCountersCostsItsPointsAndNamesTheLine) {
  const Result r =
      grade("step1 --submission grader/tests/submissions/hw6/accepted/naive_order_in_step1 --device sim");
  EXPECT_EQ(r.status, 1) << r.output;
  EXPECT_EQ(r.last_line(), "Score: 11/20") << r.output;
  EXPECT_NE(r.output.find("sectors loaded per sector needed            6.6        1        <= 3   0/1.5"),
            std::string::npos)
      << r.output;
  EXPECT_NE(r.output.find("step1_coalesced.cu:10"), std::string::npos) << r.output;
  EXPECT_NE(r.output.find("more     ./grade explain step1 --submission"), std::string::npos) << r.output;
}

TEST(Command, BankConflictsCostTheirPoints) {
  const Result r =
      grade("step2 --submission grader/tests/submissions/hw6/accepted/column_walk_in_step2 --device sim");
  EXPECT_EQ(r.last_line(), "Score: 18/30") << r.output;
}

TEST(Command, StepsBeyondTheCourseAreGradedOnRequestAndAccepted) {
  const Result r = grade("beyond1 beyond2 beyond3 beyond4 beyond5 beyond6 beyond7 --device sim");
  EXPECT_EQ(r.status, 0) << r.output;
  EXPECT_EQ(r.last_line(), "Score: 0/0") << r.output;
  std::size_t accepted = 0;
  for (std::size_t at = 0; (at = r.output.find("accepted", at)) != std::string::npos; ++at) ++accepted;
  EXPECT_EQ(accepted, 7u) << r.output;
}

TEST_F(CourseCopy, AWrongStepBeyondTheCourseIsNoSuccessAlthoughItHasNoPoints) {
  replace("solutions/hw6/beyond/beyond1_column.cu", "b_row < K", "b_row <= K");
  const Result r = grade("beyond1 --device sim", folder_);
  EXPECT_EQ(r.status, 1) << r.output;
}

TEST(Command, BenchCountsOnTheSimulatorAndSaysThatTheseAreNoTimes) {
  const Result r = grade("bench step2 --submission solutions/hw6 --device sim --sizes 64,96:128:32");
  EXPECT_EQ(r.status, 0) << r.output;
  for (const char *size : {"m=n=k=64\n", "m=n=k=96\n", "m=n=k=128\n"})
    EXPECT_NE(r.output.find(size), std::string::npos) << r.output;
  EXPECT_NE(r.output.find("no times"), std::string::npos) << r.output;
  // 128 / 32 = 4 strides of 2 loads, a load and a store of C: 10 requests for each of 4 x 4 x 32 warps.
  EXPECT_NE(r.output.find("5120"), std::string::npos) << r.output;
}

TEST(Command, BenchTakesShapesThatAreNotSquareAndRefusesHalfOfOne) {
  const Result r = grade("bench step4 --submission solutions/hw6 --device sim --m 67 --n 1 --k 129");
  EXPECT_EQ(r.status, 0) << r.output;
  EXPECT_NE(r.output.find("m=67 n=1 k=129"), std::string::npos) << r.output;
  EXPECT_EQ(grade("bench step4 --device sim --m 67").status, 2);
  EXPECT_EQ(grade("bench step4 --device sim --sizes 9:1:1").status, 2);
  EXPECT_EQ(grade("bench step4 --device sim --sizes 1:1000000").status, 2);
  EXPECT_EQ(grade("bench step4 --device sim --sizes big").status, 2);
}

TEST(Command, BenchOfAStubSaysThatNothingIsLaunched) {
  const Result r = grade("bench step1 --submission starter/hw6 --device sim");
  EXPECT_EQ(r.status, 1) << r.output;
  EXPECT_NE(r.output.find("nothing is launched"), std::string::npos) << r.output;
}

TEST(Command, RooflineTakesANamedGpuOrFiguresOfOne) {
  const Result named = grade("roofline step0 --submission solutions/hw6 --device sim --gpu nvidia-h200");
  EXPECT_EQ(named.status, 0) << named.output;
  // 0.25 flops a byte at 4800 GB/s.
  EXPECT_NE(named.output.find("1202"), std::string::npos) << named.output;
  const Result other = grade("roofline step0 --submission solutions/hw6 --device sim --gpu nvidia-t4");
  EXPECT_EQ(other.status, 0) << "a GPU for which hw6 has no thresholds: " << other.output;
  EXPECT_NE(other.output.find("GFLOPS at 320 GB/s"), std::string::npos) << other.output;
  const Result figures =
      grade("roofline step0 --submission solutions/hw6 --device sim --peak 8100 --bandwidth 236,344");
  EXPECT_EQ(figures.status, 0) << figures.output;
  EXPECT_NE(figures.output.find("GFLOPS at 236 GB/s"), std::string::npos) << figures.output;
  const Result unknown = grade("roofline step0 --device sim --gpu abacus");
  EXPECT_EQ(unknown.status, 2);
  EXPECT_NE(unknown.output.find("nvidia-h200"), std::string::npos) << unknown.output;
  const Result chosen = grade("roofline step0 --submission solutions/hw6 --device sim");
  EXPECT_EQ(chosen.status, 0) << "no GPU, and none is named: the first that the course knows";
  EXPECT_NE(chosen.output.find("so the roof is that of "), std::string::npos) << chosen.output;
}

TEST(Command, WithoutAGpuNothingIsProfiledAndTheCommandContinues) {
  for (const std::string command : {"bench step2 --sizes 64", "roofline step2 --gpu nvidia-h200 --size 64"}) {
    const Result r = grade(command + " --submission solutions/hw6 --device sim --profile");
    EXPECT_EQ(r.status, 0) << r.output;
    EXPECT_EQ(r.last_line(), "--profile: nothing was profiled, since there is no GPU here") << r.output;
  }
  const Result energy = grade("bench step2 --sizes 64 --submission solutions/hw6 --device sim --energy");
  EXPECT_EQ(energy.status, 0) << energy.output;
  EXPECT_EQ(energy.last_line(), "--energy: nothing was counted, since there is no GPU here") << energy.output;
  EXPECT_EQ(grade("replay-plan").status, 2);
  EXPECT_EQ(grade("replay-plan /nowhere").status, 2);
}

TEST(Command, TuneBuildsEveryCombinationAndReportsTheImpossibleOnes) {
  const Result r = grade("tune step2 -D TILE=16,32,64 --submission solutions/hw6 --device sim --sizes 64");
  EXPECT_EQ(r.status, 0) << r.output;
  EXPECT_NE(r.output.find("TILE=16"), std::string::npos) << r.output;
  const bool nvccs = r.output.find("TILE=64   does not build: step2_shared.cu(8): error: static assertion") !=
                     std::string::npos;
  const bool clangs =
      r.output.find("TILE=64   does not build: step2_shared.cu:8:1: error: static") != std::string::npos;
  EXPECT_TRUE(nvccs || clangs) << r.output;
  EXPECT_NE(r.output.find("nothing can be said about which is fastest"), std::string::npos) << r.output;
  EXPECT_EQ(grade("tune step2 -D NONE=1 --submission solutions/hw6 --device sim").status, 2);
  EXPECT_EQ(grade("tune step2 -D TILE=x --submission solutions/hw6 --device sim").status, 2);
}

TEST(Command, TuneChangesConstantsOfAHeaderTogether) {
  const Result r = grade(
      "tune matmul --set \"BX=16 BY=8 TILEDIM_M=64\" --set \"BX=32 BY=8 TILEDIM_M=100\" --assignment pa2 "
      "--submission solutions/pa2 --device sim --sizes 64");
  EXPECT_EQ(r.status, 0) << r.output;
  EXPECT_NE(r.output.find("BX=16 BY=8 TILEDIM_M=64 "), std::string::npos) << r.output;
  EXPECT_NE(r.output.find("TILEDIM_M=100  does not build"), std::string::npos) << r.output;
  EXPECT_NE(r.output.find("TILEDIM_M must be a multiple of BY"), std::string::npos) << r.output;
  EXPECT_EQ(grade("tune matmul --assignment pa2 --submission solutions/pa2 --device sim").status, 2);
}

TEST(Command, ErrorsListsWrongElementsInOrderAndCountsThemAll) {
  const std::string folder = "grader/tests/submissions/pa2/wrong_answer/last_stride_dropped";
  const Result r =
      grade("errors matmul --size 65 --most 3 --assignment pa2 --device sim --submission " + folder);
  EXPECT_EQ(r.status, 1) << r.output;
  EXPECT_NE(r.output.find("Error report for C:\nC[0, "), std::string::npos) << r.output;
  EXPECT_EQ(std::count(r.output.begin(), r.output.end(), '['), 3) << r.output;
  EXPECT_EQ(r.last_line().rfind("*** A total of ", 0), 0u) << r.output;
  const Result right =
      grade("errors matmul --size 65 --assignment pa2 --device sim --submission solutions/pa2");
  EXPECT_EQ(right.status, 0) << right.output;
  EXPECT_EQ(right.last_line(), "no errors found");
}

TEST_F(CourseCopy, ReportFillsMarksAndLeavesTheStudentsWords) {
  const fs::path mine = folder_ / "solutions/pa2/report.md";
  std::ofstream(mine)
      << "my words\n\n<!-- measured: options step=matmul -->\nold\n<!-- end -->\n\n"
         "<!-- measured: peaks step=matmul sizes=4096 sim=64 -->\n<!-- end -->\n"
         "<!-- measured: compare step=matmul with=naive sizes=4096 sim=64 -->\n<!-- end -->\n"
         "<!-- measured: curve step=matmul sizes=4096 sim=64,65,128 tiles=TILEDIM_M -->\n<!-- end -->\n"
         "<!-- measured: roofline step=matmul size=4096 counted=64 peak=7680 bandwidth=320GiB -->\n"
         "<!-- end -->\nmore words\n";
  const Result r = grade("report --assignment pa2 --submission solutions/pa2 --device sim", folder_);
  EXPECT_EQ(r.status, 0) << r.output;
  std::stringstream text;
  text << std::ifstream(mine).rdbuf();
  const std::string report = text.str();
  for (const char *part :
       {"my words\n", "| `BX` | 16 |", "| 64 | ", "more words\n", "wait for a GPU", "| 65 | dip |",
        "](report-pictures/curve.svg)", "](report-pictures/roofline-320GiB.svg)", "| ridge | 22.35 | 7680 |"})
    EXPECT_NE(report.find(part), std::string::npos) << part << '\n' << report;
  EXPECT_EQ(report.find("old\n"), std::string::npos) << report;
  EXPECT_TRUE(fs::exists(folder_ / "solutions/pa2/report-pictures/curve.svg"));

  std::ofstream(mine) << "words\n<!-- measured: peaks step=matmul sizes=4096 -->\n<!-- end -->\n";
  const Result wrong = grade("report --assignment pa2 --submission solutions/pa2 --device sim", folder_);
  EXPECT_EQ(wrong.status, 2) << wrong.output;
  EXPECT_NE(wrong.output.find("the mark 'peaks' in line 2: sim= is missing"), std::string::npos)
      << wrong.output;
}

TEST(Gradebook, FindsNoMistakesInShippedAssignments) {
  const Result r = gradebook("lint");
  EXPECT_EQ(r.status, 0) << r.output;
  EXPECT_NE(r.output.find("hw6: no mistakes found"), std::string::npos) << r.output;
}

TEST(Gradebook, CalibratingWithoutAGpuIsAUsageErrorThatSaysSo) {
  if (fs::exists("/dev/nvidiactl")) return;  // then it measures, and `make test-gpu` is the place for that
  const Result r = gradebook("calibrate --assignment hw6");
  EXPECT_EQ(r.status, 2);
  EXPECT_NE(r.output.find("thresholds are measured on a GPU"), std::string::npos) << r.output;
}

TEST(Gradebook, DescribingAGpuNeedsOne) {
  if (fs::exists("/dev/nvidiactl")) return;
  const Result r = gradebook("calibrate --machine");
  EXPECT_EQ(r.status, 2);
  EXPECT_NE(r.output.find("microbenchmarks need a GPU, and none is usable here: "), std::string::npos)
      << r.output;
  EXPECT_EQ(gradebook("calibrate --machine --assignment hw6").status, 2)
      << "a GPU is not part of an assignment";
}

TEST(Command, NoColourInAPipe) {
  EXPECT_EQ(grade("step0 --device sim").output.find('\x1b'), std::string::npos);
}

TEST_F(CourseCopy, ATypoInAYamlFileIsOneLineWithFileAndLine) {
  replace("assignments/hw6/assignment.yaml", "points", "poinst");
  const Result r = grade("step0 --submission solutions/hw6 --device sim", folder_);
  EXPECT_EQ(r.status, 2);
  EXPECT_EQ(r.output.find("assignments/hw6/assignment.yaml:"), 0u) << r.output;
  EXPECT_EQ(std::count(r.output.begin(), r.output.end(), '\n'), 1) << r.output;
}

TEST_F(CourseCopy, ATypoInThresholdsOfAnotherGpuIsFoundOnAnyMachine) {
  replace("assignments/hw6/thresholds/nvidia-h200.yaml", "full:", "ful:");
  const Result r = grade("step0 --submission solutions/hw6 --device sim", folder_);
  EXPECT_EQ(r.status, 2);
  EXPECT_EQ(r.output.find("assignments/hw6/thresholds/nvidia-h200.yaml:"), 0u) << r.output;
}

TEST_F(CourseCopy, HardenSaysWhyASolutionIsNotAccepted) {
  replace("solutions/warmup/w1_add.cu", "i < n", "i <= n");
  const Result r = gradebook("harden warmup --step add --minutes 1 --toolchain nvcc --state state", folder_);
  EXPECT_NE(r.status, 0) << r.output;
  EXPECT_NE(r.output.find("the solution of add is not accepted: load of 4 bytes"), std::string::npos)
      << r.output;
}

TEST_F(CourseCopy, TheStudentsOwnMakefileAndHeaderAreNotUsed) {
  std::ofstream(folder_ / "solutions/hw6/Makefile") << "all:\n\tfalse\n";
  std::ofstream(folder_ / "solutions/hw6/gemm.h") << "#error the student's header\n";
  EXPECT_EQ(grade("step1 --submission solutions/hw6 --device sim", folder_).status, 0);
}

}  // namespace
