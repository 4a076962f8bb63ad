#include "course/hunt.hpp"

#include <gtest/gtest.h>

#include "edited.hpp"

namespace warpgrade::course {
namespace {

class EditedHunts : public Edited {
 protected:
  EditedHunts() : Edited("hunts") {}
};

TEST_F(EditedHunts, SayWhatTheFixMayChangeWhatIsWorthWhatAndWhereTheFaultIs) {
  const Step step = *read_assignment(folder_).find_step("h09");
  ASSERT_TRUE(step.hunt);
  EXPECT_EQ(step.points.correct, 5);
  EXPECT_EQ(step.hunt->line_points, 3);
  EXPECT_EQ(step.hunt->cause_points, 2);
  EXPECT_EQ(step.points.total(), 10);
  EXPECT_EQ(step.hunt->most_changes, 2u);
  EXPECT_EQ(step.hunt->first_line, 21);
  EXPECT_EQ(step.hunt->causes, (std::vector<std::string>{"atomic", "race"}));
}

TEST_F(EditedHunts, DoNotKnowTheFaultsWithoutHiddenYaml) {
  fs::remove(folder_ / "hidden.yaml");
  for (const Step &step : read_assignment(folder_).steps) {
    ASSERT_TRUE(step.hunt);
    EXPECT_FALSE(step.hunt->known()) << step.id;
    EXPECT_EQ(step.hunt->first_line, 0) << step.id;
  }
}

TEST_F(EditedHunts, AreRefusedWithTheirPlaceWhereAKeyIsWrong) {
  replace("hidden.yaml", "cause: [stride]", "cause: [strides]");
  EXPECT_TRUE(error().starts_with(place("hidden.yaml") + "'strides' is not a cause; did you mean stride?"))
      << error();
  replace("hidden.yaml", "cause: [strides]", "cause: [Stride]");
  replace("hidden.yaml", "h12:", "h13:");
  EXPECT_EQ(error(), place("hidden.yaml") + "assignment.yaml has no step 'h13' of 'kind: hunt'");
  replace("hidden.yaml", "h13:", "h12:");
  replace("hidden.yaml", "lines: [13, 15]", "lines: [15, 13]");
  EXPECT_TRUE(error().starts_with(place("hidden.yaml"))) << error();
}

TEST_F(EditedHunts, NeedPointsForAFixALineAndACauseAndANumberOfChanges) {
  replace("assignment.yaml", "points: {fix: 5, line: 3, cause: 2}",
          "points: {correct: 5, line: 3, cause: 2}");
  EXPECT_NE(error().find("unknown key 'correct'"), std::string::npos) << error();
  replace("assignment.yaml", "points: {correct: 5, line: 3, cause: 2}", "points: {fix: 5, line: 5}");
  EXPECT_NE(error().find("'cause'"), std::string::npos) << error();
  replace("assignment.yaml", "points: {fix: 5, line: 5}", "points: {fix: 5, line: 3, cause: 2}");
  EXPECT_EQ(error(), "no error");
  replace("assignment.yaml", "    kind: hunt\n", "    kind: hunts\n");
  EXPECT_NE(error().find("'kind' is 'hunts', should be"), std::string::npos) << error();
}

TEST_F(Edited, OnlyAHuntHasANumberOfChanges) {
  replace("assignment.yaml", "    entry: step1\n", "    entry: step1\n    changes: 2\n");
  EXPECT_NE(error().find("'changes' needs 'kind: hunt'"), std::string::npos) << error();
}

TEST(HuntCauses, AreTwelveWordsWithDifferentMeanings) {
  EXPECT_EQ(hunt_causes().size(), 12u);
  for (const Cause &a : hunt_causes())
    for (const Cause &b : hunt_causes())
      if (&a != &b) {
        EXPECT_NE(a.name, b.name);
        EXPECT_NE(a.meaning, b.meaning);
      }
  EXPECT_EQ(cause_of("SHUFFLE_MASK"), "shuffle mask");
  EXPECT_EQ(cause_of("mask"), "");
  EXPECT_EQ(cause_of(""), "");
}

}  // namespace
}  // namespace warpgrade::course
