// Exams on pages of a service, as a browser requests them, without a network.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "service/exams.hpp"
#include "tests/service/a_browser.hpp"

namespace warpgrade::service {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class ExamPages : public tests::Browser {
 protected:
  static constexpr std::int64_t seconds = 20 * 60;
  ExamPages() {
    course::Step exam;
    exam.id = "exam", exam.title = "Questions";
    exam.problem = problem::find_problem("sgemm");
    exam.points.correct = 10;
    exam.viva.emplace();
    shared.courses.at("hw6").assignment.exams.push_back(exam);
  }
  static viva::Asked asked(std::size_t answer, const std::string &text) {
    quiz::Question q;
    q.kind = "wavefronts", q.topic = "bank conflicts", q.difficulty = 2;
    q.file = "step2.cu", q.line = 7, q.code = "if (a < b) s += t[x];";
    q.text = text, q.why = "because of the secret reason";
    q.choices = {"8 <b>", "16", "24", "32"};
    q.mistakes = {"a secret slip", "a secret slip", "a secret slip", "a secret slip"};
    q.mistakes[answer] = "";
    q.answer = answer;
    return {"step2", q};
  }
  /// Two questions for the first student, whose answers are B and D; none for the other.
  void prepare() {
    std::filesystem::create_directories(folder / "hw6/viva/exam");
    std::ofstream(folder / "hw6/viva/exam/viva.json") << viva::to_json(
        "hw6", "exam", 7,
        {{"20261234", "", {asked(1, "How many <i> at first?"), asked(3, "How many then?")}, ""},
         {"20265678", "", {}, "no step is right"}});
  }
  ApiResponse page_of(const std::string &session) { return get("/exams/hw6/exam", session); }
  ApiResponse post(const std::string &session, Fields fields) {
    const auto s = exams.sitting("20261234", "hw6", "exam");
    if (session == token && s && !fields.contains("sitting")) fields["sitting"] = std::to_string(s->id);
    return send("/exams/hw6/exam", session, std::move(fields));
  }
  Exams exams{store};
  viva::Chosen chosen() { return exams.sitting("20261234", "hw6", "exam")->chosen; }
};

TEST_F(ExamPages, AnExamWaitsForItsQuestionsAndThenForTheStudent) {
  EXPECT_THAT(page_of(token).body, HasSubstr("has not prepared this exam yet"));
  EXPECT_EQ(post(token, {{"begin", "1"}}).status, 409);
  prepare();
  EXPECT_THAT(page_of(token).body, HasSubstr("2 questions about your own kernels, 20 minutes, 10 points."));
  EXPECT_THAT(page_of(token).body, Not(HasSubstr("How many")));
  EXPECT_THAT(page_of(other).body, HasSubstr("There are no questions for you: no step is right."));
  EXPECT_EQ(post(other, {{"begin", "1"}}).status, 409);
  EXPECT_EQ(post(token, {{"q1", "A"}}).status, 409) << "it has not begun";
  EXPECT_EQ(get("/exams/hw6/step1", token).status, 404);
  EXPECT_EQ(get("/exams/hw9/exam", token).status, 404);
  EXPECT_THAT(get("/", token).body, HasSubstr("/exams/hw6/exam"));
}

TEST_F(ExamPages, ShowQuestionsWithoutAnswersAndKeepWhatWasSavedThroughARestart) {
  prepare();
  ASSERT_EQ(post(token, {{"begin", "1"}}).status, 303);
  ASSERT_EQ(post(token, {{"q2", "C"}}).status, 303);
  api = std::make_unique<Api>(shared);  // as after a restart
  now += 60;
  const std::string page = page_of(token).body;
  EXPECT_THAT(page, HasSubstr("1. How many &lt;i&gt; at first?"));
  EXPECT_THAT(page, HasSubstr("step2.cu:7: if (a &lt; b) s += t[x];"));
  EXPECT_THAT(page, HasSubstr("name=\"q2\" value=\"C\" checked"));
  EXPECT_THAT(page, Not(HasSubstr("name=\"q1\" value=\"B\" checked")));
  EXPECT_THAT(page, HasSubstr("1 of 2 questions have a saved answer"));
  EXPECT_EQ(exams.sitting("20261234", "hw6", "exam")->ends, now - 60 + seconds)
      << "the clock did not start again";
  EXPECT_THAT(page, HasSubstr("script-src &apos;none&apos;"));
}

TEST_F(ExamPages, NeverSendAnAnswerToTheBrowser) {
  prepare();
  std::string seen = page_of(token).body;
  ASSERT_EQ(post(token, {{"begin", "1"}}).status, 303);
  seen += page_of(token).body;
  seen += post(token, {{"q1", "B"}, {"q2", "A"}, {"what", "other"}}).body;
  seen += page_of(token).body + get("/", token).body;
  EXPECT_THAT(seen, Not(HasSubstr("secret")));
  // The right and the wrong choices are told apart by nothing but their letters and texts.
  const auto input = [&](const char *letter) {
    return "name=\"q2\" value=\"" + std::string(letter) + "\"> " + letter + ": ";
  };
  for (const char *letter : {"A", "B", "C", "D"}) EXPECT_THAT(seen, HasSubstr(input(letter)));
}

TEST_F(ExamPages, AnswersThatAreLateAreRefusedWithTheTimeAndTheSavedOnesCount) {
  prepare();
  ASSERT_EQ(post(token, {{"begin", "1"}}).status, 303);
  now += seconds;
  ASSERT_EQ(post(token, {{"q1", "B"}}).status, 303) << "to the second";
  EXPECT_TRUE(exams.to_count("hw6", now).empty());
  ++now;
  const ApiResponse late = post(token, {{"q1", "B"}, {"q2", "D"}});
  EXPECT_EQ(late.status, 409);
  EXPECT_THAT(late.body, HasSubstr("Your exam ended at 2027-01-15 08:20:00 UTC"));  // 1,800,000,000 + 1200
  EXPECT_EQ(chosen(), (viva::Chosen{1, std::nullopt}));
  EXPECT_THAT(page_of(token).body, Not(HasSubstr("name=\"q1\"")));
  EXPECT_TRUE(exams.to_count("hw6", now).empty())
      << "an answer that arrived in time may still be waiting to be written";
  now += 30;
  const std::vector<Sitting> over = exams.to_count("hw6", now);
  ASSERT_EQ(over.size(), 1u);
  EXPECT_EQ(over.front().chosen, (viva::Chosen{1, std::nullopt}));
  exams.counted(over.front().id);
  EXPECT_TRUE(exams.to_count("hw6", now).empty());
}

TEST_F(ExamPages, BeginOnceAndEndOnce) {
  prepare();
  ASSERT_EQ(post(token, {{"begin", "1"}}).status, 303);
  now += 300;
  EXPECT_EQ(post(token, {{"begin", "1"}}).status, 409);
  EXPECT_EQ(exams.sitting("20261234", "hw6", "exam")->started, now - 300);
  EXPECT_EQ(post(token, {{"q1", "E"}}).status, 400);
  ASSERT_EQ(post(token, {{"q1", "A"}, {"what", "other"}}).status, 303);
  EXPECT_EQ(post(token, {{"q1", "B"}}).status, 409);
  EXPECT_EQ(post(token, {{"begin", "1"}}).status, 409);
  EXPECT_EQ(chosen(), (viva::Chosen{0, std::nullopt}));
  EXPECT_EQ(exams.to_count("hw6", now).size(), 1u);
}

TEST_F(ExamPages, AQuestionStaysAsItWasWhenTheExamBegan) {
  prepare();
  ASSERT_EQ(post(token, {{"begin", "1"}}).status, 303);
  std::ofstream(folder / "hw6/viva/exam/viva.json")
      << viva::to_json("hw6", "exam", 8, {{"20261234", "", {asked(0, "Another?")}, ""}});
  EXPECT_THAT(page_of(token).body, HasSubstr("How many then?"));
  EXPECT_EQ(exams.sitting("20261234", "hw6", "exam")->sheet().questions.size(), 2u);
}

TEST_F(ExamPages, TheStaffSeeWhoBeganAndReopenWithAReasonThatIsInTheAuditLog) {
  prepare();
  ASSERT_EQ(post(token, {{"begin", "1"}}).status, 303);
  EXPECT_THAT(page_of(staff).body, HasSubstr("Questions are prepared for 1 of 2 students"));
  EXPECT_THAT(page_of(staff).body, HasSubstr("under way"));
  EXPECT_EQ(post(token, {{"student", "20261234"}, {"reason", "I want to"}}).status, 403);
  EXPECT_EQ(post(staff, {{"student", "20261234"}, {"reason", " "}}).status, 400);
  EXPECT_EQ(post(staff, {{"student", "20265678"}, {"reason", "ill"}}).status, 409);
  EXPECT_EQ(post(staff, {{"student", "20261234"}, {"reason", "the fire alarm"}}).status, 303);
  const AuditEntry entry = orders().audit(1).front();
  EXPECT_EQ(entry.what, "exam reopened");
  EXPECT_EQ(entry.actor, "assistant");
  EXPECT_EQ(entry.subject, "20261234");
  EXPECT_EQ(entry.detail, "hw6 exam (the fire alarm)");
  now += 2 * seconds;
  EXPECT_TRUE(exams.to_count("hw6", now).empty()) << "the one that was reopened does not count";
  EXPECT_EQ(post(token, {{"begin", "1"}}).status, 303);
  EXPECT_EQ(exams.sitting("20261234", "hw6", "exam")->ends, now + seconds);
}

TEST_F(ExamPages, APageOfAnEarlierBeginningChangesNothing) {
  prepare();
  ASSERT_EQ(post(token, {{"begin", "1"}}).status, 303);
  const std::string before = std::to_string(exams.sitting("20261234", "hw6", "exam")->id);
  EXPECT_THAT(page_of(token).body, HasSubstr("name=\"sitting\" value=\"" + before + "\""));
  ASSERT_EQ(post(staff, {{"student", "20261234"}, {"reason", "ill"}}).status, 303);
  ASSERT_EQ(post(token, {{"begin", "1"}}).status, 303);
  EXPECT_EQ(post(token, {{"sitting", before}, {"q1", "A"}, {"what", "other"}}).status, 409);
  EXPECT_EQ(chosen(), viva::Chosen(2));
  EXPECT_FALSE(exams.sitting("20261234", "hw6", "exam")->ended);
}

TEST_F(ExamPages, AFormOfAnotherSiteNeitherBeginsNorAnswersAnExam) {
  prepare();
  ApiRequest r = request("POST", "/exams/hw6/exam", token);
  r.form = {{"begin", "1"}, {"csrf", csrf_of(other)}};
  EXPECT_EQ(api->answer(r).status, 403);
  EXPECT_FALSE(exams.sitting("20261234", "hw6", "exam"));
}

}  // namespace
}  // namespace warpgrade::service
