// Several GPUs, and somebody else on one, on the driver without a GPU.
#include <gtest/gtest.h>

#include <filesystem>
#include <span>

#include "course/assignment.hpp"
#include "gpu/device_lock.hpp"
#include "grading/step_grader.hpp"
#include "sandbox/sandbox.hpp"
#include "score/score.hpp"
#include "tests/gpu/neighbour.hpp"
#include "tests/gpu/plans.hpp"
#include "tests/gpu_nodriver/paper.hpp"

namespace warpgrade::gpu {
namespace {

TEST(SeveralGpus, AreFoundEachWithAnAddressOfItsOwn) {
  const DeviceQuery query = query_devices(paper({"PAPER_GPUS=3"}));
  ASSERT_EQ(query.devices.size(), 3u) << query.why_none;
  EXPECT_EQ(query.devices[0].pci_bus_id, "0000:01:00.0");
  EXPECT_EQ(query.devices[2].pci_bus_id, "0000:03:00.0");
  EXPECT_EQ(query.devices[2].index, 2);
}

TEST(SeveralGpus, AreMeasuredOnOneMeasurementEachAtATime) {
  std::string folder = (std::filesystem::temp_directory_path() / "warpgrade-locks-XXXXXX").string();
  ASSERT_NE(::mkdtemp(folder.data()), nullptr);
  const ChildOptions options = paper({"PAPER_GPUS=2"});
  const DeviceQuery query = query_devices(options);
  ASSERT_EQ(query.devices.size(), 2u);
  const std::string image = "image";
  const auto bytes = std::as_bytes(std::span(image));
  const Sgemm problem{32, 32, 32, 1, 0};
  const auto plan = sgemm_plan("sgemm", problem);
  const auto measured_on = [&](const DeviceInfo &device) {
    Replay replay(device, {bytes.begin(), bytes.end()}, {}, options);
    Referee referee(device, options);
    DealtTrial trial(replay, referee, plan, product_of(problem), 2e-6);
    TimingOptions timing;
    timing.lock_directory = folder;
    timing.lock_wait_seconds = 0.2;
    return measure_alone({device}, trial, timing);
  };
  {
    const DeviceLock taken(folder, query.devices[0], 0);
    ASSERT_TRUE(taken.held());
    const Measurement busy = measured_on(query.devices[0]), free = measured_on(query.devices[1]);
    EXPECT_FALSE(busy.ok);
    EXPECT_NE(busy.why.find("another grader has been measuring on GPU 0"), std::string::npos) << busy.why;
    EXPECT_TRUE(free.ok) << free.why;
  }
  EXPECT_TRUE(measured_on(query.devices[0]).ok);
  std::filesystem::remove_all(folder);
}

TEST(ANoisyNeighbour, TakesItsTurnsThroughTheDriver) {
  const std::string image = "image";
  const auto bytes = std::as_bytes(std::span(image));
  const std::vector<std::byte> code(bytes.begin(), bytes.end());
  EXPECT_EQ(be_a_noisy_neighbour(WARPGRADE_FAKE_DRIVER, 0, code, 3), 0);
  EXPECT_EQ(be_a_noisy_neighbour(WARPGRADE_FAKE_DRIVER, 7, code, 3), 1);
}

TEST(ANeighbourThatTakesTheGpuDown, ChangesNoOtherVerdict) {
  const Scratch folder;
  const std::string locks = folder.path().string();
  const auto ends = [&](const std::string &kernel, const std::string &directory, const std::string &once,
                        bool fails_alone = false) {
    const std::string image = "image";
    const auto bytes = std::as_bytes(std::span(image));
    Replay replay(paper_gpu(), {bytes.begin(), bytes.end()}, {}, paper({"PAPER_FAILS_ONCE=" + locks + once}));
    auto plan = plan_on_c(4);
    auto launch = launch_of(kernel, {}, {32, 1, 1});
    ArgumentBuilder(launch).pointer(0);
    plan.operations.push_back(launch);
    Company company{directory, 5, 0, fails_alone};
    const run::End end = replay_beside_others(replay, plan, sevens(4), company).end;
    EXPECT_GT(company.spent_seconds, 0);
    EXPECT_EQ(company.fails_alone, end == run::End::device_error && !directory.empty());
    return end;
  };
  EXPECT_EQ(ends("nothing", locks, "/first"), run::End::completed) << "the second run counts";
  EXPECT_EQ(ends("trap", locks, "/second"), run::End::device_error) << "alone it ends so too";
  EXPECT_EQ(ends("nothing", "", "/third"), run::End::device_error) << "nobody else is there";
  EXPECT_EQ(ends("nothing", locks, "/fourth", true), run::End::device_error) << "it has failed alone before";
}

/// A step that was accepted and is then timed on a GPU that somebody else uses.
TEST(UnstableTimes, AreAGraderErrorThatCostsNoPoints) {
  const course::Assignment assignment =
      course::read_assignment(std::filesystem::path(WARPGRADE_ROOT) / "assignments/hw6");
  course::Thresholds thresholds;
  grading::Environment environment;
  environment.gpu = paper_gpu();
  environment.gpu_children = paper({"PAPER_NEIGHBOUR=1"});
  environment.thresholds = &thresholds;
  const std::string image = "image";
  const auto bytes = std::as_bytes(std::span(image));
  Replay replay(*environment.gpu, {bytes.begin(), bytes.end()}, {}, environment.gpu_children);
  grading::Timekeeping timekeeping{{}, Referee(*environment.gpu, environment.gpu_children)};
  const grading::Timing timing =
      grading::time_step(assignment, assignment.steps.front(), environment, {{32, 32, 32}, {1, 0}},
                         sgemm_plan("sgemm", {32, 32, 32, 1, 0}), replay, timekeeping, nullptr);
  EXPECT_EQ(timing.verdict, judge::Verdict::grader_error);
  EXPECT_FALSE(timing.performance);
  EXPECT_TRUE(timing.why_not.starts_with("unstable times: the median of the library is only known to"))
      << timing.why_not;

  grading::SubmissionRecord record;
  record.device.gpu = true;
  grading::StepRecord step;
  step.id = "step0";
  step.verdict = timing.verdict;
  step.reason = timing.why_not;
  record.steps = {step};
  course::Assignment one_step = assignment;
  one_step.steps.resize(1);
  const score::Score score = score::score(one_step, thresholds, record);
  EXPECT_EQ(score.steps.at(0).ungraded_points, score.steps.at(0).max_points);
}

}  // namespace
}  // namespace warpgrade::gpu
