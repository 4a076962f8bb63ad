// ./grade debug as a person types it, on the fixtures of submissions, and ./simt run --debug.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "setup/fixtures.hpp"

namespace warpgrade {
namespace {

namespace fs = std::filesystem;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;

struct Shown {
  int status = -1;
  std::string output;
};

Shown shown(const std::string &words) {
  const std::string command = "cd '" + std::string(WARPGRADE_ROOT) + "' && COLUMNS=200 '" +
                              WARPGRADE_PROGRAM + "' " + words + " 2>&1 </dev/null";
  Shown made;
  FILE *pipe = popen(command.c_str(), "r");
  std::array<char, 4096> piece{};
  for (std::size_t n; (n = fread(piece.data(), 1, piece.size(), pipe)) > 0;)
    made.output.append(piece.data(), n);
  const int status = pclose(pipe);
  made.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return made;
}

std::string read(const fs::path &file) {
  std::stringstream text;
  text << std::ifstream(file).rdbuf();
  return text.str();
}

/// The event that matters, which a row marks.
std::string marked_row(const std::string &output) {
  const std::size_t mark = output.find(" <<<");
  if (mark == std::string::npos) return "";
  const std::size_t begin = output.rfind('\n', mark) + 1;
  return output.substr(begin, mark - begin);
}

struct Fixture {
  const char *assignment, *step, *folder;
  const char *marked;  ///< regular expression: what the event that matters says
  const char *before;  ///< another one: what an event in the table says
};

class DebugFixture : public ::testing::TestWithParam<Fixture> {};

TEST_P(DebugFixture, EndsWithTheEventThatMatters) {
  const Fixture &f = GetParam();
  WholeFixtures fixtures(WARPGRADE_ROOT);
  const fs::path folder = fs::path(WARPGRADE_ROOT) / "grader/tests/submissions" / f.assignment / f.folder;
  const Shown made = shown(std::string("debug ") + f.step + " --assignment " + f.assignment +
                           " --submission '" + fixtures.whole(folder).string() + "'");
  EXPECT_EQ(made.status, 1) << made.output;
  EXPECT_THAT(marked_row(made.output), ContainsRegex(f.marked)) << made.output;
  EXPECT_THAT(made.output, ContainsRegex(f.before)) << made.output;
}

INSTANTIATE_TEST_SUITE_P(
    Debug, DebugFixture,
    ::testing::Values(
        Fixture{"hw6", "step2", "race/missing_first_barrier", "read after write", "(reads|writes) [AB]s\\["},
        Fixture{"hw6", "step2", "out_of_bounds/unguarded_store", "end of C", "reads C\\["},
        Fixture{"hw6", "step2", "uninitialized_read/k_tail_not_zeroed", "value|written", "reads"},
        Fixture{"hw6", "step2", "barrier_error/barrier_div", "wait", "waits at the barrier"},
        Fixture{"hw6", "step2", "wrong_answer/tail_dropped", "writes C", "computes"},
        Fixture{"hw6", "step0", "wrong_answer/transposed_c", "writes C\\[", "reads A\\["},
        Fixture{"reduction", "shuffled", "wrong_answer/shuffled_every_lane_adds", "atomic|writes",
                "shuffle: gets"},
        Fixture{"histogram", "direct", "race/no_atomics", "race|reads|writes", "reads|writes"},
        Fixture{"reduction", "sequential", "race/sequential_without_a_barrier", "write after read", "\\["},
        Fixture{"scan", "kogge", "race/kogge_without_the_first_barrier", "read after write", "\\["}));

const std::string race = " --submission grader/tests/submissions/hw6/race/missing_first_barrier";

TEST(Debug, PrintsTwentyEventsWithTheirLines) {
  const Shown made = shown("debug step2" + race);
  std::size_t rows = 0;
  for (std::size_t at = 0; (at = made.output.find("step2_shared.cu:", at)) != std::string::npos; ++at) ++rows;
  EXPECT_GE(rows, 20u) << made.output;
}

TEST(Debug, ShowsOnlyWhatIsAskedFor) {
  const std::string element = shown("debug step2 --element 'As[0][0]'" + race).output;
  EXPECT_THAT(element, HasSubstr("As[0][0]"));
  EXPECT_THAT(element, Not(HasSubstr("computes")));
  EXPECT_THAT(shown("debug step2 --at 5" + race).output, ContainsRegex("\nlane +[0-9]+  "));
  EXPECT_THAT(shown("debug step2 --lane 3 --at 40" + race).output, ContainsRegex("\n +[0-9]+ [^\n]* 3 "));
}

TEST(Debug, RecordsTheWarpThatIsNamed) {
  const Shown made = shown("debug step2 --submission solutions/hw6 --size 33 --block 1,0 --warp 2");
  EXPECT_EQ(made.status, 0) << made.output;
  EXPECT_THAT(made.output, HasSubstr("warp 2 of block (1,0,0)"));
  EXPECT_THAT(made.output, HasSubstr("Nothing is wrong in this case"));
  EXPECT_THAT(shown("debug step2 --submission solutions/hw6 --size 33 --block 9,9").output,
              HasSubstr("there is no such block"));
}

TEST(Debug, RecordsNoHiddenCase) {
  // Right in every open case: the hidden ones, in which it may be wrong, are not looked at.
  const Shown made = shown("debug step1 --submission solutions/hw6");
  EXPECT_EQ(made.status, 0) << made.output;
  EXPECT_THAT(made.output, HasSubstr("Nothing is wrong"));
}

TEST(Debug, WritesAPageThatIsBoundedAndAsksForNothing) {
  const fs::path file = fs::temp_directory_path() / ("warpgrade-debug-" + std::to_string(getpid()) + ".html");
  const Shown made = shown("debug step2 --html '" + file.string() + "'" + race);
  EXPECT_EQ(made.status, 1) << made.output;
  const std::string page = read(file);
  EXPECT_GT(page.size(), 50'000u);
  EXPECT_LT(page.size(), 2'600'000u);
  EXPECT_THAT(page, Not(ContainsRegex("(src|href)=\"https?:")));
  fs::remove(file);
}

TEST(Debug, IsInTheReportOfAStepThatFails) {
  const fs::path file =
      fs::temp_directory_path() / ("warpgrade-report-" + std::to_string(getpid()) + ".html");
  shown("step2 --device sim --html '" + file.string() + "'" + race);
  const std::string page = read(file);
  EXPECT_THAT(page, HasSubstr("data-player=\"step2\""));
  EXPECT_LT(page.size(), 3'500'000u);
  fs::remove(file);
}

}  // namespace
}  // namespace warpgrade
