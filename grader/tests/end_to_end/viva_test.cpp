// ./gradebook viva as a person types it, in a small course.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/end_to_end/small_course.hpp"
#include "tests/places.hpp"

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
  return shell(std::string(place::gradebook) + " " + words + quickest, course.root());
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

class ExamCommand : public ::testing::Test {
 protected:
  ExamCommand() {
    course.replace("assignments/hw6/assignment.yaml", "points: 100", "points: 110");
    course.write(
        "assignments/hw6/assignment.yaml",
        text_of(course / "assignments/hw6/assignment.yaml") +
            "  - {id: exam, kind: viva, title: Questions, points: 10, questions: 4, about: [step0]}\n");
    course.hand_in("a", "one");
    course.hand_in("b", "two");
    const CommandResult ran = gradebook(course, "run class --assignment hw6 --out out --device sim");
    EXPECT_EQ(ran.status, 0) << ran.output;
  }
  std::string grades() const { return text_of(course / "out/grades.csv"); }
  SmallCourse course;
};

TEST_F(ExamCommand, GivesPointsForAnswersInAFileAndNoneIfARowIsWrong) {
  const std::string before = grades();
  EXPECT_THAT(
      before,
      HasSubstr("student,step0,step1,exam,score,max_score,status,late\r\na,40,50,,90,110,graded,\r\n"));
  const CommandResult asked = gradebook(course, "viva out --seed 4");
  ASSERT_EQ(asked.status, 0) << asked.output;
  const json made = json::parse(text_of(course / "out/viva/exam/viva.json"));
  EXPECT_EQ(made["step"], "exam");
  EXPECT_FALSE(std::filesystem::exists(course / "out/viva/exam/practice")) << "it would show the answers";
  const json &questions = made["students"][0]["questions"];
  ASSERT_EQ(questions.size(), 4u);
  std::string row = "a", letters = "ABCD";
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(questions[i]["step"], "step0");
    const std::size_t right = questions[i]["answer"];
    row += std::string(",") + letters[i == 3 ? (right + 1) % 4 : right];  // the last one is wrong
  }
  course.write("answers.csv", "id,1,2,3,4\n" + row + "\nnobody,A,A,A,A\nb,A,B,C,E\n");
  const CommandResult refused = gradebook(course, "viva out --answers answers.csv");
  EXPECT_EQ(refused.status, 2);
  EXPECT_THAT(refused.output, HasSubstr("answers.csv:3: there are no questions for a student 'nobody'"));
  EXPECT_THAT(refused.output, HasSubstr("answers.csv:4: 'E' is none of the choices"));
  EXPECT_EQ(grades(), before);
  course.write("answers.csv", "id,1,2,3,4\n" + row + "\n");
  const CommandResult taken = gradebook(course, "viva out --answers answers.csv");
  EXPECT_EQ(taken.status, 0) << taken.output;
  EXPECT_THAT(taken.output, HasSubstr("a: 3 of 4 questions answered correctly\nno answers of: b\n"));
  EXPECT_THAT(grades(), HasSubstr("a,40,50,7.5,97.5,110,graded,\r\nb,40,50,,90,110,graded,\r\n"));
  const json report = json::parse(text_of(course / "out/reports/a/score.json"));
  EXPECT_EQ(report["steps"][2]["points"], 7.5);
  EXPECT_EQ(report["steps"][2]["reason"], "3 of 4 questions answered correctly");
  const json waiting = json::parse(text_of(course / "out/reports/b/score.json"));
  EXPECT_EQ(waiting["steps"][2]["ungraded_points"], 10);
  EXPECT_EQ(waiting["steps"][2]["ungraded_reason"], "waits for the exam");
  // Points that somebody gives in person.
  const CommandResult by_hand = shell(
      std::string(place::gradebook) + " override out b exam 9 --reason 'asked in person'", course.root());
  EXPECT_EQ(by_hand.status, 0) << by_hand.output;
  EXPECT_THAT(grades(), HasSubstr("b,40,50,9,99,110,overridden,\r\n"));
}

TEST_F(ExamCommand, KeepsTheQuestionsThatWereMade) {
  ASSERT_EQ(gradebook(course, "viva out").status, 0);
  const std::string made = text_of(course / "out/viva/exam/viva.json");
  ASSERT_EQ(gradebook(course, "viva out b").status, 0);
  EXPECT_EQ(text_of(course / "out/viva/exam/viva.json"), made);
}

}  // namespace
}  // namespace warpgrade::tests
