#include <gtest/gtest.h>

#include <sstream>

#include "report/text.hpp"
#include "tests/report/sample.hpp"

namespace warpgrade::report {
namespace {

TEST(Terminal, NoLineIsWiderThanEightyColumns) {
  std::istringstream lines(to_terminal(Sample().report(), {.verbose = true}));
  for (std::string line; std::getline(lines, line);) EXPECT_LE(columns_of(line), 80u) << line;
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

}  // namespace
}  // namespace warpgrade::report
