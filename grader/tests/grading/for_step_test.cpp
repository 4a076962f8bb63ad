// Which steps a GPU is there for.
#include <gtest/gtest.h>

#include "grading/grading.hpp"
#include "ptx/architecture.hpp"

namespace warpgrade::grading {
namespace {

Environment with_gpu(int major, int minor) {
  Environment environment;
  environment.gpu.emplace();
  environment.gpu->name = "NVIDIA Test";
  environment.gpu->major = major;
  environment.gpu->minor = minor;
  return environment;
}

Environment offered(int major, int minor, const std::string &arch) {
  course::Step step;
  step.arch = arch;
  return for_step(with_gpu(major, minor), step);
}

TEST(ForStep, AGpuRunsCodeOfOlderGenerationsAndItsOwn) {
  EXPECT_TRUE(offered(9, 0, "compute_80").gpu);
  EXPECT_TRUE(offered(9, 0, "compute_90").gpu);
  EXPECT_TRUE(offered(9, 0, "compute_90a").gpu);
  EXPECT_TRUE(offered(10, 0, "compute_90").gpu);
}

TEST(ForStep, AGpuThatCannotRunTheCodeIsIgnoredAndASentenceNamesOneThatCould) {
  const Environment older = offered(8, 0, "compute_90a");
  EXPECT_FALSE(older.gpu);
  EXPECT_EQ(older.why_not_this_gpu, "not measured: needs an sm_90 GPU; NVIDIA Test is sm_80");
  EXPECT_EQ(older.why_no_gpu, older.why_not_this_gpu);
  EXPECT_EQ(offered(10, 0, "compute_90a").why_not_this_gpu,
            "not measured: needs an sm_90 GPU; NVIDIA Test is sm_100");
  EXPECT_EQ(offered(8, 6, "compute_90").why_not_this_gpu,
            "not measured: needs an sm_90 GPU or a newer one; NVIDIA Test is sm_86");
}

TEST(ForStep, WithoutAGpuNothingChanges) {
  course::Step step;
  step.arch = "compute_90a";
  Environment none;
  none.why_no_gpu = "--device sim";
  EXPECT_EQ(for_step(none, step).why_no_gpu, "--device sim");
  EXPECT_EQ(for_step(none, step).why_not_this_gpu, "");
}

TEST(Architecture, OfOneGenerationHasMachineCodeOfThatGeneration) {
  EXPECT_EQ(ptx::Architecture("compute_80").machine_code(9, 0), "sm_90");
  EXPECT_EQ(ptx::Architecture("compute_90a").machine_code(9, 0), "sm_90a");
}

}  // namespace
}  // namespace warpgrade::grading
