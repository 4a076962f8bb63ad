#include <gtest/gtest.h>

#include "score/score.hpp"

namespace warpgrade::score {
namespace {

/// 5 for the fix, 3 for the line, 2 for the cause.
course::Step hunt_worth_ten() {
  course::Step step;
  step.id = "h";
  step.problem = problem::find_problem("sgemm");
  step.points = {5, 0, 0, 5};
  step.hunt.emplace();
  step.hunt->line_points = 3;
  step.hunt->cause_points = 2;
  return step;
}

judge::CaseVerdict answer(const char *name, judge::Verdict v) {
  judge::CaseVerdict made;
  made.name = name;
  made.verdict = v;
  return made;
}

StepScore scored(judge::Verdict fix, judge::Verdict line, judge::Verdict cause, bool left_to_course = false) {
  grading::StepRecord r;
  r.id = "h";
  r.verdict = fix;
  r.reason = "ours";
  r.answers = {answer("line", line), answer("cause", cause)};
  for (judge::CaseVerdict &a : r.answers) a.left_to_course = left_to_course;
  return score_step(hunt_worth_ten(), {}, r);
}

constexpr auto right = judge::Verdict::accepted, wrong = judge::Verdict::wrong_answer;

TEST(HuntPoints, AreOfTheFixTheLineAndTheCauseEachByItself) {
  EXPECT_EQ(scored(right, right, right).points, 10);
  EXPECT_EQ(scored(right, wrong, right).points, 5 + 2);
  EXPECT_EQ(scored(right, right, wrong).points, 5 + 3);
  EXPECT_EQ(scored(judge::Verdict::race, right, right).points, 3 + 2);
  EXPECT_EQ(scored(judge::Verdict::rule_violation, wrong, right).points, 2);
  EXPECT_EQ(scored(wrong, wrong, wrong).points, 0);
  EXPECT_EQ(scored(wrong, judge::Verdict::not_implemented, judge::Verdict::not_implemented).points, 0);
  EXPECT_EQ(scored(right, right, right).max_points, 10);
}

TEST(HuntPoints, OfAnswersThatOnlyTheCourseKnowsAreNotLost) {
  const StepScore s = scored(right, judge::Verdict::grader_error, judge::Verdict::grader_error, true);
  EXPECT_EQ(s.points, 5);
  EXPECT_EQ(s.ungraded_points, 5);
  EXPECT_EQ(s.why_ungraded, "graded by your course");
}

TEST(HuntPoints, OfAFixThatCouldNotBeJudgedAreNotLostAndThoseOfAnswersAreGivenOnce) {
  const StepScore s = scored(judge::Verdict::grader_error, right, wrong);
  EXPECT_EQ(s.points, 3);
  EXPECT_EQ(s.ungraded_points, 5);
}

}  // namespace
}  // namespace warpgrade::score
