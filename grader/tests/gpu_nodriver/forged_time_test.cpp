// Times that cannot be: a step is timed on the driver without a GPU, whose kernels compute their product and
// then write over the events' time stamps. Such a time is a grader_error for a person to look at, never a
// score.
#include <gtest/gtest.h>

#include <filesystem>
#include <span>

#include "course/assignment.hpp"
#include "grading/step_grader.hpp"
#include "tests/gpu/plans.hpp"
#include "tests/gpu_nodriver/paper.hpp"

namespace warpgrade::grading {
namespace {

/// Times `kernel` at 32 x 32 x 32 on a GPU whose peak is `peak_gflops`.
Timing timed(const std::string &kernel, double peak_gflops) {
  const course::Assignment assignment =
      course::read_assignment(std::filesystem::path(WARPGRADE_ROOT) / "assignments/hw6");
  course::Thresholds thresholds;
  thresholds.peak_gflops = peak_gflops;
  Environment environment;
  environment.gpu = gpu::paper_gpu();
  environment.gpu_children = gpu::paper();
  environment.thresholds = &thresholds;
  const std::string image = "image";
  const auto bytes = std::as_bytes(std::span(image));
  course::Step step;
  step.problem = problem::find_problem("sgemm");
  gpu::Replay replay(*environment.gpu, {bytes.begin(), bytes.end()}, {}, environment.gpu_children);
  Timekeeping timekeeping{{}, gpu::Referee(*environment.gpu, environment.gpu_children)};
  return time_step(assignment, step, environment, {{32, 32, 32}, {1, 0}},
                   gpu::sgemm_plan(kernel, {32, 32, 32, 1, 0}), replay, timekeeping, nullptr);
}

TEST(ForgedTime, APossibleTimeIsRecorded) {
  const Timing timing = timed("sgemm", 1e12);
  EXPECT_EQ(timing.verdict, judge::Verdict::accepted) << timing.why_not;
  ASSERT_TRUE(timing.performance) << timing.why_not;
  EXPECT_FALSE(timing.performance->seconds.empty());
}

TEST(ForgedTime, MoreThanThePeakOfTheGpuIsForAPersonToLookAt) {
  const Timing timing = timed("sgemm", 1e-9);
  EXPECT_EQ(timing.verdict, judge::Verdict::grader_error);
  EXPECT_FALSE(timing.performance);
  EXPECT_NE(timing.why_not.find("is more than this GPU can reach ("), std::string::npos) << timing.why_not;
  EXPECT_NE(timing.why_not.find("a person must look at it"), std::string::npos) << timing.why_not;
}

TEST(ForgedTime, TimeStampsThatAKernelSetBackMakeNoScore) {
  const Timing timing = timed("sgemm_in_a_femtosecond", 66900);
  EXPECT_EQ(timing.verdict, judge::Verdict::grader_error) << timing.why_not;
  EXPECT_FALSE(timing.performance);
}

TEST(ForgedTime, NoTimeAtAllIsImpossible) {
  const Timing timing = timed("sgemm_in_no_time", 66900);
  EXPECT_EQ(timing.verdict, judge::Verdict::grader_error);
  EXPECT_FALSE(timing.performance);
  EXPECT_NE(timing.why_not.find("impossible time"), std::string::npos) << timing.why_not;
}

TEST(ForgedTime, LongerThanTheHostWaitedIsImpossible) {
  const Timing timing = timed("sgemm_for_an_hour", 66900);
  EXPECT_EQ(timing.verdict, judge::Verdict::grader_error);
  EXPECT_FALSE(timing.performance);
  EXPECT_NE(timing.why_not.find("impossible time"), std::string::npos) << timing.why_not;
}

}  // namespace
}  // namespace warpgrade::grading
