#include "setup/nearest_step.hpp"

#include <gtest/gtest.h>

namespace warpgrade {
namespace {

course::Assignment course_of(const std::vector<std::pair<std::string, std::string>> &steps) {
  course::Assignment a;
  for (const auto &[id, file] : steps) {
    a.steps.emplace_back();
    a.steps.back().id = id, a.steps.back().file = file;
    a.steps.back().beyond = id.starts_with("beyond");
  }
  return a;
}

TEST(NearestStep, IsKnownByItsFile) {
  const auto a = course_of({{"step0", "step0_naive.cu"}, {"way1", "loads.cu"}});
  for (const char *word :
       {"step0_naive.cu", "step0_naive", "./step0_naive.cu", "starter/hw6/step0_naive.cu", "stp0"})
    EXPECT_EQ(nearest_step(word, a), "step0") << word;
  EXPECT_EQ(nearest_step("loads.cu", a), "way1");
}

TEST(NearestStep, IsKnownByItsNumberAWordAndOtherSpellings) {
  const auto a = course_of({{"step2", "step2_shared.cu"},
                            {"step3", "step3_blocktile.cu"},
                            {"beyond3", "beyond3_lanes.cu"},
                            {"beyond5", "beyond5_async.cu"}});
  for (const char *word : {"3", "step3.cu", "Step3", "step-3", "STEP_3.CU", "blocktile", "Blocktile.cu",
                           "Step3_Blocktile.cu", "step3_blocktil.cu"})
    EXPECT_EQ(nearest_step(word, a), "step3") << word;
  EXPECT_EQ(nearest_step("2", course_of({{"add", "w1_add.cu"}, {"saxpy", "w2_saxpy.cu"}})), "saxpy");
  EXPECT_EQ(nearest_step("5", a), "beyond5");
  EXPECT_EQ(nearest_step("lanes", a), "beyond3");
}

TEST(NearestStep, IsMissingIfSeveralOrNoneAreNear) {
  const auto a =
      course_of({{"way1", "way1_same_copy.cu"}, {"way2", "way2_same_transpose.cu"}, {"k1", "k1.cu"}});
  for (const char *word : {"same", "1", "9", "", ".", "/", "--", "way"})
    EXPECT_EQ(nearest_step(word, a), "") << word;
}

}  // namespace
}  // namespace warpgrade
