#include "harden/harden.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>

#include "base/files.hpp"
#include "base/scratch.hpp"
#include "course/assignment.hpp"
#include "harden/examine.hpp"
#include "harden/search.hpp"

namespace warpgrade::harden {
namespace {

using ::testing::HasSubstr;

course::Assignment hw6() {
  return course::read_assignment(std::string(WARPGRADE_ROOT) + "/assignments/hw6");
}

Examined with(Outcome o) {
  return {{"kind: x", 1, true, "a", "b", "b\n"}, {o, "", "", "{m: 3, n: 3, k: 3}", 5}};
}

TEST(HardenFigures, CountWhatIsKilledOfWhatIsNotEquivalent) {
  const Figures f =
      figures_of({with(Outcome::not_compiled), with(Outcome::same_code), with(Outcome::by_public),
                  with(Outcome::by_hidden), with(Outcome::by_points), with(Outcome::warned),
                  with(Outcome::survived), with(Outcome::no_difference), with(Outcome::reasoned)});
  EXPECT_EQ(f.mutants, 8u);  // without the one that does not compile
  EXPECT_EQ(f.killed(), 4u);
  EXPECT_EQ(f.equivalent(), 3u);
  EXPECT_DOUBLE_EQ(f.share(), 0.8);  // 4 of 5: the survivor is the fifth
}

TEST(HardenFigures, OfNothingAreNoReasonToComplain) {
  EXPECT_DOUBLE_EQ(figures_of({with(Outcome::same_code)}).share(), 1.0);
}

TEST(HardenMutants, AreWrittenAsSubmissionsWithAList) {
  const Scratch scratch;
  const course::Assignment a = hw6();
  write_mutants(a, {a.find_step("step0")}, std::string(WARPGRADE_ROOT) + "/solutions/hw6", scratch.path());
  const std::string list = read_whole(scratch.path() / "mutants.json");
  EXPECT_THAT(list, HasSubstr("\"folder\": \"step0/1\""));
  EXPECT_THAT(list, HasSubstr("\"kind\": \"index: another size\""));
  const std::string solution = read_whole(std::string(WARPGRADE_ROOT) + "/solutions/hw6/step0_naive.cu"),
                    mutant = read_whole(scratch.path() / "step0/1/step0_naive.cu");
  EXPECT_NE(mutant, solution);
  EXPECT_GT(mutant.size(), solution.size() / 2);
}

TEST(HardenResults, AreThereForTheNextRun) {
  const Scratch scratch;
  const auto file = scratch.path() / "step1.jsonl";
  Results(file).add("key", {Outcome::survived, "m=n=k=3", "wrong", "{m: 3, n: 3, k: 3}", 7});
  const auto found = Results(file).find("key");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->outcome, Outcome::survived);
  EXPECT_EQ(found->kill, "{m: 3, n: 3, k: 3}");
  EXPECT_FALSE(Results(file).find("another"));
}

TEST(HardenResults, IgnoreALineThatWasCutOff) {
  const Scratch scratch;
  const auto file = scratch.path() / "step1.jsonl";
  write_scratch(file, R"({"key":"a","outcome":"same_code"}
{"key":"b","outc)");
  EXPECT_TRUE(Results(file).find("a"));
  EXPECT_FALSE(Results(file).find("b"));
}

TEST(HardenTable, ShowsASurvivorWithTheCaseThatKillsIt) {
  const std::string text = to_text({"step1", "step1.cu", "a\n", {with(Outcome::survived)}, 0, {}});
  EXPECT_THAT(text, HasSubstr("-a\n+b\n"));
  EXPECT_THAT(text, HasSubstr("    - {m: 3, n: 3, k: 3}\n"));
}

TEST(HardenEquivalents, GiveAReasonWhereNoDifferenceIsFoundAndNoneWhereOneIs) {
  const std::vector<mutants::Equivalent> all = {{"", "", "a", "b", "it is only a name", 3}};
  StepResult same{"step1", "step1.cu", "a\n", {with(Outcome::no_difference)}, 0, {}};
  apply_equivalents(same, all);
  EXPECT_EQ(same.examined[0].fate.outcome, Outcome::reasoned);
  EXPECT_EQ(same.examined[0].fate.reason, "it is only a name");
  StepResult other{"step1", "step1.cu", "a\n", {with(Outcome::survived)}, 0, {}};
  other.examined[0].fate.by = "m=n=k=3";
  apply_equivalents(other, all);
  EXPECT_EQ(other.examined[0].fate.outcome, Outcome::survived);
  EXPECT_THAT(to_text(other),
              HasSubstr("equivalent.yaml:3 calls the change in line 1 of step1.cu equivalent, but "
                        "m=n=k=3 tells it"));
}

TEST(HardenEquivalents, LeaveWhatCasesKillAlone) {
  StepResult killed{"step1", "step1.cu", "a\n", {with(Outcome::by_public)}, 0, {}};
  apply_equivalents(killed, {{"", "", "a", "b", "it is only a name", 3}});
  EXPECT_EQ(killed.examined[0].fate.outcome, Outcome::by_public);
}

TEST(HardenSearch, StaysSquareWhereTheCasesAre) {
  const course::Assignment a = hw6();
  const std::vector<problem::Case> all = wider_cases(*a.find_step("step1"), "constexpr int T = 24;");
  ASSERT_GE(all.size(), 30u);
  bool around = false;
  for (const problem::Case &c : all) {
    EXPECT_EQ(c.integers[0], c.integers[1]);
    EXPECT_EQ(c.integers[0], c.integers[2]);
    around = around || c.integers[0] == 25;  // one past the constant
  }
  EXPECT_TRUE(around);
}

TEST(HardenSearch, TakesOtherShapesWhereTheCasesDo) {
  const course::Assignment a = hw6();
  const std::vector<problem::Case> all = wider_cases(*a.find_step("step4"), "constexpr int T = 24;");
  EXPECT_TRUE(std::any_of(all.begin(), all.end(),
                          [](const problem::Case &c) { return c.integers[0] != c.integers[1]; }));
}

TEST(HardenSearch, GoesOnBeyondCasesThatAreAllTiny) {
  course::Assignment a = hw6();
  course::Step &step =
      *std::find_if(a.steps.begin(), a.steps.end(), [](const course::Step &s) { return s.id == "step1"; });
  step.cases.resize(1);  // m=n=k=1
  const std::vector<problem::Case> all = wider_cases(step, "constexpr int T = 24;");
  EXPECT_TRUE(
      std::any_of(all.begin(), all.end(), [](const problem::Case &c) { return c.integers[0] == 25; }));
}

TEST(HardenSearch, WritesACaseAsHiddenYamlHasIt) {
  const course::Assignment a = hw6();
  const course::Step &step = *a.find_step("step1");
  EXPECT_EQ(as_yaml(step, problem::parse_case(*step.problem, "m=3 n=5 k=7 alpha=0.5")),
            "{m: 3, n: 5, k: 7, alpha: 0.5}");
}

TEST(HardenConstants, NoCaseOfHw6AcceptsAnOutputThatIsTheSameEverywhere) {
  const course::Assignment a = hw6();
  for (const ConstantOutput &c : constant_outputs(a, *a.find_step("step1"))) {
    EXPECT_GT(c.cases, 0u) << c.what;
    EXPECT_EQ(c.accepted, 0u) << c.what;
  }
}

// Where all numbers of a case are equal, or none is there, such an output is right; but not in many cases of a step.
TEST(HardenConstants, AreRefusedByMostCasesOfEveryStepOfOurs) {
  std::size_t steps = 0;
  for (const auto &folder :
       std::filesystem::directory_iterator(std::string(WARPGRADE_ROOT) + "/assignments")) {
    if (!std::filesystem::exists(folder.path() / "assignment.yaml")) continue;
    const course::Assignment a = course::read_assignment(folder.path());
    std::map<std::string, std::vector<ConstantOutput>> known;  // steps share problems and cases
    for (const course::Step &step : a.steps) {
      if (!step.has_kernel()) continue;
      ++steps;
      std::string key(step.problem->name());
      for (const course::Case &c : step.cases) key += " " + c.name;
      if (!known.contains(key)) known[key] = constant_outputs(a, step);
      for (const ConstantOutput &c : known[key])
        EXPECT_LE(4 * c.accepted, c.cases) << a.name << ", " << step.id << ": " << c.what;
    }
  }
  EXPECT_GT(steps, 50u);
}

}  // namespace
}  // namespace warpgrade::harden
