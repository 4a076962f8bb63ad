// Predicted rates of solutions, kept in prediction_golden.json: whoever changes the model sees here by how
// much, and rewrites them with WARPGRADE_WRITE_GOLDEN=1 once docs/prediction.md says how far off the new
// model is. And where a student reads them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/end_to_end/small_course.hpp"
#include "tests/places.hpp"

namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using warpgrade::tests::CommandResult;
namespace fs = std::filesystem;
using Json = nlohmann::json;
const fs::path root = fs::path(place::root).lexically_normal();
const fs::path golden = root / "grader/tests/end_to_end/prediction_golden.json";

TEST(Prediction, OfTheSolutionsOfHw6IsUnchanged) {
  const fs::path out = fs::temp_directory_path() / ("warpgrade-prediction-" + std::to_string(getpid()));
  // With clang, so that the version of nvcc decides nothing.
  const std::string command =
      "cd '" + root.string() + std::string("' && '") + place::grade +
      "' predict step1 step2 step3 beyond5 --assignment hw6 --submission solutions/hw6 "
      "--toolchain clang --gpu nvidia-h200,nvidia-t4 --sizes 512,2048 --json '" +
      out.string() + "' >'" + out.string() + ".txt' 2>&1 </dev/null";
  const int status = std::system(command.c_str());
  std::ifstream said(out.string() + ".txt");
  ASSERT_EQ(status, 0) << said.rdbuf();
  Json now = Json::object();
  const Json predicted = Json::parse(std::ifstream(out));
  for (const Json &point : predicted.at("points"))
    now[point.at("step").get<std::string>() + " at " + std::to_string(point.at("m").get<int>()) + " on " +
        point.at("gpu").get<std::string>()] = {{"gflops", point.at("gflops")}, {"limit", point.at("limit")}};
  fs::remove(out);
  fs::remove(out.string() + ".txt");
  if (std::getenv("WARPGRADE_WRITE_GOLDEN") != nullptr) std::ofstream(golden) << now.dump(1) << '\n';
  const Json kept = Json::parse(std::ifstream(golden));
  ASSERT_EQ(now.size(), kept.size());
  EXPECT_EQ(kept.size(), 16u);
  for (const auto &[name, point] : kept.items()) {
    SCOPED_TRACE(name);
    const double before = point.at("gflops");
    EXPECT_NEAR(now.at(name).at("gflops").get<double>() / before, 1, 0.005);
    EXPECT_EQ(now.at(name).at("limit"), point.at("limit"));
  }
}

/// A command of ./grade on the simulator, with clang so that the version of nvcc decides nothing; its words
/// with single blanks.
struct Said {
  int status = -1;
  std::string words;
  Json report;  ///< of --json
};
Said grade(const std::string &command, const std::string &before = "") {
  const fs::path json =
      fs::temp_directory_path() / ("warpgrade-predicted-" + std::to_string(getpid()) + ".json");
  const CommandResult r = warpgrade::tests::shell(before + std::string("'") + place::grade + "' " + command +
                                                      " --toolchain clang --json '" + json.string() + "'",
                                                  root);
  Said said{r.status, "", Json::parse(std::ifstream(json), nullptr, false)};
  fs::remove(json);
  for (const char c : r.output)
    if (c != ' ' && c != '\n')
      said.words += c;
    else if (!said.words.ends_with(' '))
      said.words += ' ';
  return said;
}
/// "24592 to 44819 GFLOPS"
std::string range_in(const Json &prediction) {
  return std::to_string(std::lround(prediction.at("low").get<double>())) + " to " +
         std::to_string(std::lround(prediction.at("high").get<double>())) + " " +
         prediction.at("unit").get<std::string>();
}

