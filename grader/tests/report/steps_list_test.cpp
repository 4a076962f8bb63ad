#include "report/steps_list.hpp"

#include <gtest/gtest.h>

#include <sstream>

#include "report/text.hpp"

namespace warpgrade::report {
namespace {

using enum FileState::Kind;

course::Assignment three_steps() {
  course::Assignment a;
  a.name = "hw0";
  a.title = "Sums";
  course::Step first;
  first.id = "naive", first.title = "One thread per sum", first.file = "naive.cu";
  first.points = {10, 8, 2};
  first.rules.shared_memory = course::Permission::forbidden;
  first.rules.atomics_forbidden = true;
  course::Step second = first;
  second.id = "tiled", second.file = "tiled.cu";
  second.title = "Tiles";
  second.points = {15, 0, 0};
  second.extra_credit = true;
  second.rules = {};
  second.rules.shared_memory = course::Permission::required;
  second.rules.low_precision_forbidden = second.rules.tensor_cores_forbidden = true;
  second.rules.static_shared_bytes = 4096;
  second.rules.outputs_per_thread = course::Rules::OutputsPerThread{4, {}, {}};
  course::Step third = first;
  third.id = "more", third.file = "more.cu", third.title = "Vectors";
  third.beyond = true;
  third.points = {};
  third.rules = {};
  a.steps = {first, second, third};
  return a;
}

TEST(StepsList, SaysOfEachStepItsFileItsPointsAndItsRules) {
  EXPECT_EQ(steps_list(three_steps(), {{changed, ""}, {as_handed_out, ""}, {missing, ""}}, 80),
            "hw0: Sums\n"
            "\n"
            "naive  One thread per sum\n"
            "       naive.cu: changed\n"
            "       10 for correct results, 8 for speed, 2 for counters\n"
            "       no shared memory, no atomic operations\n"
            "\n"
            "tiled  Tiles\n"
            "       tiled.cu: as handed out\n"
            "       15 for correct results (extra credit)\n"
            "       shared memory is required, no tensor cores, no arithmetic below single\n"
            "       precision, at most 4096 bytes of shared memory declared, at least 4\n"
            "       results per thread\n"
            "\n"
            "Beyond the course, without points and without a starter; to try one, write its\n"
            "file:\n"
            "more   beyond/more.cu: Vectors\n");
}

TEST(StepsList, NamesTheIntendedFileAndPresentStepsBeyondTheCourse) {
  const std::string list = steps_list(three_steps(), {{missing, "Naive.cu"}, {changed, ""}, {here, ""}}, 80);
  EXPECT_NE(list.find("naive.cu: missing; did you mean Naive.cu? Rename it to naive.cu\n"), std::string::npos)
      << list;
  EXPECT_TRUE(
      list.ends_with("\nmore   Vectors\n"
                     "       beyond/more.cu: here\n"
                     "       beyond the course: no points\n"))
      << list;
}

TEST(StepsList, FitsNarrowTerminals) {
  std::istringstream lines(steps_list(three_steps(), {{missing, ""}, {changed, ""}, {here, ""}}, 44));
  for (std::string line; std::getline(lines, line);) EXPECT_LE(columns_of(line), 44u) << line;
}

}  // namespace
}  // namespace warpgrade::report
