// `without_gpu` in assignment.yaml.
#include "tests/course/edited.hpp"

namespace warpgrade::course {
namespace {

TEST_F(Edited, WithoutGpuLeavesPointsForSpeedUnlessItSaysOtherwise) {
  EXPECT_EQ(read_assignment(folder_).without_gpu, WithoutGpu::leave);
  replace("assignment.yaml", "predict_for:", "without_gpu: rescale\npredict_for:");
  EXPECT_EQ(read_assignment(folder_).without_gpu, WithoutGpu::rescale);
  replace("assignment.yaml", "without_gpu: rescale", "without_gpu: guess");
  EXPECT_NE(
      error().find("there is no policy 'guess'; write leave (points for speed wait for a GPU), rescale or "
                   "predicted"),
      std::string::npos)
      << error();
}

TEST_F(Edited, PredictedRatesAreComparedWithTheThresholdsOfTheNamedGpu) {
  replace("assignment.yaml", "predict_for: nvidia-h200", "predict_for: nvidia-t4");
  EXPECT_EQ(read_thresholds(folder_, read_assignment(folder_), "none").file, "default.yaml");
  replace("assignment.yaml", "predict_for:", "without_gpu: predicted\npredict_for:");
  const Assignment a = read_assignment(folder_);
  EXPECT_EQ(read_thresholds(folder_, a, "none").file, "nvidia-t4.yaml");
  EXPECT_EQ(read_thresholds(folder_, a, "NVIDIA H200").file, "nvidia-h200.yaml");
  replace("assignment.yaml", "predict_for: nvidia-t4", "");
  EXPECT_NE(error().find("'predicted' needs 'predict_for'"), std::string::npos) << error();
}

}  // namespace
}  // namespace warpgrade::course
