#include "authoring/calibrate.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace warpgrade::authoring {
namespace {

TEST(Calibrate, NamesItsFileAfterTheGpu) {
  EXPECT_EQ(file_stem("NVIDIA H200"), "nvidia-h200");
  EXPECT_EQ(file_stem("NVIDIA GeForce RTX 4090 (Laptop)"), "nvidia-geforce-rtx-4090-laptop");
  EXPECT_EQ(file_stem("../.."), "gpu");
}

/// 2e9 flops at 1000³ in 2 ms: 1000 GFLOPS; cuBLAS in 1 ms.
grading::BenchPoint measured(const std::string &step) {
  const problem::Case size{{1000, 1000, 1000}, {1, 0}};
  return {step,
          size,
          grading::PerformanceRecord{
              size, {0.002, 0.002, 0.002}, {0.001}, "", {{1980, 3201, 41, 345.6, 0}}, {}, false, false, true},
          {},
          ""};
}

TEST(Calibrate, ProposesSharesOfWhatWasMeasuredInTheUnitOfEachThreshold) {
  course::Assignment a;
  for (const char *id : {"step1", "step3"}) {
    a.steps.emplace_back().id = id;
    a.steps.back().problem = problem::find_problem("sgemm");
  }
  a.calibration = {0.45, 0.9};
  course::Thresholds before;
  before.match = "NVIDIA H200*";
  before.peak_gflops = 66900;
  const problem::Case size{{1000, 1000, 1000}, {1, 0}};
  before.steps = {{"step1", size, {300, false}, {600, false}}, {"step3", size, {0.2, true}, {0.4, true}}};
  gpu::DeviceInfo gpu;
  gpu.name = "NVIDIA H200";
  gpu.driver_version = "580.1, CUDA 13.0";
  const std::string text =
      calibrated_yaml(a, before, {measured("step1"), measured("step3")}, gpu, "2026-11-20");
  EXPECT_NE(text.find("  step1: {size: 1000, pass: 450, full: 900}\n"), std::string::npos) << text;
  // Half of cuBLAS: 0.45 and 0.9 of a half.
  EXPECT_NE(text.find("  step3: {size: 1000, pass: 0.23 cublas, full: 0.45 cublas}\n"), std::string::npos)
      << text;
  EXPECT_NE(text.find("gpu: {match: \"NVIDIA H200*\", peak_gflops: 66900}\n"), std::string::npos) << text;
  before.gpu_id = "nvidia-h200";
  EXPECT_NE(calibrated_yaml(a, before, {measured("step1")}, gpu, "2026-11-20")
                .find("\ngpu: nvidia-h200\nsource: measured\nsteps:\n"),
            std::string::npos);
  EXPECT_NE(text.find("2026-11-20"), std::string::npos) << text;
  EXPECT_NE(text.find("#            SM clock 1980 MHz, up to 41 °C and 346 W\n"), std::string::npos) << text;
}

TEST(Calibrate, KeepsTheNumbersOfASizeThatAreNoExtentsAndMeasuresBytesWhereThereAreNoFlops) {
  course::Assignment a;
  a.steps.emplace_back().id = "crowded";
  a.steps.back().problem = problem::find_problem("histogram");
  a.calibration = {0.5, 0.9};
  const problem::Case size{{1000000, 256, 90}, {}};
  course::Thresholds before;
  before.match = "*";
  before.steps = {{"crowded", size, {40, false}, {100, false}}};
  grading::BenchPoint point;
  point.step = "crowded";
  point.size = size;
  point.performance.emplace().size = size;
  point.performance->seconds = {4e-6, 4e-6, 4e-6};  // 4 MB in 4 us: 1000 GB/s
  const std::string text = calibrated_yaml(a, before, {point}, {}, "2026-11-22");
  EXPECT_NE(text.find("  crowded: {size: {n: 1000000, bins: 256, crowded: 90}, pass: 500, full: 900}\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("Median GB/s"), std::string::npos) << text;
  point.performance->library_seconds = {2e-6, 2e-6, 2e-6};
  const std::string shares = calibrated_yaml(a, before, {point}, {}, "2026-11-22");
  EXPECT_NE(shares.find("crowded: 90}, pass: 0.25 cub, full: 0.45 cub}\n"), std::string::npos) << shares;
  EXPECT_NE(shares.find("3 samples; CUB 2000\n"), std::string::npos) << shares;
}

TEST(Calibrate, PredictsSharesOfTheLowestRateAndKeepsWhatCannotBePredicted) {
  course::Assignment a;
  a.name = "hw6";
  for (const char *id : {"step1", "step3"}) {
    a.steps.emplace_back().id = id;
    a.steps.back().problem = problem::find_problem("sgemm");
  }
  a.calibration = {0.5, 0.9};
  const problem::Case size{{1000, 1000, 1000}, {1, 0}};
  course::Thresholds any;
  any.match = "*";
  any.steps = {{"step1", size, {0.1, true}, {0.2, true}, {}}, {"step3", size, {0.2, true}, {0.4, true}, {}}};
  predict::StepPrediction one, none;
  one.step = "step1", one.problem = a.steps[0].problem, one.size = size;
  // 2e9 operations in 1 to 2 ms: 1000 to 2000 GFLOPS
  one.prediction.low = 1e-3, one.prediction.seconds = 1.5e-3, one.prediction.high = 2e-3;
  none = one;
  none.step = "step3", none.prediction.why_not = "it is compiled for sm_90a, and this GPU is sm_75";
  course::Gpu gpu;
  gpu.id = "nvidia-t4", gpu.name = "NVIDIA T4";
  const std::string text = predicted_yaml(a, any, {one, none}, gpu);
  EXPECT_THAT(text, ::testing::HasSubstr("\ngpu: nvidia-t4\nsource: predicted\nmodel: \""));
  EXPECT_THAT(text,
              ::testing::HasSubstr("  step1: {size: 1000, pass: 500, full: 900, predicted: [1000, 2000]}\n"));
  EXPECT_THAT(text,
              ::testing::HasSubstr("  # not predicted: it is compiled for sm_90a, and this GPU is sm_75\n"
                                   "  step3: {size: 1000, pass: 0.2 cublas, full: 0.4 cublas}\n"));
}

TEST(Calibrate, ShowsOnlyTheLinesThatChange) {
  EXPECT_EQ(line_difference("a\nb\nc\n", "a\nB\nc\n"), "- b\n+ B\n");
  EXPECT_EQ(line_difference("a\n", "a\n"), "");
}

}  // namespace
}  // namespace warpgrade::authoring
