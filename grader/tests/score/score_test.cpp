#include "score/score.hpp"

#include <gtest/gtest.h>

namespace warpgrade::score {
namespace {

TEST(Points, GrowLinearlyBetweenPassAndFull) {
  EXPECT_DOUBLE_EQ(performance_points(15, 3000, 3000, 5000), 0);
  EXPECT_DOUBLE_EQ(performance_points(15, 4000, 3000, 5000), 7.5);
  EXPECT_DOUBLE_EQ(performance_points(15, 5000, 3000, 5000), 15);
}
TEST(Points, AreNeverNegativeAndNeverMoreThanAll) {
  EXPECT_DOUBLE_EQ(performance_points(15, 10, 3000, 5000), 0);
  EXPECT_DOUBLE_EQ(performance_points(15, 66000, 3000, 5000), 15);
}
TEST(Points, AreRoundedToTheNearestHundredthHalvesUp) {
  EXPECT_DOUBLE_EQ(round_points(3.333333), 3.33);
  EXPECT_DOUBLE_EQ(round_points(0.125), 0.13);
  EXPECT_DOUBLE_EQ(round_points(7), 7);
}
/// Two steps: "base" 10 + 10 for speed, "more" 5, extra credit.
struct Course {
  course::Assignment assignment;
  course::Thresholds thresholds;
  Course() {
    course::Step base;
    base.id = "base";
    base.problem = problem::find_problem("sgemm");
    base.points = {10, 10};
    course::Step more;
    more.id = "more";
    more.problem = base.problem;
    more.points = {5, 0};
    more.extra_credit = true;
    assignment.steps = {base, more};
    thresholds.steps = {{"base", size, {1000, false}, {2000, false}}};
  }
  problem::Case size{{1000, 1000, 1000}, {1, 0}};  // 2e9 flops
};

grading::StepRecord accepted(const std::string &id) {
  grading::StepRecord r;
  r.id = id;
  r.verdict = judge::Verdict::accepted;
  r.why_no_performance = "no GPU here";
  return r;
}

grading::PerformanceRecord timed(const problem::Case &size, std::vector<double> seconds,
                                 std::vector<double> cublas, const std::string &why_no_library) {
  grading::PerformanceRecord r;
  r.size = size;
  r.seconds = std::move(seconds);
  r.library_seconds = std::move(cublas);
  r.why_no_library = why_no_library;
  return r;
}

TEST(Score, PointsForSpeedWaitWhereThereIsNoGpu) {
  const Course c;
  const Score s = score(c.assignment, c.thresholds, {"hw", "x", 1, {}, {accepted("base")}});
  EXPECT_EQ(s.points, 10);
  EXPECT_EQ(s.ungraded_points, 10);
  EXPECT_EQ(s.max_points, 20);
  EXPECT_EQ(s.steps[0].why_ungraded, "no GPU here");
  EXPECT_TRUE(s.full());
}

TEST(Score, TheMedianTimeDecidesTheRate) {
  const Course c;
  grading::StepRecord r = accepted("base");
  r.performance = timed(c.size, {0.001, 0.9, 0.00125, 0.00133, 0.0001}, {}, "none");
  const Score s = score(c.assignment, c.thresholds, {"hw", "x", 1, {}, {r}});
  // The median of the times is 1.25 ms: 2e9 / 1.25e-3 = 1600 GFLOPS; 10 + 10 * (1600 - 1000) / 1000 = 16.
  EXPECT_NEAR(s.steps[0].performance->gflops, 1600, 1e-6);
  EXPECT_EQ(s.points, 16);
  EXPECT_EQ(s.ungraded_points, 0);
  EXPECT_FALSE(s.full());
}

TEST(Score, AThresholdThatMayHaveBeenReachedCountsAsReached) {
  const Course c;
  grading::StepRecord r = accepted("base");
  // 2e9 flops at 2000 GFLOPS take 1 ms; the median is 1.001 ms, its interval begins at 0.999 ms.
  r.performance = timed(c.size, {0.999e-3, 1.001e-3, 1.003e-3}, {}, "none");
  const Score s = score(c.assignment, c.thresholds, {"hw", "x", 1, {}, {r}});
  EXPECT_LT(s.steps[0].performance->gflops, 2000);
  EXPECT_DOUBLE_EQ(s.steps[0].performance->counts_as, 2000);
  EXPECT_EQ(s.points, 20);
}

TEST(Score, SharesOfCublasAreResolvedWithTheSameRunsCublas) {
  Course c;
  c.thresholds.steps = {{"base", c.size, {0.25, true}, {0.75, true}}};
  grading::StepRecord r = accepted("base");
  r.performance = timed(c.size, {0.002}, {0.001}, "");
  const Score s = score(c.assignment, c.thresholds, {"hw", "x", 1, {}, {r}});
  // 1000 GFLOPS against 2000: half of cuBLAS is half way between a quarter and three quarters.
  EXPECT_DOUBLE_EQ(*s.steps[0].performance->pass, 500);
  EXPECT_DOUBLE_EQ(*s.steps[0].performance->full, 1500);
  EXPECT_EQ(s.points, 15);
}

TEST(Score, WithoutCublasSharesOfItWaitAndCostNothing) {
  Course c;
  c.thresholds.steps = {{"base", c.size, {0.25, true}, {0.75, true}}};
  grading::StepRecord r = accepted("base");
  r.performance = timed(c.size, {0.002}, {}, "no cuBLAS library was found");
  const Score s = score(c.assignment, c.thresholds, {"hw", "x", 1, {}, {r}});
  EXPECT_EQ(s.points, 10);
  EXPECT_EQ(s.ungraded_points, 10);
  EXPECT_EQ(s.steps[0].why_ungraded, "cuBLAS could not be measured: no cuBLAS library was found");
}

TEST(Score, SharesOfAnotherLibraryAreOfItsRateInTheSameUnit) {
  Course c;
  course::Step &base = c.assignment.steps.front();
  base.problem = problem::find_problem("scan");
  const problem::Case size{{1000000}, {}};  // 8 MB read and written
  c.thresholds.steps = {{"base", size, {0.25, true}, {0.75, true}}};
  grading::StepRecord r = accepted("base");
  r.performance = timed(size, {0.0002}, {0.0001}, "");
  const Score s = score(c.assignment, c.thresholds, {"hw", "x", 1, {}, {r}});
  EXPECT_EQ(s.steps[0].performance->library, problem::Library::cub);
  EXPECT_DOUBLE_EQ(*s.steps[0].performance->library_rate, 80);
  EXPECT_DOUBLE_EQ(*s.steps[0].performance->full, 60);
  EXPECT_EQ(s.points, 15);
  r.performance = timed(size, {0.0002}, {}, "CUB was not found");
  EXPECT_EQ(score(c.assignment, c.thresholds, {"hw", "x", 1, {}, {r}}).steps[0].why_ungraded,
            "CUB could not be measured: CUB was not found");
}

TEST(Score, AWrongStepEarnsNothingHoweverFast) {
  const Course c;
  grading::StepRecord r = accepted("base");
  r.verdict = judge::Verdict::wrong_answer;
  r.performance = timed(c.size, {0.0001}, {}, "none");
  const Score s = score(c.assignment, c.thresholds, {"hw", "x", 1, {}, {r}});
  EXPECT_EQ(s.points, 0);
  EXPECT_EQ(s.ungraded_points, 0);
  EXPECT_FALSE(s.full());
}

TEST(Score, OurOwnFailureCostsNoPoints) {
  const Course c;
  grading::StepRecord r = accepted("base");
  r.verdict = judge::Verdict::grader_error;
  r.reason = "the simulator does not know this instruction";
  const Score s = score(c.assignment, c.thresholds, {"hw", "x", 1, {}, {r}});
  EXPECT_EQ(s.points, 0);
  EXPECT_EQ(s.ungraded_points, 20);
}

TEST(Score, AnswersThatAKitLeavesToTheCourseAreUngradedAndNotLost) {
  course::Step step;
  step.id = "answers";
  step.points = {5, 0};
  step.questions.resize(3);
  grading::StepRecord r = accepted("answers");
  r.cases.resize(3);
  for (std::size_t i = 0; i < 3; ++i) {
    step.questions[i].id = r.cases[i].name = std::string(1, static_cast<char>('a' + i));
    step.questions[i].points = i == 0 ? 1 : 2;
  }
  r.cases[0].verdict = judge::Verdict::accepted;
  r.cases[1].left_to_course = r.cases[2].left_to_course = true;
  Score s;
  s.steps = {score_step(step, {}, r)};
  EXPECT_EQ(s.steps[0].points, 1);
  EXPECT_EQ(s.steps[0].ungraded_points, 4);
  EXPECT_EQ(s.steps[0].why_ungraded, "graded by your course");
  EXPECT_TRUE(s.full());
}

TEST(Score, ExtraCreditComesOnTopOfTheMaximum) {
  const Course c;
  grading::StepRecord base = accepted("base");
  base.performance = timed(c.size, {0.001}, {}, "none");
  const Score s = score(c.assignment, c.thresholds, {"hw", "x", 1, {}, {base, accepted("more")}});
  EXPECT_EQ(s.points, 25);
  EXPECT_EQ(s.max_points, 20);
  EXPECT_EQ(s.extra_credit, 5);
}

TEST(Score, ExtraCreditGradedAloneIsMeasuredAgainstItself) {
  const Course c;
  const Score s = score(c.assignment, c.thresholds, {"hw", "x", 1, {}, {accepted("more")}});
  EXPECT_EQ(s.points, 5);
  EXPECT_EQ(s.max_points, 5);
}

/// "counted" gives 5 points, 3 for at most 4 sectors a load and 2 for at least 16 results a thread.
course::Step counted_step() {
  course::Step s;
  s.id = "counted";
  s.points = {5, 0, 5};
  s.counter_checks = {{course::Measure::sectors_per_load, false, 4, 3},
                      {course::Measure::outputs_per_thread, true, 16, 2}};
  return s;
}

/// That many sectors a load on line 7, and results a thread.
grading::StepRecord counted(std::uint64_t sectors, double outputs) {
  grading::StepRecord r = accepted("counted");
  simt::LineCounters line;
  line.global_load = {1, sectors, 128, 128, 4};
  r.counters.emplace();
  r.counters->counts.lines[{"k.cu", 7}] = line;
  static_cast<simt::LineCounters &>(r.counters->counts) = line;
  r.counters->outputs_per_thread = outputs;
  return r;
}

TEST(CounterPoints, AreGivenAtTheLimitItself) {
  EXPECT_EQ(score_step(counted_step(), {}, counted(4, 16)).points, 10);
}
TEST(CounterPoints, AreLostOneByOneWithTheLineToLookAt) {
  const StepScore s = score_step(counted_step(), {}, counted(32, 16));
  EXPECT_EQ(s.points, 7);
  ASSERT_EQ(s.counters.size(), 2u);
  EXPECT_FALSE(s.counters[0].passed);
  EXPECT_EQ(s.counters[0].value, 32);
  EXPECT_EQ(s.counters[0].file, "k.cu");
  EXPECT_EQ(s.counters[0].line, 7);
  EXPECT_TRUE(s.counters[1].passed);
}
TEST(CounterPoints, NeedSomethingThatWasMeasured) {
  grading::StepRecord r = counted(4, 0);
  const StepScore s = score_step(counted_step(), {}, r);
  EXPECT_FALSE(s.counters[1].value);
  EXPECT_EQ(s.points, 8);
  EXPECT_EQ(s.ungraded_points, 0);
}
TEST(CounterPoints, WaitWhereTheSimulatorCouldNotCount) {
  grading::StepRecord r = accepted("counted");
  r.why_no_counters = "the simulator does not know this instruction";
  const StepScore s = score_step(counted_step(), {}, r);
  EXPECT_EQ(s.points, 5);
  EXPECT_EQ(s.ungraded_points, 5);
  EXPECT_EQ(s.why_ungraded, "the simulator does not know this instruction");
}
TEST(CounterPoints, AreNotGivenForAWrongAnswer) {
  grading::StepRecord r = counted(4, 16);
  r.verdict = judge::Verdict::wrong_answer;
  EXPECT_EQ(score_step(counted_step(), {}, r).points, 0);
}
TEST(CounterPoints, ChangeOnlyWithTheYaml) {
  course::Step step = counted_step();
  step.counter_checks[0].limit = 40;
  EXPECT_EQ(score_step(step, {}, counted(32, 16)).points, 10);
}

TEST(Score, AStepTimedAtAnotherSizeThanTheThresholdsWaitsForARun) {
  const Course c;
  grading::StepRecord r = accepted("base");
  r.performance.emplace();
  r.performance->size = {{500, 500, 500}, {1, 0}};
  r.performance->seconds = {1e-6};  // 250 GFLOPS at that size, and 2e6 if it were taken for the other
  const Score s = score(c.assignment, c.thresholds, {"hw", "x", 1, {}, {r}});
  EXPECT_EQ(s.points, 10);
  EXPECT_EQ(s.ungraded_points, 10);
  EXPECT_EQ(s.steps[0].why_ungraded, "it was timed at m=n=k=500, and the threshold is for m=n=k=1000");
}

TEST(Overrides, ReplaceTheComputedPointsAndAddUp) {
  const Course c;
  const Score computed =
      score(c.assignment, c.thresholds, {"hw", "x", 1, {}, {accepted("base"), accepted("more")}});
  const Score s = with_overrides(computed, {{"base", 3.5, "late"}, {"gone", 7, "no such step"}});
  EXPECT_EQ(s.points, 8.5);  // 3.5 and the 5 of "more"
  EXPECT_EQ(s.extra_credit, 5);
  EXPECT_EQ(s.max_points, 20);
  EXPECT_EQ(s.ungraded_points, 0);  // nothing is waited for where a person has decided
  EXPECT_EQ(s.steps[0].computed_points, 10);
  EXPECT_EQ(s.steps[0].by_hand->reason, "late");
  EXPECT_FALSE(s.steps[1].by_hand);
}

TEST(Overrides, SettleAStepThatTheGraderFailedOn) {
  const Course c;
  grading::StepRecord r = accepted("base");
  r.verdict = judge::Verdict::grader_error;
  const Score s =
      with_overrides(score(c.assignment, c.thresholds, {"hw", "x", 1, {}, {r}}), {{"base", 20, "seen"}});
  EXPECT_EQ(s.points, 20);
  EXPECT_TRUE(s.full());
}

constexpr std::int64_t due = 1'772'377'140, day = 86'400;
course::LatePolicy policy() {
  return {due, 3, 0.1, {{"extended", 2}}};
}
int days_at(std::int64_t time) {
  const auto late = lateness(policy(), "s", {false, time});
  return late ? late->days : 0;
}
double share_at(std::int64_t time, const std::string &student = "s") {
  const auto late = lateness(policy(), student, {false, time});
  return late ? late->share : 0;
}

TEST(Lateness, IsCountedInDaysBegunAfterTheSecondInWhichItWasDue) {
  EXPECT_EQ(days_at(due - day), 0);
  EXPECT_EQ(days_at(due), 0);
  EXPECT_EQ(days_at(due + 1), 1);
  EXPECT_EQ(days_at(due + day), 1);
  EXPECT_EQ(days_at(due + day + 1), 2);
}

TEST(Lateness, TakesAShareForEachDayAndAllAfterTheLast) {
  EXPECT_DOUBLE_EQ(share_at(due + 1), 0.1);
  EXPECT_DOUBLE_EQ(share_at(due + 3 * day), 0.3);
  EXPECT_DOUBLE_EQ(share_at(due + 3 * day + 1), 1);
  EXPECT_DOUBLE_EQ(share_at(due + 2 * day, "extended"), 0);
  EXPECT_DOUBLE_EQ(share_at(due + 5 * day, "extended"), 0.3);
  EXPECT_DOUBLE_EQ(share_at(due + 5 * day + 1, "extended"), 1);
}

TEST(Lateness, WithoutATimeIsOneDay) {
  const auto late = lateness(policy(), "s", {true, std::nullopt});
  ASSERT_TRUE(late);
  EXPECT_EQ(late->days, 1);
  EXPECT_TRUE(late->guessed);
  EXPECT_DOUBLE_EQ(late->share, 0.1);
  EXPECT_DOUBLE_EQ(lateness(policy(), "extended", {true, std::nullopt})->share, 0);
  EXPECT_FALSE(lateness(policy(), "s", {false, std::nullopt}));
  EXPECT_FALSE(lateness(policy(), "s", {true, due - 1})) << "its time says more than its mark";
}

TEST(Lateness, IsSaidWithoutAPolicyAndCostsNothing) {
  const auto late = lateness(std::nullopt, "s", {true, due});
  ASSERT_TRUE(late);
  EXPECT_DOUBLE_EQ(late->share, 0);
  EXPECT_FALSE(lateness(std::nullopt, "s", {false, due}));
}

TEST(Lateness, IsTakenOffWhatWasEarnedAndNotOffPointsByHand) {
  const Course c;
  const Score on_time =
      score(c.assignment, c.thresholds, {"hw", "x", 1, {}, {accepted("base"), accepted("more")}});
  ASSERT_EQ(on_time.points, 15);
  const Score late = with_lateness(on_time, lateness(policy(), "s", {false, due + day + 1}));
  EXPECT_EQ(late.points, 12);
  EXPECT_EQ(late.extra_credit, 4);
  EXPECT_EQ(late.max_points, on_time.max_points);
  EXPECT_EQ(late.steps, on_time.steps);
  EXPECT_EQ(late.late->points_off, 3);
  EXPECT_EQ(sentence(*late.late), "Handed in 2 days late. 20 % of the points are taken off: 3.");
  const Score by_hand = with_lateness(with_overrides(on_time, {{"base", 20, "ill"}}), late.late);
  EXPECT_EQ(by_hand.points, 24);  // 20, and 4 of the 5 of "more"
  EXPECT_EQ(with_lateness(on_time, std::nullopt).points, 15);
}

}  // namespace
}  // namespace warpgrade::score
