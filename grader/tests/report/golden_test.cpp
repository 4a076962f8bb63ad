// The terminal's text as a whole, against the files in golden/. After a change that is meant:
//   WARPGRADE_WRITE_GOLDEN=1 build/grader/tests/report/test_report --gtest_filter='Golden.*'
// then read `git diff grader/tests/report/golden` as a student would.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "report/text.hpp"
#include "tests/report/gpu_sample.hpp"
#include "tests/report/predicted.hpp"
#include "tests/report/sample.hpp"

namespace warpgrade::report {
namespace {

void expect_golden(const std::string &name, const std::string &text) {
  const std::string file = std::string(WARPGRADE_GOLDEN) + "/" + name;
  if (std::getenv("WARPGRADE_WRITE_GOLDEN")) {
    std::ofstream(file, std::ios::binary) << text;
    return;
  }
  std::ifstream in(file, std::ios::binary);
  ASSERT_TRUE(in) << file << " is not there; WARPGRADE_WRITE_GOLDEN=1 writes it";
  std::ostringstream expected;
  expected << in.rdbuf();
  EXPECT_EQ(text, expected.str()) << "if this is meant: WARPGRADE_WRITE_GOLDEN=1, and read the difference";
}

TEST(Golden, SimulatorReport) {
  expect_golden("simulator.txt", to_terminal(Sample().report(), {}));
}
TEST(Golden, SimulatorReportVerbose) {
  expect_golden("simulator_verbose.txt", to_terminal(Sample().report(), {.verbose = true}));
}
TEST(Golden, SimulatorReportWithAPrediction) {
  const Sample sample;
  const Predictions all = predictions();
  Report r = sample.report();
  r.predictions = &all;
  expect_golden("simulator_predicted.txt", to_terminal(r, {}));
}
TEST(Golden, GpuReportWithAPrediction) {
  const GpuSample sample;
  const Predictions all = predictions();
  Report r = sample.report();
  r.predictions = &all;
  expect_golden("gpu_predicted.txt", to_terminal(r, {}));
}
TEST(Golden, GpuReport) {
  expect_golden("gpu.txt", to_terminal(GpuSample().report(), {}));
}
TEST(Golden, GpuReportVerbose) {
  expect_golden("gpu_verbose.txt", to_terminal(GpuSample().report(), {.verbose = true}));
}
TEST(Golden, GpuReportQuiet) {
  expect_golden("gpu_quiet.txt", to_terminal(GpuSample().report(), {.quiet = true}));
}
TEST(Golden, GpuReportInColour) {
  expect_golden("gpu_colour.txt", to_terminal(GpuSample().report(), {.color = true}));
}

std::string without_colour(const std::string &text) {
  std::string plain;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] != '\x1b') {
      plain += text[at];
      continue;
    }
    while (at < text.size() && text[at] != 'm') ++at;
  }
  return plain;
}

TEST(Terminal, ColourChangesNothingButTheColour) {
  for (const Style style : {Style{true, false, false}, Style{true, true, false}, Style{true, false, true}}) {
    const Style plain{false, style.verbose, style.quiet};
    EXPECT_EQ(without_colour(to_terminal(GpuSample().report(), style)),
              to_terminal(GpuSample().report(), plain));
  }
}

TEST(Terminal, EveryStepFitsOneScreenOfEightyByTwentyFour) {
  for (std::size_t only = 0; only < GpuSample().record.steps.size(); ++only) {
    GpuSample s;
    s.record.steps = {s.record.steps[only]};
    s.score = score::score(s.assignment, s.thresholds, s.record);
    std::istringstream lines(to_terminal(s.report(), {}));
    int count = 0;
    for (std::string line; std::getline(lines, line); ++count) EXPECT_LE(columns_of(line), 80u) << line;
    EXPECT_LE(count, 24 + 3) << s.record.steps[0].id << ": what is above the verdict may scroll away";
  }
}

TEST(Terminal, ALongLineOfASubmissionIsBrokenAfterThePrefix) {
  Sample s;
  s.record.steps[2].build.log = std::string(74, ' ') + "Score: 100/100\n";
  std::istringstream lines(to_terminal(s.report(), {}));
  for (std::string line; std::getline(lines, line);) {
    EXPECT_LE(line.size(), 80u);
    if (line.find("100/100") != std::string::npos) {
      EXPECT_EQ(line, "    : Score: 100/100");
    }
  }
}

TEST(Terminal, AWrappedCommandCanBePasted) {
  const std::string command =
      "./grade step1 --submission 'a folder  with blanks' --device sim --case \"m=1 n=1 k=1\"";
  for (const std::size_t width : {10, 20, 40, 69}) {
    std::string joined;
    for (const std::string &part : wrap_command(command, width))
      joined += part.ends_with(" \\") ? part.substr(0, part.size() - 1) : part;
    std::string tight;  // as a shell reads it: blanks outside quotes are one
    char quote = 0;
    for (const char c : joined) {
      if (quote != 0 ? c == quote : c == '\'' || c == '"') quote = quote != 0 ? 0 : c;
      if (!(c == ' ' && quote == 0 && tight.ends_with(' '))) tight += c;
    }
    EXPECT_EQ(tight, command) << width;
  }
}

TEST(Text, WideCharactersTakeTwoColumns) {
  EXPECT_EQ(columns_of("abc"), 3u);
  EXPECT_EQ(columns_of("\xe4\xb8\xad\xe6\x96\x87"), 4u);
  EXPECT_EQ(wrap("\xe4\xb8\xad\xe6\x96\x87\xe4\xb8\xad", 4),
            (std::vector<std::string>{"\xe4\xb8\xad\xe6\x96\x87", "\xe4\xb8\xad"}));
  EXPECT_EQ(wrap("a longwordthatneedsbreaking", 10),
            (std::vector<std::string>{"a", "longwordth", "atneedsbre", "aking"}));
}

}  // namespace
}  // namespace warpgrade::report
