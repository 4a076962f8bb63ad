#include "viva/exam.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "base/usage.hpp"

namespace warpgrade::viva {
namespace {

using ::testing::HasSubstr;

Asked question_with_answer(std::size_t answer) {
  quiz::Question q;
  q.kind = "wavefronts", q.topic = "bank conflicts", q.difficulty = 2;
  q.file = "step2.cu", q.line = 7, q.code = "s += t[x];";
  q.text = "How many?", q.why = "It is so.";
  q.choices = {"8", "16", "a, b", "32"};
  q.answer = answer;
  q.mistakes = {"halved", "halved", "halved", "halved"};
  q.mistakes[answer] = "";
  return {"step2", q};
}

/// Ada's right answers are A, B, C; Ben's D.
Exam two_students() {
  return {"hw6",
          "exam",
          7,
          {{"ada", "", {question_with_answer(0), question_with_answer(1), question_with_answer(2)}, ""},
           {"ben", "", {question_with_answer(3)}, ""},
           {"eve", "", {}, "no step is right"}}};
}

std::string mistake_in(const std::string &csv) {
  try {
    read_answers(csv, "a.csv", two_students());
  } catch (const UsageError &e) {
    return e.what();
  }
  return "no error";
}

TEST(ExamAnswers, ComeInARowForEachStudentOrForEachAnswer) {
  const std::map<std::string, Chosen> wanted = {{"ada", {0, std::nullopt, 2}}, {"ben", {3}}};
  EXPECT_EQ(read_answers("id,1,2,3\nada,A,,c\nben,D,,\n", "", two_students()), wanted);
  EXPECT_EQ(
      read_answers("student;Response 1;Response 2;Response 3\nada;8;-;a, b\nben;32\n", "", two_students()),
      wanted);
  EXPECT_EQ(
      read_answers("id,question,choice\nada,1,A\nben,1,D\nada,2,-\nada,q3,\"a, b\"\n", "", two_students()),
      wanted);
}

TEST(ExamAnswers, NameEveryRowThatIsWrong) {
  EXPECT_EQ(mistake_in("id,1,2,3\nada,E,B,C\nnobody,A\neve,A\nben,A,B\nben,A\n"),
            "a.csv:2: 'E' is none of the choices A to D, nor the text of one\n"
            "a.csv:3: there are no questions for a student 'nobody'\n"
            "a.csv:4: eve has no questions: no step is right\n"
            "a.csv:5: ben has 1 questions, not 2\n"
            "a.csv:6: ben has answers in another row\n"
            "no points were given");
  EXPECT_THAT(mistake_in("id,question,choice\nada,1,A\nada,1,B\n"),
              HasSubstr("a.csv:3: ada has an answer to question 1"));
  EXPECT_THAT(mistake_in("id,question,choice\nada,first,A\n"),
              HasSubstr("'first' is not the number of a question"));
  EXPECT_THAT(mistake_in("id,question,choice\nada,0,A\n"), HasSubstr("'0' is not the number of a question"));
}

TEST(ExamAnswers, ThatAreLeftOutAreAMistakeSinceEarlierOnesWouldBeLost) {
  EXPECT_EQ(mistake_in("id,question,choice\nada,2,B\nben,1,D\n"),
            "a.csv: ada has no answer to question 1; '-' says that it was left open\n"
            "a.csv: ada has no answer to question 3; '-' says that it was left open\n"
            "no points were given");
  EXPECT_THAT(mistake_in("id,1,2\nada,A,B\n"), HasSubstr("ada has no answer to question 3"));
}

TEST(ExamAnswers, AreNothingWithoutTheColumns) {
  for (const char *csv : {"", "name,1,2\nada,A,B\n", "id,question\nada,1\n", "id\nada\n"})
    EXPECT_THAT(mistake_in(csv),
                HasSubstr("a.csv:1: the columns are either id, question, choice or id, 1, 2"));
  EXPECT_THAT(mistake_in("id,1\n"), HasSubstr("has no answers in it"));
}

TEST(ExamRecord, SaysWhatWasRightAndKeepsTheQuestionsButTellsNobodyTheAnswers) {
  const Exam exam = two_students();
  course::Step step;
  step.id = "exam", step.title = "Questions";
  const batch::ExamRow row = exam_row(step, exam, *exam.find("ada"), {0, std::nullopt, 3}, "a.csv");
  EXPECT_EQ(row.record.verdict, judge::Verdict::wrong_answer);
  EXPECT_EQ(row.record.reason, "1 of 3 questions answered correctly");
  ASSERT_EQ(row.record.cases.size(), 3u);
  EXPECT_EQ(row.record.cases[0].verdict, judge::Verdict::accepted);
  EXPECT_EQ(row.record.cases[1].reason, "question 2 (bank conflicts): not answered");
  EXPECT_EQ(row.record.cases[2].reason, "question 3 (bank conflicts): wrong");
  const auto kept = nlohmann::json::parse(row.questions);
  EXPECT_EQ(kept["seed"], 7);
  EXPECT_EQ(kept["answers_from"], "a.csv");
  EXPECT_EQ(kept["students"][0]["questions"][2]["answer"], 2);
  EXPECT_EQ(kept["students"][0]["questions"][2]["chosen"], 3);
  EXPECT_TRUE(kept["students"][0]["questions"][1]["chosen"].is_null());
}

TEST(ExamFile, IsReadAsItWasWritten) {
  const Exam exam = two_students();
  const Exam again = exam_of(to_json("hw6", "exam", 7, exam.sheets));
  EXPECT_EQ(to_json(again.assignment, again.step, again.seed, again.sheets),
            to_json("hw6", "exam", 7, exam.sheets));
  for (const char *other : {"", "[]", "{\"schema\": \"warpgrade.viva/2\"}"})
    EXPECT_THROW(exam_of(other), std::runtime_error);
}

}  // namespace
}  // namespace warpgrade::viva
