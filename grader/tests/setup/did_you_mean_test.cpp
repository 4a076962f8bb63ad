#include "setup/did_you_mean.hpp"

#include <gtest/gtest.h>

namespace warpgrade {
namespace {

const std::vector<std::string> commands = {"explain", "bench", "roofline", "tune",
                                           "report",  "plan",  "package"};

TEST(DidYouMean, FindsAMissingAnExtraAWrongAndASwappedLetter) {
  EXPECT_EQ(nearest("expain", commands), "explain");
  EXPECT_EQ(nearest("bennch", commands), "bench");
  EXPECT_EQ(nearest("roofkine", commands), "roofline");
  EXPECT_EQ(nearest("repotr", commands), "report");
}

TEST(DidYouMean, SaysNothingOfWhatIsNotNear) {
  EXPECT_EQ(nearest("grade", commands), "");
  EXPECT_EQ(nearest("x", commands), "");
  EXPECT_EQ(nearest("", commands), "");
  EXPECT_EQ(nearest(std::string(100000, 'x'), commands), "");
}

TEST(DidYouMean, SaysNothingWhereSeveralAreAlike) {
  EXPECT_EQ(nearest("step9", {"step0", "step1", "step2"}), "");
  EXPECT_EQ(nearest("stepp2", {"step0", "step1", "step2"}), "step2");
}

TEST(DidYouMean, KnowsAStepByItsFile) {
  course::Assignment a;
  a.steps.resize(2);
  a.steps[0].id = "step0", a.steps[0].file = "step0_naive.cu";
  a.steps[1].id = "way1", a.steps[1].file = "loads.cu";
  for (const char *word :
       {"step0_naive.cu", "step0_naive", "./step0_naive.cu", "starter/hw6/step0_naive.cu", "stp0"})
    EXPECT_EQ(nearest_step(word, a), "step0") << word;
  EXPECT_EQ(nearest_step("loads.cu", a), "way1");
}

}  // namespace
}  // namespace warpgrade
