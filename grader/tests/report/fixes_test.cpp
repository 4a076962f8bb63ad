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

}  // namespace
}  // namespace warpgrade::report