TEST(PredictionOfAStep, IsInItsReportWhereThereIsNoGpu) {
  const Said step = grade("step3 --assignment hw6 --submission solutions/hw6 --device sim");
  const Json &p = step.report.at("steps").at(0).at("prediction");
  EXPECT_EQ(p.at("gpu"), "NVIDIA H200");
  EXPECT_EQ(p.at("k"), 2048);
  EXPECT_THAT(step.words,
              AllOf(HasSubstr("predicted for NVIDIA H200 at m=n=k=2048: " + range_in(p) + " (about "),
                    HasSubstr("limited by " + p.at("limited_by").get<std::string>() + " (line "),
                    HasSubstr("A prediction gives no points."), HasSubstr("Score: 25/40")));
  // The command that it names says the same.
  const std::string more =
      "./grade explain step3 --assignment hw6 --submission solutions/hw6 --device sim --toolchain clang ";
  EXPECT_THAT(step.words, HasSubstr("more " + more.substr(0, 30)));
  EXPECT_THAT(step.words, HasSubstr("--gpu nvidia-h200"));
  const Said explained =
      grade("explain step3 --assignment hw6 --submission solutions/hw6 --device sim --gpu nvidia-h200");
  EXPECT_EQ(explained.status, 0);
  EXPECT_THAT(explained.words, AllOf(HasSubstr("Counted on the simulator"),
                                     HasSubstr("hw6 at m=n=k=2048, predicted for NVIDIA H200"),
                                     HasSubstr("step3: predicted " + range_in(p) + ", about ")));
}

TEST(PredictionOfAStep, IsTheSameOnOneProcessor) {
  const std::string command = "step2 --assignment hw6 --submission solutions/hw6 --device sim";
  const Said all = grade(command),
             one = grade(command, "taskset -c \"$(taskset -pc $$ | sed 's/.*: //; s/[-,].*//')\" ");
  ASSERT_EQ(one.status, all.status) << one.words;
  const Json &p = all.report.at("steps").at(0).at("prediction");
  EXPECT_GT(p.at("likely"), 0);
  EXPECT_EQ(one.report.at("steps").at(0).at("prediction"), p);
}

TEST(PredictionOfAStep, IsForTheGpuThatIsNamed) {
  const Said t4 = grade("step3 --assignment hw6 --submission solutions/hw6 --device sim --gpu nvidia-t4");
  const Json &p = t4.report.at("steps").at(0).at("prediction");
  EXPECT_EQ(p.at("gpu"), "NVIDIA T4");
  EXPECT_LE(p.at("high"), 8140.0001) << "its peak";
  EXPECT_THAT(grade("step3 --assignment hw6 --submission solutions/hw6 --gpu nvidia-none").words,
              HasSubstr("--gpu nvidia-none: no such GPU (known: "));
}

/// A folder with step1 as the naive step0 has it, or as its solution.
class WhatIf : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("warpgrade-what-if-" + std::to_string(getpid()));
    fs::create_directories(folder_ / "hw6");
  }
  void TearDown() override { fs::remove_all(folder_); }
  void hand_in(bool naive) const {
    std::string text =
        warpgrade::tests::text_of(root / "solutions/hw6" / (naive ? "step0_naive.cu" : "step1_coalesced.cu"));
    if (const std::size_t at = text.find("void step0"); naive) text.replace(at, 10, "void step1");
    std::ofstream(folder_ / "hw6/step1_coalesced.cu") << text;
  }
  Said step1(const std::string &command) const {
    return grade(command + " --assignment hw6 --submission '" + (folder_ / "hw6").string() + "'",
                 "WARPGRADE_CACHE='" + (folder_ / "cache").string() + "' ");
  }
  fs::path folder_;
};

TEST_F(WhatIf, AReportSaysWhatCuringALineWouldGainAndTheNextOneWhatHasComeOfIt) {
  hand_in(true);
  const Said naive = step1("step1 --device sim");
  const Json &p = naive.report.at("steps").at(0).at("prediction");
  const Json &first = p.at("what_if").at(0);
  EXPECT_EQ(first.at("cure"), "coalesced");
  EXPECT_GT(first.at("likely").get<double>(), 5 * p.at("likely").get<double>());
  EXPECT_THAT(naive.words, AllOf(HasSubstr("what if with line "), HasSubstr(" coalesced: "),
                                 HasSubstr(" GFLOPS predicted ("), Not(HasSubstr("promised"))));
  hand_in(false);
  const Said cured = step1("step1 --device sim");
  const Json &now = cured.report.at("steps").at(0).at("prediction");
  ASSERT_EQ(now.at("kept").size(), 1u) << now;
  EXPECT_EQ(now.at("kept").at(0).at("before"), p.at("likely"));
  EXPECT_EQ(now.at("kept").at(0).at("promised"), p.at("what_if").back().at("likely"));
  EXPECT_THAT(cured.words, AllOf(HasSubstr("promised "), HasSubstr("; predicted now ")));
}

