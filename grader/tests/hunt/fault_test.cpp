#include "hunt/fault.hpp"

#include <gtest/gtest.h>

#include "hunt/yaml_blocks.hpp"
#include "judge/hunt.hpp"

namespace warpgrade::hunt {
namespace {

using judge::Verdict;

std::vector<Seen> seen_as(std::initializer_list<Verdict> verdicts) {
  std::vector<Seen> all;
  for (const Verdict v : verdicts) all.push_back({v, v == Verdict::accepted || v == Verdict::race});
  return all;
}
std::string difficulty(std::initializer_list<Verdict> verdicts) {
  const auto found = difficulty_of(seen_as(verdicts));
  return found ? std::string(name_of(*found)) : "none";
}

TEST(HuntDifficulty, IsEverySizeIfEveryCaseFailsAndRaggedIfSomeDo) {
  EXPECT_EQ(difficulty({Verdict::wrong_answer, Verdict::out_of_bounds}), "every-size");
  EXPECT_EQ(difficulty({Verdict::accepted, Verdict::out_of_bounds}), "ragged");
  EXPECT_EQ(difficulty({Verdict::wrong_answer, Verdict::race}), "every-size");
}

TEST(HuntDifficulty, IsRaceOnlyIfEveryResultIsRight) {
  EXPECT_EQ(difficulty({Verdict::race, Verdict::race}), "race-only");
  EXPECT_EQ(difficulty({Verdict::accepted, Verdict::race}), "race-only");
  EXPECT_EQ(*difficulty_of({{Verdict::race, false}}), Difficulty::every_size);
}

TEST(HuntDifficulty, IsNoneOfAFaultThatDoesNotShowOrSaysNothingOfItself) {
  EXPECT_EQ(difficulty({Verdict::accepted, Verdict::accepted}), "none");
  EXPECT_EQ(difficulty({}), "none");
  for (const Verdict v :
       {Verdict::time_limit, Verdict::crashed, Verdict::grader_error, Verdict::launch_error})
    EXPECT_EQ(difficulty({Verdict::wrong_answer, v}), "none") << judge::name_of(v);
}

TEST(HuntCauses, FollowFromTheKindOfTheMistakeAndFromWhatIsSeen) {
  using Names = std::vector<std::string>;
  EXPECT_EQ(causes_of("comparison: lets one more through", seen_as({Verdict::out_of_bounds})),
            Names{"bounds"});
  EXPECT_EQ(causes_of("comparison: lets one less through", seen_as({Verdict::wrong_answer})), Names{"tail"});
  EXPECT_EQ(causes_of("barrier: left out", seen_as({Verdict::race})), Names{"race"});
  EXPECT_EQ(causes_of("atomic: not atomic", seen_as({Verdict::race})), (Names{"atomic", "race"}));
  EXPECT_EQ(causes_of("stride: doubled", seen_as({Verdict::out_of_bounds})), (Names{"stride", "bounds"}));
  EXPECT_EQ(causes_of("statement: left out", seen_as({Verdict::wrong_answer})), Names{}) << "it has no name";
  EXPECT_EQ(causes_of("barrier: left out", seen_as({Verdict::wrong_answer})), Names{});
}

TEST(HuntCauses, AreAmongThoseThatStudentsKnow) {
  for (const std::string_view kind : mutants::kinds())
    for (const Verdict v : {Verdict::wrong_answer, Verdict::out_of_bounds, Verdict::race,
                            Verdict::barrier_error, Verdict::uninitialized_read})
      for (const std::string &cause : causes_of(kind, {{v, false}}))
        EXPECT_EQ(course::cause_of(cause), cause);
}

TEST(HuntFiles, OfASolutionDropTheMarksAndWhatTheyAnnounce) {
  EXPECT_EQ(
      without_marks(
          "int a;  // stays\n  // TODO(1): think\n  // of it\n  // STUB: return 0;\n  // BEGIN SOLUTION\n"
          "  // how\n  return 1;\n  // END SOLUTION\n// after\n"),
      "int a;  // stays\n  // how\n  return 1;\n// after\n");
}

/// The starter that the marks of a solution stand for.
std::vector<std::string> starter_of(const std::string &solution) {
  std::vector<std::string> lines;
  bool dropped = false;
  for (std::size_t at = 0; at < solution.size();) {
    const std::size_t end = solution.find('\n', at);
    std::string line = solution.substr(at, end - at);
    at = end + 1;
    const std::size_t code = std::min(line.find_first_not_of(' '), line.size());
    const auto begins = [&](std::string_view what) { return line.compare(code, what.size(), what) == 0; };
    if (begins("// BEGIN"))
      dropped = true;
    else if (begins("// END"))
      dropped = false;
    else if (begins("// FAULT: "))
      lines.push_back(line.erase(code, std::string_view("// FAULT: ").size()));
    else if (begins("// STUB: "))
      lines.push_back(line.erase(code, std::string_view("// STUB: ").size()));
    else if (!dropped)
      lines.push_back(line);
  }
  return lines;
}

TEST(HuntFiles, HaveTheFaultInTheLineThatTheySay) {
  const std::string source = "void k() {\n  a();\n  if (i < n) b();\n  c();\n}\n";
  const auto files = files_of(source, "void k() {\n  a();\n  if (i <= n) b();\n  c();\n}\n", "bounds");
  ASSERT_TRUE(files);
  EXPECT_EQ(starter_of(files->solution).at(static_cast<std::size_t>(files->first_line) - 1),
            "  if (i <= n) b();");
  EXPECT_EQ(files->last_line, files->first_line);
  EXPECT_EQ(files->changes, 2u);
  EXPECT_NE(files->solution.find("\n// answer line: " + std::to_string(files->first_line) +
                                 "\n// answer cause: bounds\n"),
            std::string::npos);
  EXPECT_NE(
      files->solution.find("// BEGIN FIX\n  // FAULT: if (i <= n) b();\n  if (i < n) b();\n// END FIX\n"),
      std::string::npos)
      << files->solution;
}

TEST(HuntFiles, OfALineThatIsMissingSayTheLinesBeforeAndAfterIt) {
  const auto files = files_of("a();\nbarrier();\nb();\n", "a();\nb();\n", "race");
  ASSERT_TRUE(files);
  const std::vector<std::string> starter = starter_of(files->solution);
  EXPECT_EQ(starter.at(static_cast<std::size_t>(files->first_line) - 1), "a();");
  EXPECT_EQ(starter.at(static_cast<std::size_t>(files->last_line) - 1), "b();");
  EXPECT_EQ(files->changes, 2u);
}

TEST(HuntFiles, OfAFaultWithAnEmptyLineCannotBeWritten) {
  EXPECT_FALSE(files_of("a();\nb();\nc();\n", "a();\n\nc();\n", "race"));
}

TEST(HuntYaml, IsTakenApartIntoBlocksAndStepsWithoutComments) {
  const std::string yaml =
      "# about it\na: 1  # one\nsteps:\n  # first\n  - id: x\n    rules:\n      r: 1\n\n  - id: y\n    "
      "cases: all\nb:\n"
      "  {c: 2}\n";
  const std::vector<Block> blocks = blocks_of(yaml, 0);
  EXPECT_EQ(block_of(blocks, "a"), "a: 1  # one\n");
  EXPECT_EQ(block_of(blocks, "b"), "b:\n  {c: 2}\n");
  EXPECT_EQ(block_of(blocks, "c"), "");
  const auto steps = steps_of(block_of(blocks, "steps"));
  ASSERT_EQ(steps.size(), 2u);
  EXPECT_EQ(block_of(steps[0], "rules"), "    rules:\n      r: 1\n");
  EXPECT_EQ(block_of(steps[0], "id"), "    id: x\n");
  EXPECT_EQ(block_of(steps[1], "cases"), "    cases: all\n");
}

TEST(HuntYaml, OfStepsInBracesIsTakenApartToo) {
  const auto steps =
      steps_of("steps:\n  - {id: x, title: \"a, b}\", cases: all,\n     rules: {r: [1, 2]}}\n  - id: y\n");
  ASSERT_EQ(steps.size(), 2u);
  EXPECT_EQ(block_of(steps[0], "id"), "    id: x\n");
  EXPECT_EQ(block_of(steps[0], "title"), "    title: \"a, b}\"\n");
  EXPECT_EQ(block_of(steps[0], "rules"), "    rules: {r: [1, 2]}\n");
  EXPECT_EQ(block_of(steps[1], "id"), "    id: y\n");
}

}  // namespace
}  // namespace warpgrade::hunt
