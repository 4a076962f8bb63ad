#include <gtest/gtest.h>

#include "score/score.hpp"

namespace warpgrade::score {
namespace {

/// 5 for right results, 2 for bounds, 3 for races.
StepScore scored_with_proof(const std::vector<grading::PropertyRecord> &properties,
                            judge::Verdict verdict = judge::Verdict::accepted) {
  course::Step step;
  step.id = "p";
  step.problem = problem::find_problem("sgemm");
  step.points.correct = 5;
  step.points.proof = 5;
  step.proof = {{"bounds", 2}, {"races", 3}};
  grading::StepRecord r;
  r.id = "p";
  r.verdict = verdict;
  r.properties = properties;
  return score_step(step, {}, r);
}

grading::PropertyRecord result_of(const char *property, const char *result, bool open = false) {
  grading::PropertyRecord p;
  p.property = property;
  p.result = result;
  p.why = "time";
  p.open = open;
  return p;
}

TEST(ProofPoints, AreOfEachPropertyThatIsProvedByItself) {
  EXPECT_EQ(scored_with_proof({result_of("bounds", "proved"), result_of("races", "proved")}).points,
            5 + 2 + 3);
  EXPECT_EQ(scored_with_proof({result_of("bounds", "proved"), result_of("races", "fails")}).points, 5 + 2);
  const StepScore s = scored_with_proof({result_of("bounds", "not decided"), result_of("races", "proved")});
  EXPECT_EQ(s.points, 5 + 3);
  EXPECT_EQ(s.max_points, 10);
  EXPECT_EQ(s.ungraded_points, 0) << "what is not decided is lost";
}

TEST(ProofPoints, WaitWhereTheMachineWasTooSlowToDecide) {
  const StepScore s =
      scored_with_proof({result_of("bounds", "not decided", true), result_of("races", "proved")});
  EXPECT_EQ(s.points, 5 + 3);
  EXPECT_EQ(s.ungraded_points, 2);
  EXPECT_EQ(s.why_ungraded, "the proof did not end here: time");
}

TEST(ProofPoints, WaitWhereAnOlderResultHasNoProof) {
  EXPECT_EQ(scored_with_proof({}).ungraded_points, 2 + 3);
  EXPECT_EQ(scored_with_proof({}).points, 5);
}

TEST(ProofPoints, AreNoneForAWrongStep) {
  const StepScore s = scored_with_proof({}, judge::Verdict::race);
  EXPECT_EQ(s.points, 0);
  EXPECT_EQ(s.ungraded_points, 0);
}

}  // namespace
}  // namespace warpgrade::score
