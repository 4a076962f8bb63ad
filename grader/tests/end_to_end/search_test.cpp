// ./grade search as a person types it, on fixtures that all of their cases accept.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "base/files.hpp"
#include "base/wire.hpp"
#include "build/answers.hpp"
#include "tests/end_to_end/bench.hpp"
#include "tests/end_to_end/edited_solution.hpp"
#include "tests/places.hpp"

namespace warpgrade {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using Json = nlohmann::json;

struct Searched {
  int status = -1;
  std::string output;
  Json json;
};

/// Of a step of a fixture, with as much time as a busy machine may need.
Searched searched(const std::string &step, const std::string &folder, const std::string &assignment = "hw6",
                  int seconds = 60) {
  const fs::path file =
      fs::temp_directory_path() / ("warpgrade-search-" + std::to_string(getpid()) + ".json");
  const std::string command = "cd '" + std::string(place::root) + "' && COLUMNS=80 '" + place::grade +
                              "' search " + step + " --assignment " + assignment + " --seconds " +
                              std::to_string(seconds) + " --submission '" + folder + "' --json '" +
                              file.string() + "' 2>&1 </dev/null";
  Searched made;
  FILE *pipe = popen(command.c_str(), "r");
  std::array<char, 4096> piece{};
  for (std::size_t n; (n = fread(piece.data(), 1, piece.size(), pipe)) > 0;)
    made.output.append(piece.data(), n);
  const int status = pclose(pipe);
  made.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  std::ifstream in(file);
  if (in) made.json = Json::parse(in);
  fs::remove(file);
  return made;
}

TEST(SearchOfAStep, FindsTheOneWidthAtWhichAKernelIsWrong) {
  const Searched made = searched("step4", "grader/tests/submissions/hw6/accepted/wrong_for_one_width");
  EXPECT_EQ(made.status, 1) << made.output;
  ASSERT_TRUE(made.json.is_object()) << made.output;
  EXPECT_EQ(made.json["schema"], "warpgrade.search/1");
  ASSERT_TRUE(made.json["fails"].is_object()) << made.output;
  EXPECT_EQ(made.json["fails"]["n"], 185);
  EXPECT_EQ(made.json["fails"]["verdict"], "wrong_answer");
  EXPECT_LE(made.json["fails"]["m"].get<int>(), 3) << "smaller in every other size";
  EXPECT_LE(made.json["fails"]["k"].get<int>(), 3);
  EXPECT_THAT(made.output, HasSubstr("hw6 step4 fails at m="));
  EXPECT_THAT(made.output, HasSubstr("./grade debug step4"));
  EXPECT_THAT(made.output, HasSubstr("--case 'm="));
}

TEST(SearchOfAStep, DoesNotAskForAKernelWhereThereIsNothingToCompute) {
  const Searched made = searched("saxpy", "solutions/warmup", "warmup");  // its cases include n = 0
  EXPECT_EQ(made.status, 0) << made.output;
  EXPECT_THAT(made.output, Not(HasSubstr("n=0")));
}

// At m = 1048576 and n = 3, tiles of 32 x 32 threads are a million warps; at k = 1048576 each goes through 32768 tiles. Both
// reach the limit of instructions.
TEST(SearchOfAStep, CallsNoSolutionWrongThatIsMerelyLarge) {
  const Searched made = searched("step2", "solutions/hw6", "hw6", 10);
  EXPECT_EQ(made.status, 0) << made.output;
  EXPECT_THAT(made.output, HasSubstr("none fails"));
}

// One loop in another: at m = n = 1 there is one block, whose warps count up to k * k.
TEST(SearchOfAStep, CallsNoKernelWrongWhoseNestedLoopsAreMerelyLong) {
  const std::string one = "sum += A[row * K + k] * B[k * N + col];";
  const tests::EditedSolution nested("hw6", "step0_naive.cu",
                                     {{one, "{ volatile int i = 0; while (i < K) i = i + 1; " + one + " }"}});
  const Searched made = searched("step0", nested.folder(), "hw6", 20);
  EXPECT_EQ(made.status, 0) << made.output;
  EXPECT_THAT(made.output, HasSubstr("none fails"));
}

// The first case with k = 77 is so large that it might reach the limit anyway; a smaller one is not.
TEST(SearchOfAStep, FindsTheOneSizeAtWhichALoopNeverEnds) {
  const tests::EditedSolution endless("hw6", "step0_naive.cu", {{"k < K;", "k < K || K == 77;"}});
  const Searched made = searched("step0", endless.folder());
  ASSERT_TRUE(made.json.is_object()) << made.output;
  ASSERT_TRUE(made.json["fails"].is_object()) << made.output;
  EXPECT_EQ(made.json["fails"]["k"], 77);
  EXPECT_EQ(made.json["fails"]["verdict"], "time_limit");
}

TEST(SearchOfAStep, GradingWarnsOfWhatItFindsAndTakesNoPoints) {
  Bench bench;
  const auto record = bench.grade(root / "grader/tests/submissions/hw6/accepted/wrong_for_one_width");
  const grading::StepRecord &s = record.steps.at(0);
  EXPECT_EQ(s.verdict, judge::Verdict::accepted) << s.reason;
  const auto warning = std::find_if(s.findings.begin(), s.findings.end(),
                                    [](const judge::Finding &f) { return f.code == "advisory_case"; });
  ASSERT_NE(warning, s.findings.end()) << bench.terminal(record);
  EXPECT_THAT(warning->message, HasSubstr("n=185"));
  EXPECT_THAT(warning->message, HasSubstr("It costs no points in this step."));
}

TEST(SearchOfAStep, IsLeftOutWhileOthersWaitAndVerdictAndPointsAreTheSame) {
  Bench bench;
  bench.others_wait = [] { return true; };
  const auto record = bench.grade(root / "grader/tests/submissions/hw6/accepted/wrong_for_one_width");
  const grading::StepRecord &s = record.steps.at(0);
  EXPECT_EQ(s.verdict, judge::Verdict::accepted) << s.reason;
  EXPECT_TRUE(s.findings.empty()) << bench.terminal(record);
  for (const judge::CaseVerdict &c : s.cases) EXPECT_TRUE(!c.advisory || c.skipped) << c.name;
  bench.others_wait = [] { return false; };
  const auto whole = bench.grade(root / "grader/tests/submissions/hw6/accepted/wrong_for_one_width");
  EXPECT_EQ(bench.score(record).points, bench.score(whole).points);
  EXPECT_FALSE(whole.steps.at(0).findings.empty());
}

TEST(SearchOfAStep, WhatItFoundIsKeptForTheSameBuildSeedAndAssignmentAndIsRunAgain) {
  Bench bench;
  const Scratch scratch;
  bench.kept = {scratch.path(), "as it is today"};
  const auto kept = [&] {
    return std::distance(fs::directory_iterator(scratch.path()), fs::directory_iterator());
  };
  const auto warnings = [&](std::optional<std::uint64_t> seed = {}) {
    const fs::path fixture = root / "grader/tests/submissions/hw6/accepted/wrong_for_one_width";
    const auto record = bench.grade(fixture, false, false, seed);
    std::vector<std::string> all;
    for (const judge::Finding &f : record.steps.at(0).findings)
      if (f.code == "advisory_case") all.push_back(f.message);
    return all;
  };
  const auto found = warnings();
  ASSERT_EQ(found.size(), 1u);
  ASSERT_EQ(kept(), 1);
  EXPECT_EQ(warnings(), found);
  EXPECT_EQ(kept(), 1);
  // Another answer to the same question shows that it is asked no more.
  const auto file = read_regular(fs::directory_iterator(scratch.path())->path(), 1 << 20);
  Reader from(*file);
  from.get_string();
  Reader inner(from.get_bytes());
  const std::span<const std::byte> question = inner.get_bytes();
  // What no search finds is not believed: a negative size, and one that takes long.
  for (const std::int64_t size : {-5, 1 << 20}) {
    Writer other;
    other.put<std::uint8_t>(1);
    for (int i = 0; i < 3; ++i) other.put(size);
    other.put(1.0).put(0.0);
    build::Answers(scratch.path()).keep(question, other.bytes());
    EXPECT_EQ(warnings(), found) << size;
  }
  build::Answers(scratch.path()).keep(question, std::vector<std::byte>{std::byte{0}});
  EXPECT_TRUE(warnings().empty());
  EXPECT_EQ(warnings(7), found) << "with other inputs it is searched again";
  bench.kept.contract = "as it is tomorrow";
  EXPECT_EQ(warnings(), found);
  EXPECT_EQ(kept(), 3);
}

TEST(SearchOfAStep, SaysWhichWaysOfBranchesWereTaken) {
  // 14 of 16 threads of a column are outside at m = 1, and none at m = 16: both ways of the guard.
  const Searched made = searched("step4", "grader/tests/submissions/hw6/accepted/wrong_for_one_width");
  ASSERT_TRUE(made.json.is_object()) << made.output;
  bool found = false;
  for (const Json &line : made.json["branches"]) {
    if (line["line"] != 7) continue;
    found = true;
    EXPECT_EQ(line["taken"], line["ways"]) << line;
    EXPECT_TRUE(line["never_to"].empty());
  }
  EXPECT_TRUE(found) << made.output;
}

}  // namespace
}  // namespace warpgrade
