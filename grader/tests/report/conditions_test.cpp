#include "report/conditions.hpp"

#include <gtest/gtest.h>

namespace warpgrade::report {
namespace {

grading::PerformanceRecord record() {
  grading::PerformanceRecord r;
  r.states = {{1980, 3201, 40, 138.2, 0}, {1965, 3201, 41, 345.6, 0}, {1980, 3201, 39, 300, 0}};
  return r;
}
std::string said(const grading::PerformanceRecord &r) {
  return conditions_text(score::conditions_of(r));
}

TEST(Conditions, NameTheRangeOfTheClockAndTheMostHeatAndPower) {
  EXPECT_EQ(said(record()), "SM clock 1965 to 1980 MHz, up to 41 °C and 346 W");
}

TEST(Conditions, WithoutNvmlAreNotMentioned) {
  EXPECT_EQ(said({}), "");
}

TEST(Conditions, SayWhichRunsWereRepeatedAndWhy) {
  auto r = record();
  r.throttled = {{{0.001, 0.002, 0}, std::nullopt, gpu::GpuState{1200, 3201, 80, 700, 0x04}},
                 {{0.001, 0.002, 0}, std::nullopt, gpu::GpuState{1200, 3201, 90, 700, 0x24}}};
  EXPECT_NE(said(r).find("; 2 runs were repeated, because the GPU ran below its clocks (power limit, "
                         "temperature)"),
            std::string::npos)
      << said(r);
}

TEST(Conditions, WarnWhenTheGpuWasHeldBackThroughout) {
  grading::PerformanceRecord r;
  r.states = {{900, 3201, 90, 60, 0x04}};
  r.throttled_throughout = true;
  EXPECT_NE(said(r).find("ran below its clocks all the time (power limit)"), std::string::npos) << said(r);
  EXPECT_EQ(conditions_to_json(score::conditions_of(r))["throttled_throughout"], true);
}

TEST(Conditions, SayThatTheClocksNeverSettled) {
  auto r = record();
  r.settled = false;
  EXPECT_NE(said(r).find("; the clocks never settled"), std::string::npos);
}

TEST(Conditions, OfAThresholdThatClangsCodeMissesNameTheCompiler) {
  score::Performance speed;
  speed.counts_as = 2889;
  EXPECT_EQ(compiler_remark("clang 14.0", speed), "");  // no threshold
  speed.full = 6400;
  EXPECT_EQ(compiler_remark("clang 14.0", speed),
            "clang 14.0 compiled this; the thresholds are for nvcc's code, which may be faster");
  EXPECT_EQ(compiler_remark("nvcc 13.0", speed), "");
  speed.counts_as = 6400;
  EXPECT_EQ(compiler_remark("clang 14.0", speed), "");
  EXPECT_EQ(compiler_remark("clang 14.0", std::nullopt), "");
}

}  // namespace
}  // namespace warpgrade::report
