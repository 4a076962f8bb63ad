// ./gradebook hunt: an assignment of bug hunts from the solutions of a small course.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "course/assignment.hpp"
#include "tests/end_to_end/small_course.hpp"
#include "tests/places.hpp"

namespace warpgrade::tests {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

class GradebookHunt : public ::testing::Test {
 protected:
  void SetUp() override {
    fs::create_directories(course_ / "solutions");
    fs::copy(fs::path(place::root) / "solutions/hw6", course_ / "solutions/hw6");
  }
  CommandResult hunt(const std::string &words) const {
    return shell(std::string("'") + place::gradebook + "' hunt " + words, course_.root());
  }
  SmallCourse course_;
};

TEST_F(GradebookHunt, MakesAnAssignmentThatLintAccepts) {
  const CommandResult made = hunt("hunted --from solutions/hw6 --difficulty ragged --seed 5");
  ASSERT_EQ(made.status, 0) << made.output;
  const course::Assignment a = course::read_assignment(course_ / "assignments/hunted");
  ASSERT_EQ(a.steps.size(), 2u) << made.output;
  for (const course::Step &step : a.steps) {
    ASSERT_TRUE(step.hunt && step.hunt->known());
    EXPECT_THAT(made.output, HasSubstr(step.id + ": line " + std::to_string(step.hunt->first_line) + " of " +
                                       step.file + ": " + step.hunt->causes.front()));
  }
  EXPECT_THAT(made.output, HasSubstr("ragged"));
  const CommandResult lint =
      shell(std::string("'") + place::gradebook + "' lint --grade hunted", course_.root());
  EXPECT_EQ(lint.status, 0) << lint.output << text_of(course_ / "assignments/hunted/assignment.yaml")
                            << text_of(course_ / "assignments/hunted/hidden.yaml");
  const std::string first = text_of(course_ / "solutions/hunted/step0_naive.cu");
  for (const char *part : {"assignments/hunted", "solutions/hunted", "starter/hunted"})
    fs::remove_all(course_ / part);
  ASSERT_EQ(hunt("hunted --from solutions/hw6 --difficulty ragged --seed 5").status, 0);
  EXPECT_EQ(text_of(course_ / "solutions/hunted/step0_naive.cu"), first) << "the same seed";
}

TEST_F(GradebookHunt, SaysWhatIsWrongAndWritesNothing) {
  EXPECT_THAT(hunt("hw6 --from solutions/hw6").output, HasSubstr("is there already; nothing was written"));
  EXPECT_THAT(hunt("Hunts --from solutions/hw6").output,
              HasSubstr("'Hunts' is not the name of an assignment"));
  EXPECT_THAT(hunt("hunted --from starter/hw6").output,
              HasSubstr("'starter/hw6' is not a folder of solutions in a course, such as solutions/hw6"));
  EXPECT_EQ(hunt("hunted --from starter/hw6").status, 2);
  EXPECT_FALSE(fs::exists(course_ / "assignments/hunted"));
  EXPECT_FALSE(fs::exists(course_ / "starter/hunted"));
}

}  // namespace
}  // namespace warpgrade::tests
