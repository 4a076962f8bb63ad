// A step other than a matrix product is timed on the driver without a GPU: the host deals, and looks at every
// element. CUB runs beside it.
#include <gtest/gtest.h>

#include <filesystem>
#include <span>

#include "base/statistics.hpp"
#include "course/assignment.hpp"
#include "grading/step_grader.hpp"
#include "tests/gpu/plans.hpp"
#include "tests/gpu_nodriver/paper.hpp"

namespace warpgrade::grading {
namespace {

/// Times `kernel` on 4096 numbers in 16 bins, on a GPU whose memory delivers that much.
Timing timed(const std::string &kernel, double gb_per_s, std::vector<std::string> variables = {}) {
  const course::Assignment assignment =
      course::read_assignment(std::filesystem::path(WARPGRADE_ROOT) / "assignments/histogram");
  course::Thresholds thresholds;
  thresholds.memory_gb_per_s = gb_per_s;
  Environment environment;
  environment.gpu = gpu::paper_gpu();
  environment.gpu_children = gpu::paper(std::move(variables));
  environment.thresholds = &thresholds;
  const std::string image = "image";
  const auto bytes = std::as_bytes(std::span(image));
  const course::Step &step = *assignment.find_step("direct");
  const problem::Case size{{4096, 16, 0}, {}};
  plan::LaunchPlan plan;
  plan.buffers = step.problem->buffers(size);
  plan::Launch launch = gpu::launch_of(kernel, {16, 1, 1}, {256, 1, 1});
  gpu::ArgumentBuilder(launch).value(std::int32_t{4096}).value(std::int32_t{16}).pointer(0).pointer(1);
  plan.operations.emplace_back(launch);
  gpu::Replay replay(*environment.gpu, {bytes.begin(), bytes.end()}, {}, environment.gpu_children);
  Timekeeping timekeeping{{}, gpu::Referee(*environment.gpu, environment.gpu_children)};
  return time_step(assignment, step, environment, size, plan, replay, timekeeping, nullptr);
}

TEST(NoProduct, IsTimedOnFreshNumbersBesideItsLibrary) {
  const Timing timing = timed("histogram", 1e12);
  EXPECT_EQ(timing.verdict, judge::Verdict::accepted) << timing.why_not;
  ASSERT_TRUE(timing.performance) << timing.why_not;
  EXPECT_GE(timing.performance->seconds.size(), 20U);
  EXPECT_EQ(timing.performance->library_seconds.size(), timing.performance->seconds.size());
  EXPECT_EQ(timing.performance->why_no_library, "");
}

TEST(NoProduct, AWrongLibraryIsNotAReferenceAndCostsNothing) {
  const Timing timing = timed("histogram", 1e12, {"PAPER_CUB_IS_WRONG=1"});
  EXPECT_EQ(timing.verdict, judge::Verdict::accepted) << timing.why_not;
  ASSERT_TRUE(timing.performance) << timing.why_not;
  EXPECT_TRUE(timing.performance->library_seconds.empty());
  EXPECT_TRUE(timing.performance->why_no_library.starts_with(
      "CUB itself gave a wrong result: 1 of 16 elements of counts are wrong: counts[0] is "))
      << timing.performance->why_no_library;
}

TEST(NoProduct, ATimedRunThatLosesACountIsAWrongAnswer) {
  const Timing timing = timed("histogram_of_all_but_one", 1e12);
  EXPECT_EQ(timing.verdict, judge::Verdict::wrong_answer);
  EXPECT_FALSE(timing.performance);
  EXPECT_NE(
      timing.why_not.find("timed run 1 at n=4096 bins=16 gave a wrong result: 1 of 16 elements of counts"),
      std::string::npos)
      << timing.why_not;
}

TEST(NoProduct, ASampleIsTheMeanOverAddressesOfTheOutput) {
  const Timing timing = timed("histogram_whose_place_decides", 1e12);
  EXPECT_EQ(timing.verdict, judge::Verdict::accepted) << timing.why_not;
  ASSERT_TRUE(timing.performance) << timing.why_not;
  EXPECT_NEAR(quantile(timing.performance->seconds, 0.5), 1.5e-6, 0.3e-6);
}

TEST(NoProduct, ARateAboveTheBandwidthIsForAPersonToReview) {
  const Timing timing = timed("histogram", 1e-9);
  EXPECT_EQ(timing.verdict, judge::Verdict::grader_error);
  EXPECT_FALSE(timing.performance);
  EXPECT_NE(timing.why_not.find("GB/s is more than this GPU can reach ("), std::string::npos)
      << timing.why_not;
}

}  // namespace
}  // namespace warpgrade::grading
