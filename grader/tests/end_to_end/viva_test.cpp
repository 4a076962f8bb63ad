// ./gradebook viva as a person types it, in a small course.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/end_to_end/small_course.hpp"

namespace warpgrade::tests {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::Not;

CommandResult gradebook(const SmallCourse &course, const std::string &words) {
#ifdef WARPGRADE_CLANG
  const std::string quickest = " --toolchain clang";
#else
  const std::string quickest;
#endif
  return shell(std::string(WARPGRADE_GRADEBOOK) + " " + words + quickest, course.root());
}

class VivaCommand : public ::testing::Test {
 protected:
  VivaCommand() {
    course.hand_in("a", "one");
    course.write("class/b/step0_naive.cu", text_of(course / "starter/hw6/step0_naive.cu"));
    const CommandResult ran = gradebook(course, "run class --assignment hw6 --out out --device sim");
    EXPECT_EQ(ran.status, 0) << ran.output;
  }
  json asked(const std::string &words) {
    const CommandResult said = gradebook(course, "viva out " + words);
    EXPECT_LE(said.status, 1) << said.output;
    return json::parse(text_of(course / "out/viva/viva.json"));
  }
  SmallCourse course;
};

TEST_F(VivaCommand, AsksWhoeverHasAStepThatIsRightAndSaysWhyOthersGetNothing) {
  const json made = asked("--seed 4 --questions 4");
  ASSERT_EQ(made["students"].size(), 2u);
  EXPECT_EQ(made["students"][0]["questions"].size(), 4u);
  EXPECT_EQ(made["students"][1]["questions"].size(), 0u);
  EXPECT_EQ(made["students"][1]["why_none"], "no step is right");
  const std::string sheet = text_of(course / "out/viva/questions.html"),
                    answers = text_of(course / "out/viva/answers.html");
  for (const json &q : made["students"][0]["questions"]) {
    const std::string why = q["why"];
    EXPECT_THAT(answers, HasSubstr(why.substr(0, why.find_first_of("<>&'\""))));
    EXPECT_THAT(sheet, Not(HasSubstr("class=\"note\"")));
  }
  for (const char *file : {"questions.gift", "questions.moodle.xml", "questions.qti.zip"})
    EXPECT_THAT(text_of(course / "out/viva" / file), HasSubstr("step0_naive.cu")) << file;
  EXPECT_EQ(made, asked("--seed 4 --questions 4"));
}

TEST_F(VivaCommand, KnowsOnlyStudentsOfTheClass) {
  const CommandResult said = gradebook(course, "viva out nobody");
  EXPECT_EQ(said.status, 2);
  EXPECT_THAT(said.output, HasSubstr("the class has no student 'nobody'"));
}

}  // namespace
}  // namespace warpgrade::tests
