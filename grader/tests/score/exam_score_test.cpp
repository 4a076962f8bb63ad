#include <gtest/gtest.h>

#include "score/score.hpp"

namespace warpgrade::score {
namespace {

course::Assignment with_an_exam() {
  course::Assignment a;
  course::Step step;
  step.id = "exam";
  step.problem = problem::find_problem("sgemm");
  step.points.correct = 10;
  step.viva.emplace();
  a.exams.push_back(step);
  return a;
}

/// 'r': right; 'w': wrong; '?': still to come.
Score score_of_exam(const std::string &answers) {
  grading::SubmissionRecord whole;
  grading::StepRecord r;
  r.id = "exam";
  r.verdict = judge::Verdict::accepted;
  for (const char c : answers) {
    judge::CaseVerdict one;
    one.verdict = c == 'r' ? judge::Verdict::accepted : judge::Verdict::wrong_answer;
    if (c == 'w') r.verdict = judge::Verdict::wrong_answer;
    if (c == '?') one.left_to_course = true, one.reason = "waits for the exam";
    r.cases.push_back(one);
  }
  whole.steps.push_back(r);
  return score(with_an_exam(), {}, whole);
}

TEST(ExamPoints, AreTheShareOfRightAnswers) {
  EXPECT_EQ(score_of_exam("rrrrrr").points, 10);
  EXPECT_EQ(score_of_exam("rrrrww").points, 6.67);  // 10 * 4 / 6
  EXPECT_EQ(score_of_exam("wwwwww").points, 0);
  EXPECT_EQ(score_of_exam("rrrrrr").max_points, 10);
}

TEST(ExamPoints, OfAnExamToComeAreNotLost) {
  const Score s = score_of_exam("?");
  EXPECT_EQ(s.points, 0);
  EXPECT_EQ(s.ungraded_points, 10);
  EXPECT_EQ(s.steps.front().why_ungraded, "waits for the exam");
  EXPECT_FALSE(s.steps.front().wrong);
  EXPECT_TRUE(s.full());
}

TEST(ExamPoints, AreNotTakenAwayForWhatWasHandedInLate) {
  Late late;
  late.share = 0.5;
  EXPECT_EQ(with_lateness(score_of_exam("rrrrrr"), late).points, 10);
}

}  // namespace
}  // namespace warpgrade::score
