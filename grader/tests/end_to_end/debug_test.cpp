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
#include <stdexcept>

#include "setup/fixtures.hpp"
#include "tests/places.hpp"

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
  const std::string command = "cd '" + std::string(place::root) + "' && COLUMNS=200 '" + place::grade + "' " +
                              words + " 2>&1 </dev/null";
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
  WholeFixtures fixtures(place::root);
  const fs::path folder = fs::path(place::root) / "grader/tests/submissions" / f.assignment / f.folder;
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
        Fixture{"scan", "kogge", "race/kogge_without_the_first_barrier", "read after write", "\\["},
        // The launch that writes the element last, not the first one that writes it.
        Fixture{"scan", "kogge", "wrong_answer/kogge_sums_not_scanned", "writes y\\[512\\]", "reads scratch"},
        // Accepted, and wrong in shapes that only warn.
        Fixture{"hw6", "step0", "accepted/row_stride_of_b_is_k", "two (blocks|threads) compute the same",
                "reads [AB]"}));

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

/// Words that only a hidden case of hw6's squares would show.
const char *const hidden_sizes = "=(61|97|131|191|777)[^0-9]";

TEST(Debug, RecordsNoHiddenCase) {
  // Right in every open case, wrong in all hidden ones.
  WholeFixtures fixtures(place::root);
  const fs::path folder =
      fs::path(place::root) / "grader/tests/submissions/hw6/wrong_answer/listed_sizes_only";
  const std::string echo =
      " step1 --assignment hw6 --device sim --submission '" + fixtures.whole(folder).string() + "'";
  const Shown made = shown("debug" + echo);
  EXPECT_EQ(made.status, 0) << made.output;
  EXPECT_THAT(made.output, HasSubstr("Nothing is wrong"));
  EXPECT_THAT(made.output, Not(ContainsRegex(hidden_sizes)));
  const fs::path file =
      fs::temp_directory_path() / ("warpgrade-hidden-" + std::to_string(getpid()) + ".html");
  EXPECT_EQ(shown("debug" + echo + " --html '" + file.string() + "'").status, 0);
  EXPECT_THAT(read(file), Not(ContainsRegex(hidden_sizes)));
  const Shown graded = shown(echo + " --html '" + file.string() + "'");
  EXPECT_THAT(graded.output, HasSubstr("0 of 5 hidden cases pass"));
  EXPECT_THAT(read(file), Not(HasSubstr("data-player=")));
  fs::remove(file);
}

TEST(Debug, WritesAPageThatIsBoundedAndAsksForNothing) {
  const fs::path file = fs::temp_directory_path() / ("warpgrade-debug-" + std::to_string(getpid()) + ".html");
  const Shown made = shown("debug step2 --html '" + file.string() + "'" + race);
  EXPECT_EQ(made.status, 1) << made.output;
  const std::string page = read(file);
  EXPECT_GT(page.size(), 50'000u);
  EXPECT_LE(page.size(), std::size_t{2} << 20);
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

/// hw6 with this text as its first step.
fs::path submission_of(const std::string &text) {
  std::string name = (fs::temp_directory_path() / "warpgrade-hostile-XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("no folder for temporary files");
  for (const auto &entry : fs::directory_iterator(fs::path(place::root) / "starter/hw6"))
    if (entry.is_regular_file()) fs::copy(entry.path(), fs::path(name) / entry.path().filename());
  std::ofstream(fs::path(name) / "step0_naive.cu") << text;
  return name;
}

/// Markup in a comment, in text that looks like a template, and beside an access.
std::string hostile_kernel(const std::string &loop, int threads) {
  return R"(#include "gemm.h"
// </td></tr></table><script>document.title = 'taken over'</script><img src=x onerror=alert(1)>
__device__ float alert_1_script[64]; /* "><svg onload=alert(1)> {{title}} {{{player}}} */
__global__ void script_alert(float *C) {
  __shared__ unsigned marks[64];
  for (unsigned i = threadIdx.x;; ++i) {
    marks[threadIdx.x & 31] = 0x7fc0beef + (i & 255);  // </script><script>alert(2)</script>
    __syncwarp();
    alert_1_script[i & 63] = __uint_as_float(0xff800000u ^ (i & 1) << 31);
)" + loop +
         R"(
  }
}
void step0(int, int, int, float, const float *, const float *, float, float *C) {
  script_alert<<<30000000, )" +
         std::to_string(threads) + R"(>>>(C);
}
)";
}

/// What ./grade debug says of it, whose page must be within its bounds and a page like any other.
std::string debugged(const std::string &text) {
  const fs::path folder = submission_of(text), file = folder / "page.html";
  const Shown made = shown("debug step0 --assignment hw6 --submission '" + folder.string() + "' --html '" +
                           file.string() + "'");
  EXPECT_EQ(made.status, 1) << made.output;
  const std::string page = read(file);
  EXPECT_GT(page.size(), 50'000u) << made.output;
  EXPECT_LE(page.size(), std::size_t{2} << 20);
  for (const char *const markup :
       {"<script>alert", "<script>document.title", "<img", "<svg onload", "</table><script"})
    EXPECT_THAT(page, Not(HasSubstr(markup)));
  EXPECT_THAT(page, HasSubstr("{{title}} {{{player}}}")) << "a template in a submission is not filled in";
  fs::remove_all(folder);
  return made.output + page;
}

TEST(Debug, ThirtyMillionHostileBlocksStayWithinTheBoundsAndTheirCells) {
  // NaNs with payloads, and the first of them that is out of bounds ends it.
  EXPECT_THAT(debugged(hostile_kernel("C[i] = __uint_as_float(marks[i & 31]);", 256)), HasSubstr("end of C"));
}

TEST(Debug, AnEndlessLoopIsRecordedAsSoonAsItIsKnownToBeOne) {
  EXPECT_THAT(debugged(hostile_kernel("if (i == 0xffffffff) C[0] = 0;", 32)), HasSubstr("warp instructions"));
}

}  // namespace
}  // namespace warpgrade
