// Which finding leads what there is to fix.
#include "report/fixes.hpp"

#include <gtest/gtest.h>

namespace warpgrade::report {
namespace {

judge::Finding finding(const char *code, int line, const char *message) {
  return {code, "error", "k.cu", line, message, 1};
}

TEST(Fixes, ABarrierThatNotAllReachComesBeforeTheRaceThatFollowsFromIt) {
  grading::StepRecord step;
  step.verdict = judge::Verdict::barrier_error;
  step.reason = "threads of one block wait at different barriers: 128 at k.cu:15, 128 at k.cu:19";
  step.findings = {finding("race", 18, "read after write on shared memory part"),
                   finding("barrier_divergence", 15, step.reason.c_str())};
  const std::vector<Fix> all = fixes(step, {});
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].line, 15);
  EXPECT_EQ(all[1].line, 18);
}

TEST(Fixes, ConsequencesAreFoldedBelowTheirCauseWhichLeadsThoughTheVerdictIsTheirs) {
  grading::StepRecord step;
  step.verdict = judge::Verdict::out_of_bounds;
  step.reason = "load past the end";
  step.findings = {finding("race", 5, "read after write on tile"),
                   finding("uninitialized_read", 12, "read of index"),
                   finding("out_of_bounds", 20, "load past the end (thread 0)"),
                   finding("uninitialized_read", 22, "read of next")};
  for (const std::size_t i : {2, 3})
    step.findings[i].follows = judge::Origin{"uninitialized_read", "k.cu", 12};
  const std::vector<Fix> all = fixes(step, {});
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].line, 12);
  ASSERT_EQ(all[0].consequences.size(), 2u);
  EXPECT_EQ(all[0].consequences[0].line, 20);
  EXPECT_EQ(consequences_in_words(all[0]), "out_of_bounds in line 20, uninitialized_read in line 22");
  EXPECT_EQ(all[1].line, 5);
}

TEST(Fixes, AConsequenceWhoseCauseIsNotListedIsAPlaceOfItsOwn) {
  grading::StepRecord step;
  step.verdict = judge::Verdict::race;
  step.findings = {finding("race", 5, "read after write on tile")};
  step.findings[0].follows = judge::Origin{"race", "other.cu", 1};
  EXPECT_EQ(fixes(step, {}).size(), 1u);
}

}  // namespace
}  // namespace warpgrade::report
