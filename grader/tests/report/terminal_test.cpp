#include <gtest/gtest.h>

#include <array>
#include <regex>
#include <sstream>

#include "report/html.hpp"
#include "report/text.hpp"
#include "tests/report/gpu_sample.hpp"
#include "tests/report/sample.hpp"

namespace warpgrade::report {
namespace {

TEST(Terminal, NoLineIsWiderThanEightyColumns) {
  std::istringstream lines(to_terminal(Sample().report(), {.verbose = true}));
  for (std::string line; std::getline(lines, line);) EXPECT_LE(columns_of(line), 80u) << line;
}

TEST(Terminal, NoLineIsWiderThanTheTerminalUnlessItIsToBeCopied) {
  for (const std::size_t columns : {40u, 50u, 72u, 79u, 80u}) {
    for (const bool verbose : {false, true}) {
      const std::string text = to_terminal(Sample().report(), {.verbose = verbose, .columns = columns});
      std::istringstream lines(text);
      bool command = false;  // continues the previous line
      for (std::string line; std::getline(lines, line);) {
        command = command || line.find("./grade ") != std::string::npos;
        if (!command) {
          EXPECT_LE(columns_of(line), columns) << line;
        }
        command = command && line.ends_with("\\");
      }
      EXPECT_TRUE(text.ends_with("\nScore: " + points(Sample().score.points) + "/" +
                                 points(Sample().score.max_points) + "\n"));
    }
  }
}

TEST(Terminal, AWiderTerminalChangesNothingAndATinyOneGetsFortyColumns) {
  EXPECT_EQ(to_terminal(Sample().report(), {.columns = 200}), to_terminal(Sample().report(), {}));
  EXPECT_EQ(to_terminal(Sample().report(), {.columns = 3}), to_terminal(Sample().report(), {.columns = 40}));
}

TEST(Terminal, PrintedTextIsOneLineUnlessRequested) {
  Sample sample;
  for (grading::StepRecord &step : sample.record.steps) {
    step.printed.clear();
    for (judge::CaseVerdict &c : step.cases) c.printed.clear();
  }
  sample.record.steps[0].printed = "a\nb\n";
  sample.record.steps[0].cases[0].printed = "c";
  const std::string brief = to_terminal(sample.report(), {});
  EXPECT_NE(brief.find("  printed  your code printed 3 lines; -v shows them\n"), std::string::npos) << brief;
  EXPECT_EQ(brief.find("| a"), std::string::npos);
  EXPECT_NE(to_terminal(sample.report(), {.verbose = true}).find("| a\n"), std::string::npos);
}

TEST(Terminal, AHugeErrorStaysOnTheLineOfItsCase) {
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
  EXPECT_NE(text.find("1 of 3 right (0 of 1 hidden)"), std::string::npos) << text;
}

TEST(Report, SaysInEveryFormThatThresholdsWerePredicted) {
  GpuSample sample;
  const auto all = [&] {
    return std::array{to_terminal(sample.report(), {.columns = 200}), to_html(sample.report(), {}),
                      to_json(sample.report())};
  };
  for (const std::string &measured : all()) EXPECT_EQ(measured.find("predicted, not"), std::string::npos);
  sample.thresholds.source = course::Thresholds::Source::predicted;
  const auto [text, page, json] = all();
  for (const std::string &form : {text, page}) EXPECT_NE(form.find("predicted, not"), std::string::npos);
  EXPECT_NE(json.find("\"thresholds_source\": \"predicted\""), std::string::npos);
}

// Sizes were read digit by digit from one report: a kernel chose among kinds of failures, and among places.
TEST(Report, HiddenCasesThatFailInAnyWayAndAnyOrderReadTheSameForAStudent) {
  const auto reports = [](std::vector<judge::CaseVerdict> cases) {
    Sample s;
    grading::StepRecord &step = s.record.steps[1];
    std::erase_if(step.cases, [](const auto &c) { return c.visibility == course::Visibility::hidden; });
    step.cases.insert(step.cases.end(), cases.begin(), cases.end());
    const std::regex clock(" timestamp=\"[^\"]*\"");
    return to_terminal(s.report(), {.verbose = true}) + to_json(s.report()) +
           std::regex_replace(to_junit(s.report()), clock, "") + to_html(s.report(), {});
  };
  const auto hidden = [](int size, judge::Verdict v) {
    judge::CaseVerdict c;
    c.name = "m=n=k=" + std::to_string(size);
    c.values = {{size, size, size}, {1, 0}};
    c.visibility = course::Visibility::hidden;
    c.verdict = v;
    c.where = "sim";
    c.reason = judge::name_of(v);
    c.comparison.emplace().max_error = size;
    c.printed = "printed";
    return c;
  };
  using judge::Verdict;
  const std::string one_of_three = reports(
      {hidden(3, Verdict::accepted), hidden(61, Verdict::wrong_answer), hidden(97, Verdict::wrong_answer)});
  for (const Verdict kind : {Verdict::race, Verdict::crashed, Verdict::out_of_bounds, Verdict::bad_plan,
                             Verdict::time_limit, Verdict::rule_violation, Verdict::input_changed})
    EXPECT_EQ(one_of_three,
              reports({hidden(3, kind), hidden(61, Verdict::accepted), hidden(97, Verdict::launch_error)}))
        << judge::name_of(kind);
  judge::CaseVerdict skipped = hidden(97, Verdict::grader_error);
  skipped.skipped = true;
  EXPECT_EQ(one_of_three, reports({hidden(3, Verdict::accepted), hidden(61, Verdict::time_limit), skipped}));
  EXPECT_NE(one_of_three, reports({hidden(3, Verdict::accepted), hidden(61, Verdict::accepted),
                                   hidden(97, Verdict::wrong_answer)}))
      << "their number is not a secret";
}

TEST(Terminal, APartOfTheCasesLooksLikeNoGrade) {
  const Sample s;
  Report r = s.report();
  r.not_graded = "1 of 23 cases run";
  for (const bool quiet : {false, true}) {
    const std::string text = to_terminal(r, {.quiet = quiet});
    EXPECT_TRUE(text.ends_with("Score: not graded (1 of 23 cases run)\n")) << text;
    EXPECT_NE(text.find("accepted     -/20"), std::string::npos) << text;
    EXPECT_EQ(text.find("14/20"), std::string::npos) << text;
    EXPECT_EQ(text.find("waiting"), std::string::npos) << text;
  }
}

TEST(Terminal, AnAdvisoryCaseIsNeitherRightNorWrong) {
  Sample s;
  judge::CaseVerdict &c = s.record.steps[0].cases[1];
  c.advisory = true;
  c.verdict = judge::Verdict::wrong_answer;
  const std::string text = to_terminal(s.report(), {.verbose = true});
  EXPECT_NE(text.find("1 of 1 right"), std::string::npos) << text;
  EXPECT_NE(text.find("wrong_answer, no points"), std::string::npos) << text;
}

TEST(Report, SaysFp32OnlyWhereCublasComputesInIt) {
  GpuSample s;
  EXPECT_NE(to_terminal(s.report(), {}).find("of cuBLAS fp32 ("), std::string::npos);
  EXPECT_NE(to_html(s.report(), {}).find("cuBLAS fp32 measured"), std::string::npos);
  for (course::Step &step : s.assignment.steps) step.problem = problem::find_problem("hgemm");
  EXPECT_EQ(to_terminal(s.report(), {}).find("fp32 ("), std::string::npos) << "hw7 multiplies halves";
  EXPECT_EQ(to_html(s.report(), {}).find("cuBLAS fp32 measured"), std::string::npos);
}

}  // namespace
}  // namespace warpgrade::report