TEST_F(WhatIf, ATerminalShowsANewPredictionBelowTheScoreAndAKnownOneInTheReport) {
  hand_in(false);
  const auto said = [&](const std::string &options, bool terminal) {
    const std::string command = "WARPGRADE_CACHE='" + (folder_ / "cache").string() + "' NO_COLOR=1 " +
                                place::grade +
                                " step1 --assignment hw6 --device sim --toolchain clang --submission " +
                                (folder_ / "hw6").string() + options;
    const CommandResult r = warpgrade::tests::shell(
        terminal ? "script -qec \"" + command + "\" /dev/null | tr -d '\\r'" : command, root);
    EXPECT_EQ(r.status, 0) << r.output;
    return r.output;
  };
  const auto predicted = [](const std::string &text) {
    const std::string last = "--gpu nvidia-h200";
    const std::size_t begin = text.find("  speed    predicted for "), end = text.find(last, begin);
    return end == std::string::npos ? "none" : text.substr(begin, end + last.size() - begin);
  };
  const std::string first = said("", true), second = said("", true), piped = said(" --seed 7", false);
  EXPECT_THAT(first, HasSubstr("Score: 14/20\n"));
  EXPECT_GT(first.find("  speed    predicted for "), first.find("\nScore: ")) << first;
  EXPECT_LT(second.find("  speed    predicted for "), second.find("\nScore: ")) << second;
  EXPECT_THAT(piped, ::testing::EndsWith("\nScore: 14/20\n")) << "programs read the last line";
  EXPECT_EQ(predicted(first), predicted(second));
  EXPECT_EQ(predicted(piped), predicted(second));
}

TEST_F(WhatIf, ExplainSaysItForTheGpuOfTheCourseOrTheOneThatIsNamed) {
  hand_in(true);
  const Said here = step1("explain step1");
  EXPECT_THAT(here.words, HasSubstr("What if, predicted for NVIDIA H200 at m=n=k=2048: with line "));
  EXPECT_EQ(here.report.at("prediction").at("what_if").at(0).at("cure"), "coalesced");
  const Said t4 = step1("explain step1 --gpu nvidia-t4");
  EXPECT_THAT(t4.words, AllOf(HasSubstr("predicted for NVIDIA T4"), HasSubstr(" with line "),
                              Not(HasSubstr("What if, predicted for NVIDIA H200"))));
}

TEST(PredictionOfAStep, IsOnlyForRightKernels) {
  const Said wrong = grade(
      "step2 --assignment hw6 --device sim --submission "
      "grader/tests/submissions/hw6/race/missing_second_barrier");
  EXPECT_EQ(wrong.status, 1);
  EXPECT_FALSE(wrong.report.at("steps").at(0).contains("prediction"));
  EXPECT_THAT(wrong.words, Not(HasSubstr("predict")));
}

TEST(PredictionOfAStep, IsLeftOutIfSpeedIsNotRequested) {
  for (const char *option : {"--no-timing", "--size 33"}) {
    const Said said =
        grade(std::string("step2 --assignment hw6 --submission solutions/hw6 --device sim ") + option);
    EXPECT_FALSE(said.report.at("steps").at(0).contains("prediction")) << option;
    EXPECT_THAT(said.words, Not(HasSubstr("predict"))) << option;
  }
  const Said untimed = grade("step0 --assignment hw6 --submission solutions/hw6 --device sim");
  EXPECT_FALSE(untimed.report.at("steps").at(0).contains("prediction")) << "its speed gives no points";
}

TEST(PredictionOfAStep, LooksAtNumbersThatArePlaces) {
  const Said said = grade("vector --assignment spmv --submission solutions/spmv --device sim");
  const Json &p = said.report.at("steps").at(0).at("prediction");
  EXPECT_LT(p.at("low"), 796) << "as measured on an H200";
  EXPECT_GT(p.at("high"), 796);
}

TEST(PredictionOfAStep, InBytesPerSecondIsNotAboveTheBandwidthOfTheMemory) {
  const Said said = grade("saxpy --assignment warmup --submission solutions/warmup --device sim");
  const Json &p = said.report.at("steps").at(0).at("prediction");
  EXPECT_EQ(p.at("unit"), "GB/s");
  EXPECT_GT(p.at("low"), 2000);
  EXPECT_LE(p.at("high"), 4800.0001);
}

}  // namespace
