// What ./grade debug prints for ten mistakes, word for word, against the files in debug_golden/. After an intended
// change:
//   WARPGRADE_WRITE_GOLDEN=1 build/grader/tests/end_to_end/test_end_to_end --gtest_filter='*DebugGolden*'
// then read `git diff grader/tests/end_to_end/debug_golden` as a student would.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "setup/fixtures.hpp"
#include "tests/end_to_end/small_course.hpp"
#include "tests/places.hpp"

namespace warpgrade::tests {
namespace {

namespace fs = std::filesystem;
const fs::path root = fs::path(place::root).lexically_normal();

struct Mistake {
  const char *name, *assignment, *step, *fixture;
};

class DebugGolden : public ::testing::TestWithParam<Mistake> {};

TEST_P(DebugGolden, IsUnchanged) {
  const Mistake &m = GetParam();
  WholeFixtures fixtures(root);
  const fs::path folder =
      fixtures.whole(root / "grader/tests/submissions" / m.assignment / std::string(m.fixture));
  // With clang, so that the version of nvcc decides nothing.
  const CommandResult made =
      shell(std::string("COLUMNS=110 '") + place::grade + "' debug " + m.step +
                " --toolchain clang --assignment " + m.assignment + " --submission '" + folder.string() + "'",
            root);
  ASSERT_EQ(made.status, 1) << made.output;
  const fs::path file = root / "grader/tests/end_to_end/debug_golden" / (std::string(m.name) + ".txt");
  if (std::getenv("WARPGRADE_WRITE_GOLDEN") != nullptr) std::ofstream(file) << made.output;
  ASSERT_TRUE(fs::exists(file)) << file << " does not exist; WARPGRADE_WRITE_GOLDEN=1 writes it";
  EXPECT_EQ(made.output, text_of(file))
      << "if this is intended: WARPGRADE_WRITE_GOLDEN=1, and read the difference";
}

INSTANTIATE_TEST_SUITE_P(
    Ten, DebugGolden,
    ::testing::Values(Mistake{"race", "hw6", "step2", "race/missing_second_barrier"},
                      Mistake{"out_of_bounds", "hw6", "step2", "out_of_bounds/unguarded_store"},
                      Mistake{"uninitialized", "hw6", "step2", "uninitialized_read/k_tail_not_zeroed"},
                      Mistake{"barrier", "hw6", "step2", "barrier_error/barrier_div"},
                      Mistake{"tail_of_k", "hw6", "step2", "wrong_answer/tail_dropped"},
                      Mistake{"wrong_row", "hw6", "step2", "wrong_answer/one_row_too_low"},
                      Mistake{"shuffle", "reduction", "shuffled", "wrong_answer/shuffled_every_lane_adds"},
                      Mistake{"atomic", "histogram", "direct", "wrong_answer/counts_not_cleared"},
                      Mistake{"reduction", "reduction", "sequential", "race/sequential_without_a_barrier"},
                      Mistake{"scan", "scan", "kogge", "race/kogge_without_the_first_barrier"}),
    [](const auto &one) { return std::string(one.param.name); });

}  // namespace
}  // namespace warpgrade::tests
