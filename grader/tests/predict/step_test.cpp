// What of a prediction is kept, and by what it is found again.
#include "predict/step.hpp"

#include <gtest/gtest.h>

#include <filesystem>

namespace warpgrade::predict {
namespace {

using Effort = Predictor::Effort;

bool lasts(run::End end, bool by_clock, Effort effort = Effort::a_second) {
  StepPrediction none;
  return explain(none, grading::NotSampled(end, "why", by_clock), effort);
}

TEST(WhatIsKeptOfAPrediction, IsNotThatTheClockOfABusyMachineEndedIt) {
  EXPECT_TRUE(lasts(run::End::time_limit, false)) << "it takes too many instructions, today and tomorrow";
  EXPECT_FALSE(lasts(run::End::time_limit, true));
  EXPECT_FALSE(lasts(run::End::time_limit, false, Effort::any));
  EXPECT_FALSE(lasts(run::End::our_failure, false));
  EXPECT_TRUE(lasts(run::End::fault, false));
}

class QuestionOfAPrediction : public ::testing::Test {
 protected:
  const std::filesystem::path root_ = WARPGRADE_ROOT;
  const course::Assignment hw6_ = course::read_assignment(root_ / "assignments/hw6");
  const course::Step &step_ = hw6_.steps.front();
  const Predictor predictor_{root_, hw6_};
  const Machine h200_ = predictor_.machine("nvidia-h200");

  std::vector<std::byte> asked(const grading::Environment &here, const build::Build &build = {}) const {
    const grading::Grader grader(hw6_, here, {});
    return predictor_.question(grader, step_, build, step_.counters_on, h200_, Effort::a_second);
  }
};

TEST_F(QuestionOfAPrediction, NamesTheDeviceThatTheLauncherWasToldOf) {
  const grading::Environment none;
  EXPECT_EQ(asked(none), asked(none));
  grading::Environment gpu;
  gpu.gpu.emplace();
  gpu.gpu->major = 9;
  gpu.gpu->properties = plan::simulated_device(90);
  EXPECT_NE(asked(gpu), asked(none));
  grading::Environment larger = gpu;
  ++larger.gpu->properties.multiprocessors;
  EXPECT_NE(asked(larger), asked(gpu));
}

TEST_F(QuestionOfAPrediction, NamesTheDeviceCode) {
  build::Build other;
  other.fatbin.resize(1);
  EXPECT_NE(asked({}, other), asked({}));
}

}  // namespace
}  // namespace warpgrade::predict
