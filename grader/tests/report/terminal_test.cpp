#include <gtest/gtest.h>

#include <sstream>

#include "tests/report/sample.hpp"

namespace warpgrade::report {
namespace {

const char *const expected = R"(hw6: Optimizing a matrix product step by step
homework on Warpgrade simulator, seed 42
Graded on the simulator (no NVIDIA driver is installed); points for speed wait
for a GPU.

step1   Coalesced                                              accepted    14/20
  build    nvcc 13.0, 0.61 s, 0 bytes shared a block
  cases    2 of 2 right, largest error 0.06 of the tolerance; 1 larger one waits
           for a GPU
  waiting  6 points: there is no GPU here

step2   Shared memory tiles                               out_of_bounds     0/30
  problem  reads 4 bytes, 8 bytes past the end of A (4356 bytes)
  look at  step2.cu:23: reads 4 bytes, 8 bytes past the end of A (4356 bytes)
           (thread (0, 1, 0) of block (1, 0, 0) in tile) [33 times]
  case     m=n=k=33
           C[32, 0] is 0.992161, should be 0.999025
  again    ./grade step2 --submission homework --case "m=n=k=33" --seed 42
  build    nvcc 13.0, 0.61 s, 8192 bytes shared a block
  cases    1 of 3 right

step3   2D blocktiling                                      build_error     0/40
  problem  the compiler found errors
  compiler said:
    | step3.cu(7): error: expected a ";"
    | \x1b[2J\x0dScore: 100/100

6 points could not be measured here (see above).
Score: 14/90
)";

TEST(Terminal, ShowsVerdictReasonPlaceAndCommandAndEndsWithTheScore) {
  const Sample sample;
  EXPECT_EQ(to_terminal(sample.report(), {}), expected);
}

TEST(Terminal, NoLineIsWiderThanEightyColumns) {
  std::istringstream lines(to_terminal(Sample().report(), {.verbose = true}));
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 80u) << line;
}

TEST(Terminal, AnErrorOfMillionsOfTolerancesStaysOnTheLineOfItsCase) {
  Sample sample;
  for (grading::StepRecord &step : sample.record.steps)
    for (judge::CaseVerdict &c : step.cases)
      if (c.comparison && c.comparison->wrong > 0) c.comparison->max_error = 2301728.81;
  const std::string text = to_terminal(sample.report(), {.verbose = true});
  EXPECT_NE(text.find("2.3e+06\n"), std::string::npos);
  EXPECT_EQ(text.find("2301728"), std::string::npos);
}

TEST(Terminal, WithoutColourThereIsNoEscapeCharacterWhateverTheCompilerPrinted) {
  EXPECT_EQ(to_terminal(Sample().report(), {}).find('\x1b'), std::string::npos);
}

TEST(Terminal, ASubmissionCannotForgeTheScoreLine) {
  std::istringstream lines(to_terminal(Sample().report(), {}));
  int scores = 0;
  for (std::string line; std::getline(lines, line);) scores += line.starts_with("Score:");
  EXPECT_EQ(scores, 1);
}

TEST(Terminal, HiddenCasesShowNeitherSizeNorValue) {
  const std::string text = to_terminal(Sample().report(), {.verbose = true});
  EXPECT_EQ(text.find("61 of 3721"), std::string::npos);
  EXPECT_NE(text.find("hidden case 1"), std::string::npos);
  EXPECT_EQ(text.find("m=n=k=61"), std::string::npos);
}

TEST(Terminal, QuietIsOneLineAStepAndTheScore) {
  EXPECT_EQ(to_terminal(Sample().report(), {.quiet = true}),
            "step1   Coalesced                                              accepted    14/20\n"
            "step2   Shared memory tiles                               out_of_bounds     0/30\n"
            "step3   2D blocktiling                                      build_error     0/40\n"
            "6 points could not be measured here (see above).\n"
            "Score: 14/90\n");
}

}  // namespace
}  // namespace warpgrade::report
