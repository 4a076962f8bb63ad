#include "course/viva.hpp"

#include <gtest/gtest.h>

#include "edited.hpp"

namespace warpgrade::course {
namespace {

class EditedExam : public Edited {
 protected:
  void SetUp() override {
    Edited::SetUp();
    replace("assignment.yaml", "points: 100 ", "points: 110 ");
    replace("assignment.yaml", "steps:\n",
            "steps:\n  - {id: exam, kind: viva, title: Questions, points: 10, questions: 5, minutes: 15}\n");
  }
};

TEST_F(EditedExam, IsAStepThatNothingIsHandedInFor) {
  const Assignment a = read_assignment(folder_);
  ASSERT_EQ(a.exams.size(), 1u);
  const Step &exam = a.exams.front();
  ASSERT_TRUE(exam.viva);
  EXPECT_EQ(*exam.viva, (Viva{5, 15, {}}));
  EXPECT_EQ(exam.points.total(), 10);
  EXPECT_FALSE(exam.has_kernel());
  EXPECT_EQ(a.find_step("exam"), &exam);
  for (const Step &step : a.steps) EXPECT_FALSE(step.viva) << step.id;
}

TEST_F(EditedExam, CountsInTheSumOfThePoints) {
  replace("assignment.yaml", "points: 110 ", "points: 100 ");
  EXPECT_NE(error().find("'points' is 100, but the steps add up to 110"), std::string::npos) << error();
}

TEST_F(EditedExam, IsAboutKernelsOfStepsBeforeIt) {
  replace("assignment.yaml", "minutes: 15", "about: [step1]");
  EXPECT_NE(error().find("there is no kernel 'step1' in the steps before"), std::string::npos) << error();
}

TEST_F(EditedExam, TakesTheKeysOfAnExamOnlyAndAnIdOfItsOwn) {
  replace("assignment.yaml", "minutes: 15", "file: exam.cu");
  EXPECT_NE(error().find("unknown key 'file'"), std::string::npos) << error();
  replace("assignment.yaml", "file: exam.cu", "minutes: 0");
  EXPECT_NE(error().find("'minutes'"), std::string::npos) << error();
  replace("assignment.yaml", "minutes: 0", "minutes: 15");
  replace("assignment.yaml", "id: exam", "id: step1");
  EXPECT_NE(error().find("step 'step1' is listed twice"), std::string::npos) << error();
}

}  // namespace
}  // namespace warpgrade::course
