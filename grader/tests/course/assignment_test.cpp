#include "course/assignment.hpp"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <tuple>

#include "course/gpu.hpp"
#include "edited.hpp"
#include "tests/places.hpp"

namespace warpgrade::course {
namespace {

const fs::path shipped = fs::path(place::assignments) / "hw6";

class EditedUnroll : public Edited {
 protected:
  EditedUnroll() : Edited("unroll") {}
  const Question &question(const std::string &id) {
    assignment_ = read_assignment(folder_);
    const std::vector<Question> &all = assignment_.find_step("analysis")->questions;
    return *std::find_if(all.begin(), all.end(), [&](const Question &q) { return q.id == id; });
  }
  Assignment assignment_;
};

TEST_F(EditedUnroll, AQuestionSaysWhatAKitDoesWithItsAnswersOrItsStepDoes) {
  EXPECT_TRUE(question("k1_flops").checked_in_kit);
  replace("assignment.yaml", "id: k1_flops,", "id: k1_flops, in_kit: course,");
  EXPECT_FALSE(question("k1_flops").checked_in_kit);
  EXPECT_TRUE(question("k2_flops").checked_in_kit);
  replace("assignment.yaml", "    in_kit: check", "    ");
  EXPECT_FALSE(question("k2_flops").checked_in_kit) << "answers are the course's unless it says otherwise";
}

TEST_F(EditedUnroll, WhatAKitDoesWithAnswersIsOneOfTwoWords) {
  replace("assignment.yaml", "in_kit: check", "in_kit: tell");
  EXPECT_EQ(error(), place("assignment.yaml") + "'in_kit' is 'tell', should be one of check, course");
}

TEST_F(EditedUnroll, AKitKnowsHashesInPlaceOfFactsAndLeavesTheOthersToTheCourse) {
  std::ofstream(folder_ / "sealed.yaml") << "assignment: unroll\nanswers:\n  k1_flops: $y$j9T$x$y\n";
  EXPECT_TRUE(question("k1_flops").sealed.empty()) << "facts.yaml is there";
  fs::remove(folder_ / "facts.yaml");
  EXPECT_EQ(question("k1_flops").sealed, "$y$j9T$x$y");
  EXPECT_FALSE(question("k1_flops").left_to_course);
  EXPECT_TRUE(question("k2_flops").left_to_course);
}

TEST_F(Edited, LimitsOfAStepAndOfTheSimulatorsMemoryAreOptional) {
  EXPECT_EQ(read_assignment(folder_).limits.step_wall_seconds, 60);
  EXPECT_EQ(read_assignment(folder_).limits.simulate.memory_bytes, std::uint64_t{4} << 30);
  replace("assignment.yaml", "simulate: {", "step: {wall_seconds: 90}\n  simulate: {memory_mib: 1024, ");
  EXPECT_EQ(read_assignment(folder_).limits.step_wall_seconds, 90);
  EXPECT_EQ(read_assignment(folder_).limits.simulate.memory_bytes, std::uint64_t{1} << 30);
  replace("assignment.yaml", "wall_seconds: 90", "seconds: 90");
  EXPECT_NE(error().find("unknown key 'seconds' (known: wall_seconds)"), std::string::npos) << error();
}

TEST_F(Edited, AStepMayHaveAnArchitectureOfItsOwn) {
  replace("assignment.yaml", "    entry: step1\n", "    entry: step1\n    arch: compute_90a\n");
  const Assignment a = read_assignment(folder_);
  EXPECT_EQ(a.find_step("step1")->arch, "compute_90a");
  EXPECT_EQ(a.find_step("step2")->arch, "compute_80");
  const auto line = [](const std::string &arch) { return "    arch: " + arch + "\n"; };
  for (const char *wrong : {"sm_90", "compute_", "compute_80a", "compute_90b", "compute_090", "compute_60"}) {
    replace("assignment.yaml", line("compute_90a"), line(wrong));
    EXPECT_NE(error().find("is not a virtual architecture from compute_75 on"), std::string::npos) << wrong;
    replace("assignment.yaml", line(wrong), line("compute_90a"));
  }
}

TEST(Hw6, IsReadWithoutErrors) {
  const Assignment a = read_assignment(shipped);
  EXPECT_EQ(a.name, "hw6");
  EXPECT_EQ(std::count_if(a.steps.begin(), a.steps.end(), [](const Step &s) { return !s.beyond; }), 5);
  EXPECT_EQ(a.points, 100);
  EXPECT_TRUE(a.steps.at(4).extra_credit);
  const std::vector<Thresholds> thresholds = read_all_thresholds(shipped, a);
  ASSERT_EQ(thresholds.size(), read_gpus(shipped.parent_path()).size() + 1) << "and default.yaml";
  EXPECT_EQ(thresholds.front().gpu_id, "nvidia-h200");  // although the H100 comes first in the folder
}

TEST(Hw6, GradesSquaresOfEveryAwkwardSize) {
  const Assignment a = read_assignment(shipped);
  std::set<std::int64_t> sizes;
  for (const Case &c : a.steps.at(3).cases) sizes.insert(c.values.integers[0]);
  for (const std::int64_t n : {1, 2, 31, 32, 33, 63, 65, 127, 128, 129, 257})
    EXPECT_TRUE(sizes.contains(n)) << n;
}

TEST(Hw6, UsesFactorsOtherThanOneAndZeroAndPlainBetaZeroInEveryStep) {
  for (const Step &s : read_assignment(shipped).steps) {
    EXPECT_TRUE(std::any_of(s.cases.begin(), s.cases.end(), [](const Case &c) {
      return !c.gpu_only && c.values.reals[0] != 1 && c.values.reals[1] != 0 && c.values.reals[1] != 1;
    })) << s.id;
    EXPECT_TRUE(std::any_of(s.cases.begin(), s.cases.end(), [](const Case &c) {
      return c.values.reals[1] == 0;
    })) << s.id;
  }
}

TEST(Hw6, StepFourIsGradedOnShapesThatAreNotSquare) {
  const Assignment a = read_assignment(shipped);
  const auto &cases = a.steps.at(4).cases;
  const auto has = [&](std::int64_t m, std::int64_t n, std::int64_t k) {
    return std::any_of(cases.begin(), cases.end(), [&](const Case &c) {
      return c.values.integers == std::vector<std::int64_t>{m, n, k};
    });
  };
  EXPECT_TRUE(has(67, 1, 129));
  EXPECT_TRUE(has(2048, 2048, 1024));
}

TEST(Hw6, StepsOnSquaresAreRunOnOtherShapesForAdvice) {
  const Assignment a = read_assignment(shipped);
  for (const char *id : {"step0", "step1", "step2", "step3"}) {
    const auto &cases = a.find_step(id)->cases;
    EXPECT_GE(std::count_if(cases.begin(), cases.end(), [](const Case &c) { return c.advisory; }), 2) << id;
    for (const Case &c : cases) {
      const auto &[m, n, k] = std::tie(c.values.integers[0], c.values.integers[1], c.values.integers[2]);
      EXPECT_EQ(c.advisory, !(m == n && n == k)) << id << " " << c.name;
    }
  }
}

TEST(Hw6, EveryGpuThatIsDescribedHasItsOwnThresholdsAndOthersTheDefault) {
  const Assignment a = read_assignment(shipped);
  EXPECT_EQ(read_thresholds(shipped, a, "NVIDIA H200").file, "nvidia-h200.yaml");
  EXPECT_EQ(read_thresholds(shipped, a, "NVIDIA H200 NVL").file, "nvidia-h200.yaml");
  EXPECT_EQ(read_thresholds(shipped, a, "NVIDIA GeForce GT 710").file, "default.yaml");
  const Thresholds t4 = read_thresholds(shipped, a, "Tesla T4");
  EXPECT_EQ(t4.file, "nvidia-t4.yaml");
  EXPECT_TRUE(t4.predicted());
  for (const Gpu &gpu : read_gpus(shipped.parent_path()))
    EXPECT_TRUE(std::filesystem::exists(shipped / "thresholds" / (gpu.id + ".yaml"))) << gpu.id;
}

TEST_F(Edited, TheGpuToPredictForHasThresholds) {
  replace("assignment.yaml", "predict_for: nvidia-h200", "predict_for: nvidia-gtx-680");
  EXPECT_NE(error().find("there is no thresholds/nvidia-gtx-680.yaml"), std::string::npos) << error();
}

TEST_F(Edited, ThresholdsSayWhetherTheyWerePredicted) {
  const std::string file = "thresholds/nvidia-h200.yaml";
  replace(file, "source: measured", "source: guessed");
  EXPECT_NE(error().find("'guessed' is not a source of thresholds; accepted: measured, predicted"),
            std::string::npos);
  replace(file, "source: guessed", "source: predicted");
  EXPECT_NE(error().find("'model' is missing"), std::string::npos) << error();
  replace(file, "source: predicted", "source: predicted\nmodel: \"3\"");
  replace(file, "full: 5000", "full: 5000, predicted: [6000, 5500]");
  EXPECT_NE(error().find("the first rate must be lower than the second"), std::string::npos) << error();
  replace(file, "[6000, 5500]", "[5500, 6000]");
  const Assignment a = read_assignment(folder_);
  const Thresholds t = read_thresholds(folder_, a, "NVIDIA H200");
  EXPECT_TRUE(t.predicted());
  EXPECT_EQ(t.model, "3");
  EXPECT_EQ(t.find("step1")->predicted, std::pair(5500.0, 6000.0));
  EXPECT_FALSE(t.find("step2")->predicted);
  replace(file, "source: predicted\nmodel: \"3\"", "source: measured");
  EXPECT_NE(error().find("only thresholds of `source: predicted` have it"), std::string::npos) << error();
}

/// What reading says of a second file of thresholds; that of hw6 is for "NVIDIA H200*".
class TwoThresholds : public Edited {
 protected:
  void SetUp() override {
    Edited::SetUp();
    for (const auto &entry : std::filesystem::directory_iterator(folder_ / "thresholds"))
      if (const std::string name = entry.path().filename().string();
          name != "default.yaml" && name != "nvidia-h200.yaml")
        std::filesystem::remove(entry.path());
  }
  std::string with(const std::string &match) {
    std::string text = std::string(
        std::istreambuf_iterator<char>(std::ifstream(folder_ / "thresholds/nvidia-h200.yaml").rdbuf()), {});
    const std::string id = "gpu: nvidia-h200";
    text.replace(text.find(id), id.size(), "gpu: {match: \"" + match + "\"}");
    std::ofstream(folder_ / "thresholds/other.yaml") << text;
    return error();
  }
};

TEST_F(TwoThresholds, ThatMatchTheSameGpuAreAnErrorWithAGpuForWhichItMatters) {
  EXPECT_EQ(with("NVIDIA A100*"), "no error");
  for (const auto &[match, gpu] : std::map<std::string, std::string>{{"NVIDIA H200*", "NVIDIA H200"},
                                                                     {"NVIDIA H200 NVL", "NVIDIA H200 NVL"},
                                                                     {"*NVL", "NVIDIA H200NVL"},
                                                                     {"NVIDIA H?00", "NVIDIA H200"},
                                                                     {"*", "NVIDIA H200"}}) {
    const std::string said = with(match);
    EXPECT_TRUE(said.starts_with((folder_ / "thresholds/other.yaml").string() + ":")) << said;
    EXPECT_NE(said.find("'match' is '" + match + "', and nvidia-h200.yaml has 'NVIDIA H200*' in line"),
              std::string::npos)
        << said;
    EXPECT_NE(said.find("both match a GPU called '" + gpu + "'"), std::string::npos) << said;
  }
}

TEST_F(TwoThresholds, MatchOnlyByStarsAndQuestionMarks) {
  EXPECT_NE(with("NVIDIA [AH]200").find("is not a pattern for a GPU's name; accepted:"), std::string::npos);
  EXPECT_NE(with("*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*b").find("called 'NVIDIA H200aaaa"),
            std::string::npos)
      << "in no time";
}

TEST_F(Edited, ATabInTheIndentationIsNamed) {
  for (const char *indented : {"\t- id: step0", "  \t- id: step0"}) {
    SetUp();
    replace("assignment.yaml", "  - id: step0", indented);
    EXPECT_EQ(error(),
              place("assignment.yaml") + "this line is indented with a tab; YAML accepts only spaces");
  }
  SetUp();
  replace("assignment.yaml", "    file: step0_naive.cu", "\tfile: step0_naive.cu");
  EXPECT_EQ(error(), place("assignment.yaml") + "this line is indented with a tab; YAML accepts only spaces");
}

TEST_F(Edited, AnUntouchedCopyIsFine) {
  EXPECT_EQ(error(), "no error");
}

TEST_F(Edited, ATypoInAKeyIsFoundInEveryFile) {
  replace("assignment.yaml", "tolerance:", "tolerence:");
  EXPECT_EQ(error().find(place("assignment.yaml") +
                         "unknown key 'tolerence'; did you mean tolerance? (known: assignment, title"),
            0u)
      << error();
  SetUp();
  replace("hidden.yaml", "case_sets:", "casesets:");
  EXPECT_EQ(error(), place("hidden.yaml") +
                         "unknown key 'casesets'; did you mean case_sets? (known: assignment, case_sets, "
                         "extensions, hunts)");
  SetUp();
  replace("thresholds/nvidia-h200.yaml", "pass: 2500", "pas: 2500");
  EXPECT_EQ(error(), place("thresholds/nvidia-h200.yaml") +
                         "unknown key 'pas'; did you mean pass? (known: size, pass, full, predicted)");
}

TEST_F(Edited, AThresholdMustNotExceedThePeakOfTheGpu) {
  replace("thresholds/nvidia-h200.yaml", "pass: 2500, full: 5000", "pass: 2500, full: 66901");
  EXPECT_EQ(error(), place("thresholds/nvidia-h200.yaml") +
                         "66901 GFLOPS cannot be reached: NVIDIA H200 peaks at 66900 GFLOPS");
}

TEST_F(Edited, AToolchainMayBeChosenAndMustExist) {
  replace("assignment.yaml", "toolchain: auto ", "toolchain: clang ");
  EXPECT_EQ(error(), "no error");
  EXPECT_EQ(read_assignment(folder_).toolchain, Toolchain::clang);
  replace("assignment.yaml", "toolchain: clang", "toolchain: gcc");
  EXPECT_NE(error().find("there is no toolchain 'gcc'"), std::string::npos) << error();
}

TEST_F(Edited, PointsThatDoNotAddUpAreFound) {
  replace("assignment.yaml", "points: 100 ", "points: 90  ");
  EXPECT_EQ(error(), place("assignment.yaml") + "'points' is 90, but the steps add up to 100");
}

TEST_F(Edited, ExtraCreditThatDoesNotAddUpIsFound) {
  replace("assignment.yaml", "extra_credit: 15", "extra_credit: 20");
  EXPECT_EQ(error(), place("assignment.yaml") + "'extra_credit' is 20, but the steps add up to 15");
}

TEST_F(Edited, AWrongTypeIsFound) {
  replace("assignment.yaml", "m: 31, n: 31", "m: many, n: 31");
  EXPECT_EQ(error(), place("assignment.yaml") + "'m' is 'many', should be a whole number from 1 to 1048576");
}

TEST_F(Edited, ANonPositiveSizeIsFound) {
  replace("assignment.yaml", "m: 2, n: 2, k: 2", "m: 2, n: 0, k: 2");
  EXPECT_EQ(error(), place("assignment.yaml") + "'n' is '0', should be a whole number from 1 to 1048576");
}

TEST_F(Edited, ACaseThatIsListedTwiceIsFound) {
  replace("assignment.yaml", "{m: 2, n: 2, k: 2}", "{m: 1, n: 1, k: 1}");
  EXPECT_EQ(error(), place("assignment.yaml") + "case 'm=n=k=1' is listed twice");
}

TEST_F(Edited, AHiddenCaseThatIsOpenAlreadyIsFound) {
  replace("hidden.yaml", "{m: 61, n: 61, k: 61}", "{m: 33, n: 33, k: 33}");
  EXPECT_EQ(error(), place("hidden.yaml") + "case 'm=n=k=33' is in assignment.yaml already");
}

TEST_F(Edited, AnOverlongNameIsRejectedBeforeMatching) {
  replace("assignment.yaml", "id: step1", "id: " + std::string(300'000, 'a'));
  EXPECT_EQ(error(), place("assignment.yaml") + "a name of 300000 bytes; at most 100 are accepted");
}

TEST_F(Edited, MorePartsOfAPlanThanAreCountedAreFound) {
  for (const char *part : {"operations: 10000", "launches: 1000", "buffers: 1000"}) {
    SetUp();
    const std::string key = std::string(part).substr(0, std::string(part).find(':'));
    replace("assignment.yaml", part, key + ": 5000000000");  // 705032704 in 32 bits
    EXPECT_EQ(error(),
              place("assignment.yaml") + "'" + key + "' is '5000000000', should be a number from 1 to 1e+09");
  }
}

TEST_F(Edited, AStepWithoutAFileIsFound) {
  replace("assignment.yaml", "    file: step0_naive.cu\n", "");
  EXPECT_NE(error().find("'file' is missing from item 1 of 'steps'"), std::string::npos) << error();
}

TEST_F(Edited, AnUnknownCaseSetIsFoundWithTheKnownOnes) {
  replace("assignment.yaml", "cases: nonsquare", "cases: oblong");
  EXPECT_EQ(error(),
            place("assignment.yaml") + "there is no case set 'oblong' (there are: nonsquare, square)");
}

TEST_F(Edited, AMistypedWordIsFoundWithASuggestion) {
  const auto said = [&](const char *file, const char *right, const char *wrong) {
    SetUp();
    replace(file, right, wrong);
    const std::string found = error();
    EXPECT_EQ(found.rfind(place(file), 0), 0u) << found;
    return found.substr(std::min(found.size(), place(file).size()));
  };
  const std::string yaml = "assignment.yaml";
  EXPECT_EQ(said(yaml.c_str(), "cases: nonsquare", "cases: nonsqare"),
            "there is no case set 'nonsqare'; did you mean nonsquare? (there are: nonsquare, square)");
  EXPECT_EQ(said("hidden.yaml", "  square:", "  sqare:"),
            "assignment.yaml has no case set 'sqare'; did you mean square?");
  EXPECT_NE(said(yaml.c_str(), "load_sectors_over_ideal:", "load_sector_over_ideal:")
                .find("'load_sector_over_ideal' is not a counter; did you mean load_sectors_over_ideal?"),
            std::string::npos);
  EXPECT_NE(said(yaml.c_str(), "problem: sgemm", "problem: sgem")
                .find("there is no problem 'sgem'; did you mean sgemm?"),
            std::string::npos);
  EXPECT_NE(said(yaml.c_str(), "shared_memory: forbidden", "shared_memory: forbiden")
                .find("did you mean forbidden?"),
            std::string::npos);
}

TEST_F(Edited, AnUnusedCaseSetIsFound) {
  replace("assignment.yaml", "case_sets:\n", "case_sets:\n  spare:\n    - {m: 1, n: 1, k: 1}\n");
  EXPECT_NE(error().find("no step uses the case set 'spare'"), std::string::npos) << error();
}

TEST_F(Edited, AStepMayGiveNumbersThatFollowFromTheSizesOfItsCases) {
  replace("assignment.yaml", "square:\n", "few:\n    - {m: 6, n: 5}\n    - {m: 6, n: 5, k: 4}\n  square:\n");
  replace("assignment.yaml", "    cases: square\n", "    cases: few\n    with: {k: m/2}\n");
  const Step step = read_assignment(folder_).steps.at(0);
  ASSERT_EQ(step.cases.size(), 2u);
  EXPECT_EQ(step.cases[0].name, "m=6 n=5 k=3");
  EXPECT_EQ(step.cases[1].name, "m=6 n=5 k=4");
  replace("assignment.yaml", "{k: m/2}", "{k: m/4}");
  EXPECT_NE(error().find("k = m/4 is 1.5, should be a whole number"), std::string::npos) << error();
  replace("assignment.yaml", "{k: m/4}", "{q: m/4}");
  EXPECT_EQ(error(), place("assignment.yaml") + "the problem sgemm has no 'q' (it has: m, n, k)");
}

TEST_F(Edited, AStepWithAProblemOfItsOwnSaysAtWhichSizeItIsCounted) {
  replace("assignment.yaml", "    cases: square\n", "    cases: square\n    problem: sgemm\n");
  EXPECT_NE(error().find("needs 'counted_at'"), std::string::npos) << error();
  replace("assignment.yaml", "    problem: sgemm\n", "    problem: sgemm\n    counted_at: 64\n");
  EXPECT_EQ(read_assignment(folder_).steps.at(0).counters_on, (problem::Case{{64, 64, 64}, {1, 0}}));
}

TEST_F(Edited, StepsMayShareAFileThatCompilesAlike) {
  replace("assignment.yaml", "file: step1_coalesced.cu\n    entry: step1",
          "file: step0_naive.cu\n    entry: step0");
  EXPECT_EQ(error(), "no error");
  replace("assignment.yaml", "entry: step0\n    points: {correct: 11",
          "entry: step1\n    points: {correct: 11");
  EXPECT_NE(error().find("belongs to step 'step0' already, with another entry"), std::string::npos)
      << error();
}

TEST_F(Edited, AThresholdOfAnUnknownStepIsFound) {
  replace("thresholds/default.yaml", "step2:", "step9:");
  EXPECT_EQ(error(), place("thresholds/default.yaml") +
                         "there is no step 'step9' (there are: step0, step1, step2, step3, step4, beyond1, "
                         "beyond2, beyond3, beyond4, beyond5, beyond6, beyond7)");
}

TEST_F(Edited, AnUnknownCounterIsFoundWithTheKnownOnes) {
  replace("assignment.yaml", "load_sectors_over_ideal:", "sectors_over_loads:");
  const std::string said = error();
  EXPECT_TRUE(said.starts_with(place("assignment.yaml") + "'sectors_over_loads' is not a counter (known: "
                                                          "sectors_per_load, "))
      << said;
}

TEST_F(Edited, ACounterNeedsOneLimit) {
  replace("assignment.yaml", "{at_most: 3, points", "{at_most: 3, at_least: 1, points");
  EXPECT_EQ(error(), place("assignment.yaml") + "a counter needs 'at_most' or 'at_least', and not both");
}

TEST_F(Edited, CounterPointsThatDoNotAddUpAreFound) {
  replace("assignment.yaml", "points: {correct: 11, counters: 3, fast: 6}",
          "points: {correct: 10, counters: 4, fast: 6}");
  EXPECT_EQ(error(), place("assignment.yaml") +
                         "'counters' is 4, but the points under this step's 'counters' add up to 3");
}

TEST(Hw6, LeadsOnBeyondTheCourseWithoutPoints) {
  int beyond = 0;
  for (const Step &s : read_assignment(shipped).steps) {
    if (!s.beyond) continue;
    ++beyond;
    EXPECT_EQ(s.points.total(), 0) << s.id;
    EXPECT_EQ(s.path(), fs::path("beyond") / s.file);
  }
  EXPECT_GE(beyond, 5);
}

TEST_F(Edited, AStepBeyondTheCourseHasNoPoints) {
  replace("assignment.yaml", "    beyond: true\n", "    beyond: true\n    points: {correct: 1}\n");
  EXPECT_NE(error().find("a step beyond the course has no points"), std::string::npos) << error();
}

TEST_F(Edited, AMissingFileIsFound) {
  fs::remove(folder_ / "thresholds" / "default.yaml");
  EXPECT_EQ(error(),
            (folder_ / "thresholds" / "default.yaml").string() + ":1: the file is missing or cannot be read");
}

TEST_F(Edited, WithoutHiddenYamlOnlyOpenCasesAreGraded) {
  fs::remove(folder_ / "hidden.yaml");
  const Assignment a = read_assignment(folder_);
  EXPECT_FALSE(a.has_hidden_cases);
  for (const Step &s : a.steps)
    for (const Case &c : s.cases) EXPECT_EQ(c.visibility, Visibility::open);
}

TEST_F(Edited, WithoutALayoutItIsDetected) {
  replace("assignment.yaml", "submissions: {layout: auto}", "");
  EXPECT_EQ(read_assignment(folder_).submissions.layout, "auto");
}

TEST_F(Edited, AnUnknownLayoutIsFoundWithTheKnownOnes) {
  replace("assignment.yaml", "submissions: {layout: auto}", "submissions: {layout: canvass}");
  EXPECT_EQ(error(), place("assignment.yaml") +
                         "there is no layout 'canvass' (there are: auto, plain, id, moodle, "
                         "canvas, gradescope, autolab)");
}

TEST_F(Edited, AnOwnPatternIsReadInPlaceOfALayout) {
  replace("assignment.yaml", "submissions: {layout: auto}",
          "submissions: {pattern: '(?<student>s[0-9]+)-hw6'}");
  EXPECT_EQ(read_assignment(folder_).submissions, (Submissions{"pattern", "(?<student>s[0-9]+)-hw6"}));
}

TEST_F(Edited, APatternWithoutAStudentIsFound) {
  replace("assignment.yaml", "submissions: {layout: auto}", "submissions: {pattern: 's[0-9]+'}");
  EXPECT_EQ(error(), place("assignment.yaml") +
                         "the pattern needs a group for the student's id: "
                         "(?<student>[0-9]+), or ([0-9]+) as its first group");
  SetUp();
  replace("assignment.yaml", "submissions: {layout: auto}",
          "submissions: {layout: id, pattern: '(s[0-9]+)'}");
  EXPECT_EQ(error(),
            place("assignment.yaml") + "'layout' and 'pattern' exclude each other; give one of them");
}

TEST_F(Edited, TheFolderAndTheNameMustAgree) {
  fs::rename(folder_, root_ / "hw7");
  folder_ = root_ / "hw7";
  EXPECT_EQ(error(), (folder_ / "assignment.yaml").string() + ":3: this is 'hw6', but the folder is 'hw7'");
}

TEST_F(Edited, HeadersAreNamesOfHeadersAndTheSameForAllStepsOfAFile) {
  replace("assignment.yaml", "    entry: step3\n", "    entry: step3\n    headers: [options.h]\n");
  const Assignment a = read_assignment(folder_);
  EXPECT_EQ(a.find_step("step3")->headers, std::vector<std::string>{"options.h"});
  EXPECT_EQ(a.find_step("step3")->files(), (std::vector<std::string>{"step3_blocktile.cu", "options.h"}));
  replace("assignment.yaml", "[options.h]", "[../gemm.h]");
  EXPECT_EQ(error(), place("assignment.yaml") + "'../gemm.h' is not the name of a .h file");
}

TEST_F(Edited, AnAdvisoryCaseRunsOnTheSimulatorAndIsNotHidden) {
  replace("assignment.yaml", "{m: 33, n: 200, k: 17, advisory: true}", "{m: 33, n: 200, k: 17}");
  EXPECT_EQ(error(), "no error") << "without the key it counts";
  SetUp();
  replace("assignment.yaml", "k: 17, advisory: true}", "k: 17, advisory: true, on: gpu}");
  EXPECT_EQ(error(), place("assignment.yaml") +
                         "an advisory case runs on the simulator; remove 'advisory' or 'on: gpu'");
  SetUp();
  replace("hidden.yaml", "{m: 61, n: 61, k: 61}", "{m: 61, n: 61, k: 61, advisory: true}");
  EXPECT_EQ(error(),
            place("hidden.yaml") + "a hidden case cannot be advisory: its warning would show what is hidden");
}

class EditedMulti : public Edited {
 protected:
  EditedMulti() : Edited("multi") {}
};

TEST_F(EditedMulti, ACaseOnSeveralDevicesCannotWaitForAGpu) {
  replace("assignment.yaml", "{n: 6, devices: 4}", "{n: 6, devices: 4, on: gpu}");
  EXPECT_EQ(error(), place("assignment.yaml") +
                         "this case would wait for ever: a launcher for several devices is graded on the "
                         "simulator; remove 'on: gpu'");
}

TEST_F(Edited, SizesNearTheCountedOneAreTheMultiplesInARange) {
  replace("assignment.yaml", "counted_near: {from: 232, to: 248, multiple_of: 8}",
          "counted_near: {from: 250, to: 270, multiple_of: 8}");
  const Assignment a = read_assignment(folder_);
  const Step &step = *a.find_step("step1");
  ASSERT_EQ(step.counters_near.size(), 1u) << "256 itself is not near it";
  EXPECT_EQ(step.counters_near[0].integers, (std::vector<std::int64_t>{264, 264, 264}));
  SetUp();
  replace("assignment.yaml", "counted_near: {from: 232, to: 248, multiple_of: 8}",
          "counted_near: {from: 250, to: 260, multiple_of: 8}");
  EXPECT_EQ(error(), place("assignment.yaml") + "no multiple of 8 from 250 to 260 but the size itself");
}

TEST(Histogram, TheNumberOfBinsStaysWhereTheSizeIsDrawn) {
  const Assignment a = read_assignment(fs::path(place::assignments) / "histogram");
  const Step &step = a.steps.at(1);
  ASSERT_FALSE(step.counters_near.empty());
  for (const problem::Case &c : step.counters_near) EXPECT_EQ(c.integers[1], step.counters_on.integers[1]);
}

TEST(Unroll, TheGeometryFollowsTheSizeThatIsDrawn) {
  const Assignment a = read_assignment(fs::path(place::assignments) / "unroll");
  for (const problem::Case &c : a.find_step("k5")->counters_near) {
    EXPECT_EQ(c.integers[4], c.integers[0] / 64);  // grid_x: n/64
    EXPECT_EQ(c.integers[5], c.integers[1] / 2);   // grid_y: m/2
  }
}

TEST(Pa2, TimesOneFileAtTheSizesOfItsDocumentWithTheRatesOfAT4) {
  const Assignment a = read_assignment(fs::path(place::assignments) / "pa2");
  const Thresholds t4 = read_thresholds(fs::path(place::assignments) / "pa2", a, "Tesla T4");
  EXPECT_EQ(t4.file, "nvidia-t4.yaml");
  const std::map<std::string, double> peaks = {
      {"n256", 1468}, {"n512", 3088}, {"n1024", 3106}, {"n2048", 3559}, {"n4096", 3575}};
  for (const auto &[id, peak] : peaks) {
    ASSERT_TRUE(t4.find(id)) << id;
    EXPECT_EQ(t4.find(id)->full.value, peak) << id;
    EXPECT_EQ(t4.find(id)->size.integers[0], std::stoi(id.substr(1))) << id;
    EXPECT_EQ(a.find_step(id)->file, "matmul.cu");
  }
}

}  // namespace
}  // namespace warpgrade::course
