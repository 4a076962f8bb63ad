// Points for speed where no GPU measured it.
#include "score/without_gpu.hpp"

#include <gtest/gtest.h>

namespace warpgrade::score {
namespace {

using course::WithoutGpu;

/// One step of 15 points: 5 for right results, 2 for a counter, 8 for speed.
struct TimedCourse {
  course::Assignment assignment;
  course::Thresholds thresholds;
  problem::Case size{{1000, 1000, 1000}, {1, 0}};  // 2e9 flops
  explicit TimedCourse(WithoutGpu policy) {
    course::Step step;
    step.id = "only";
    step.problem = problem::find_problem("sgemm");
    step.points = {5, 8, 2};
    step.counter_checks = {{course::Measure::sectors_per_load, false, 4, 2}};
    assignment.steps = {step};
    assignment.without_gpu = policy;
    assignment.predict_for = "nvidia-t4";
    thresholds.gpu = "NVIDIA T4";
    thresholds.steps = {{"only", size, {1000, false}, {2000, false}}};
  }
  grading::SubmissionRecord record(std::uint64_t sectors) const {
    grading::StepRecord r;
    r.id = "only";
    r.verdict = judge::Verdict::accepted;
    r.why_no_performance = "no GPU here";
    r.counters.emplace();
    r.counters->counts.global_load = {1, sectors, 128, 128, 4};
    return {"hw", "x", 1, {}, {r}};
  }
  Score score_of(const grading::SubmissionRecord &r) const { return score(assignment, thresholds, r); }
};

TEST(WithoutGpu, ByDefaultPointsForSpeedWait) {
  const TimedCourse c(WithoutGpu::leave);
  const Score s = c.score_of(c.record(4));
  EXPECT_EQ(s.points, 7);
  EXPECT_EQ(s.ungraded_points, 8);
  EXPECT_FALSE(s.steps[0].in_place);
  EXPECT_EQ(s.without_gpu, "");
}

TEST(WithoutGpu, RescaledPointsGoUpToTheMaximumOfTheStep) {
  const TimedCourse c(WithoutGpu::rescale);
  const Score all = c.score_of(c.record(4)), less = c.score_of(c.record(5));
  EXPECT_EQ(all.points, 15);
  EXPECT_TRUE(all.full());
  EXPECT_DOUBLE_EQ(less.points, 10.71);  // 5 of 7, and 5 * 15 / 7 = 10.714
  EXPECT_EQ(less.ungraded_points, 0);
  EXPECT_FALSE(less.full());
  EXPECT_EQ(less.steps[0].in_place->sentence,
            "not measured; 5 of 7 points for everything else count as 10.71 of 15");
  EXPECT_EQ(
      less.without_gpu,
      "Speed was not measured: the points of a step are those for everything else, scaled to its maximum "
      "(without_gpu: rescale).");
}

TEST(WithoutGpu, WhatWaitsIsRescaledTooAndNothingIsLostToRounding) {
  const TimedCourse c(WithoutGpu::rescale);
  grading::SubmissionRecord r = c.record(4);
  r.steps[0].counters.reset();
  r.steps[0].why_no_counters = "it took too long";
  const Score s = c.score_of(r);
  EXPECT_DOUBLE_EQ(s.points, 10.71);
  EXPECT_DOUBLE_EQ(s.ungraded_points, 4.29);  // 2 * 15 / 7 = 4.286
  EXPECT_DOUBLE_EQ(s.points + s.ungraded_points, 15);
  EXPECT_TRUE(s.full());
}

TEST(WithoutGpu, NothingIsRescaledForAWrongAnswerOrOnAGpu) {
  const TimedCourse c(WithoutGpu::rescale);
  grading::SubmissionRecord r = c.record(4);
  r.steps[0].verdict = judge::Verdict::wrong_answer;
  EXPECT_EQ(c.score_of(r).points, 0);
  r = c.record(4);
  r.device.gpu = true;
  EXPECT_EQ(c.score_of(r).points, 7);
  EXPECT_EQ(c.score_of(r).ungraded_points, 8);
  EXPECT_EQ(c.score_of(r).without_gpu, "");
}

grading::PredictedRecord predicted(const problem::Case &size, double seconds) {
  return {"NVIDIA T4", "3", size, seconds, seconds * 0.8, seconds * 1.25, std::nullopt, ""};
}

TEST(WithoutGpu, APredictedRateEarnsPointsBetweenTheThresholdsOfItsGpu) {
  const TimedCourse c(WithoutGpu::predicted);
  grading::SubmissionRecord r = c.record(4);
  r.steps[0].predicted = predicted(c.size, 1.25e-3);  // 2e9 flops in 1.25 ms: 1600, 6 tenths of the way
  const Score s = c.score_of(r);
  EXPECT_DOUBLE_EQ(s.points, 11.8);  // 7 + 0.6 * 8
  EXPECT_EQ(s.ungraded_points, 0);
  EXPECT_FALSE(s.steps[0].performance);  // that is for what was measured
  EXPECT_EQ(s.steps[0].in_place->sentence,
            "1600 GFLOPS predicted for NVIDIA T4 at m=n=k=1000 (1280 to 2000, model 3), not measured: 4.8/8 "
            "points");
  EXPECT_EQ(s.without_gpu,
            "Speed was predicted for NVIDIA T4 and not measured: predicted rates earn the points for speed "
            "(without_gpu: predicted).");
}

TEST(WithoutGpu, PredictedAndMeasuredRatesNeverMeet) {
  const TimedCourse c(WithoutGpu::predicted);
  grading::SubmissionRecord r = c.record(4);
  r.device.gpu = true;
  r.steps[0].predicted = predicted(c.size, 1e-3);  // would be full points
  EXPECT_EQ(c.score_of(r).points, 7);
  EXPECT_EQ(c.score_of(r).ungraded_points, 8);
  EXPECT_FALSE(c.score_of(r).steps[0].in_place);
}

TEST(WithoutGpu, WhereNothingWasPredictedPointsWaitAndSayWhy) {
  TimedCourse c(WithoutGpu::predicted);
  grading::SubmissionRecord r = c.record(4);
  const auto why = [&] {
    const Score s = c.score_of(r);
    EXPECT_EQ(s.points, 7);
    EXPECT_EQ(s.ungraded_points, 8);
    return s.steps[0].why_ungraded;
  };
  EXPECT_EQ(why(), "its speed was not predicted");
  r.steps[0].predicted = predicted(c.size, 1e-3);
  r.steps[0].predicted->why_not = "it needs too much memory";
  EXPECT_EQ(why(), "its speed could not be predicted: it needs too much memory");
  r.steps[0].predicted = predicted({{500, 500, 500}, {1, 0}}, 1e-3);
  EXPECT_EQ(why(), "its speed was predicted at m=n=k=500, and the threshold is for m=n=k=1000");
  r.steps[0].predicted = predicted(c.size, 1e-3);
  c.thresholds.steps[0] = {"only", c.size, {0.25, true}, {0.5, true}};
  EXPECT_EQ(why(), "its thresholds are shares of cuBLAS, which nobody measured on NVIDIA T4");
  r.steps[0].predicted->library_rate = 8000;  // half of it is 4000, a quarter 2000: just passed
  EXPECT_EQ(c.score_of(r).points, 7);
  EXPECT_EQ(c.score_of(r).ungraded_points, 0);
}

TEST(WithoutGpu, PointsByHandTakeThePlaceOfAll) {
  const TimedCourse c(WithoutGpu::rescale);
  const Score s = with_overrides(c.score_of(c.record(5)), {{"only", 12, "looked at"}});
  EXPECT_EQ(s.points, 12);
  EXPECT_FALSE(s.steps[0].in_place);
}

}  // namespace
}  // namespace warpgrade::score
