#include "report/search.hpp"

#include <gtest/gtest.h>

namespace warpgrade::report {
namespace {

TEST(WaysNeverTaken, AreASentenceAboutTheBranch) {
  const ptx::SourceLine at{"t.cu", 15};
  EXPECT_EQ(ways_never_taken({at, 2, 2}), "");
  EXPECT_EQ(ways_never_taken({at, 2, 0, false, {16, 23}}), "this branch is never reached");
  EXPECT_EQ(ways_never_taken({at, 2, 1, true, {23}}), "this branch never leads to line 23");
}

// A line with a loop that the compiler has unrolled: two ways for each branch.
TEST(WaysNeverTaken, CountTheBranchesOfALineThatHasSeveral) {
  const ptx::SourceLine at{"t.cu", 15};
  EXPECT_EQ(
      ways_never_taken({at, 6, 3, true, {0, 15, 22}}),
      "one of the 3 branches here never leads to the end of the kernel, back to this line or to line 22");
}

}  // namespace
}  // namespace warpgrade::report
