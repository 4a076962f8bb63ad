// The course at a glance: who has not started, who is stuck, which mistakes grow; on pages and as CSV.
#include "service/glance/glance.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "grading/record_json.hpp"
#include "service/workspace/drafts.hpp"
#include "service/workspace/trials.hpp"
#include "tests/service/a_browser.hpp"

namespace warpgrade::tests {
namespace {

using service::Glance;
using service::Outcome;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::Pair;

constexpr std::int64_t day = 86400, now_of_glance = 100 * day;

Outcome race(const std::string &student, std::int64_t at, const std::string &gist = "no barrier") {
  Outcome o;
  o.of = Outcome::Of::submission;
  o.source = at;
  o.student = student, o.assignment = "hw6", o.step = "step2";
  o.at = at;
  o.verdict = o.rule = "race", o.gist = gist, o.said = gist;
  return o;
}

Outcome accepted(const std::string &student, std::int64_t at, double points = 10) {
  Outcome o = race(student, at);
  o.verdict = "accepted", o.accepted = true, o.rule = o.gist = o.said = "", o.points = points;
  return o;
}

Glance at_a_glance(const std::vector<Outcome> &outcomes,
                   const std::vector<std::string> &students = {"1", "2", "3"},
                   const std::set<std::string> &writing = {}) {
  return service::glance_at(outcomes, students, writing, {"step1", "step2"}, now_of_glance, 7 * day);
}

TEST(AGlance, WhoSavedRanOrSubmittedHasStartedAndTheStaffAreNotCounted) {
  const Glance g = at_a_glance({race("2", 5), race("a TA", 6)}, {"1", "2", "3"}, {"3"});
  EXPECT_THAT(g.not_started, ElementsAre("1"));
  EXPECT_THAT(g.submitted, ElementsAre("2"));
  EXPECT_EQ(g.students.size(), 3u);
}

TEST(AGlance, TheSameCauseThreeTimesInARowIsStuckAndTwiceOrAnotherInBetweenIsNot) {
  EXPECT_TRUE(at_a_glance({race("1", 1), race("1", 2)}).stuck.empty());
  const Glance g = at_a_glance(
      {race("1", 1), race("2", 1), race("1", 2), race("2", 2, "another"), race("1", 3), race("2", 3)});
  ASSERT_EQ(g.stuck.size(), 1u);
  EXPECT_EQ(g.stuck[0].student, "1");
  EXPECT_EQ(g.stuck[0].times, 3);
  EXPECT_EQ(g.stuck[0].since, 1);
  EXPECT_EQ(g.stuck[0].latest.at, 3);
}

TEST(AGlance, AFileThatIsHandedInAgainAsItWasIsOneAttempt) {
  std::vector<Outcome> outcomes = {race("1", 1), race("1", 2), race("1", 3)};
  for (Outcome &o : outcomes) o.file = "the same bytes";
  EXPECT_TRUE(at_a_glance(outcomes).stuck.empty());
  outcomes[1].file = "other bytes", outcomes[2].file = "again others";
  EXPECT_EQ(at_a_glance(outcomes).stuck.size(), 1u);
}

TEST(AGlance, WhoGotAcceptedAfterwardsIsNotStuckAnyMore) {
  EXPECT_TRUE(at_a_glance({race("1", 1), race("1", 2), race("1", 3), accepted("1", 4)}).stuck.empty());
}

TEST(AGlance, AFailureOfTheGraderIsNobodysMistakeAndEndsNoRow) {
  Outcome ours = race("1", 3);
  ours.verdict = "grader_error", ours.rule = ours.gist = ours.said = "";
  const Glance g = at_a_glance({race("1", 1), race("1", 2), ours});
  EXPECT_TRUE(g.stuck.empty());
  ASSERT_EQ(g.causes.size(), 1u);
  EXPECT_EQ(g.causes[0].rule, "race");
  EXPECT_EQ(at_a_glance({race("1", 1), race("1", 2), ours, race("1", 4)}).stuck.size(), 1u);
}

TEST(AGlance, ProgressCountsEachStudentOnceWhenTheFirstResultWasAccepted) {
  const Glance g = at_a_glance({accepted("1", 10), accepted("1", 20), race("3", 25), accepted("2", 30)});
  ASSERT_EQ(g.steps.size(), 2u);
  EXPECT_EQ(g.steps[0].started, 0);
  EXPECT_EQ(g.steps[1].started, 3);
  EXPECT_EQ(g.steps[1].accepted, 2);
  EXPECT_THAT(g.steps[1].over_time, ElementsAre(Pair(10, 1), Pair(30, 2)));
}

TEST(AGlance, MistakesThatMoreStudentsHaveThanAWeekAgoComeFirst) {
  const Glance g =
      at_a_glance({race("1", now_of_glance - 10 * day, "old"), race("2", now_of_glance - 9 * day, "old"),
                   race("1", now_of_glance - day, "new"), race("1", now_of_glance - 1, "new")});
  ASSERT_EQ(g.causes.size(), 2u);
  EXPECT_EQ(g.causes[0].said, "new");
  EXPECT_EQ(g.causes[0].lately, 1) << "students, not results";
  EXPECT_EQ(g.causes[1].lately, 0);
  EXPECT_EQ(g.causes[1].before, 2);
  EXPECT_EQ(g.causes[1].students, 2);
}

class GlancePage : public Browser {
 protected:
  static std::string record(judge::Verdict verdict) {
    grading::StepRecord r;
    r.id = "step0", r.file = "step0_naive.cu", r.verdict = verdict;
    if (verdict != judge::Verdict::accepted) {
      r.reason = "something is wrong <b>here</b>";
      r.findings.push_back({std::string(judge::name_of(verdict)), "error", "step0_naive.cu", 3,
                            "two threads <b>write</b>", 1});
    }
    return grading::to_json(r);
  }
  void submits(const std::string &student, const std::string &text, judge::Verdict verdict,
               double points = 0) {
    now += 60;
    jobs.announce({"hw6", true, "", "", "conditions", 4, now});
    const auto receipt = jobs.submit(student, "hw6", {{"step0", text}}, {}, now);
    ASSERT_FALSE(receipt.refusal);
    const auto work = jobs.claim("hw6", 4, now);
    ASSERT_TRUE(work);
    jobs.finish(work->part, record(verdict), points, 1.0, "conditions");
  }
};

TEST_F(GlancePage, IsWhereTheStaffStartAndStudentsNeverSeeIt) {
  EXPECT_THAT(get("/", staff).body, HasSubstr("The course at a glance"));
  EXPECT_THAT(get("/", token).body, Not(HasSubstr("at a glance")));
  for (const char *path : {"/course", "/course.csv", "/course/hw6", "/course/hw6/students.csv"}) {
    EXPECT_EQ(get(path, token).status, 403) << path;
    EXPECT_EQ(get(path, staff).status, 200) << path;
  }
  EXPECT_EQ(get("/course/hw9", staff).status, 404);
  EXPECT_EQ(get("/course/hw6/other.csv", staff).status, 404);
  EXPECT_EQ(send("/course/hw6", staff, {}).status, 405);
}

TEST_F(GlancePage, NamesWhoIsStuckWithTheFindingAndWhoHasNotStarted) {
  people.add({"20261234", "A <i>Name</i>", service::Role::student}, "the test", now);
  for (const char *text : {"one", "two", "three"}) submits("20261234", text, judge::Verdict::race);
  const std::string start = get("/", staff).body, page = get("/course/hw6", staff).body;
  EXPECT_THAT(start, HasSubstr("two threads &lt;b&gt;write&lt;/b&gt;"));
  EXPECT_THAT(page, HasSubstr("20261234, A &lt;i&gt;Name&lt;/i&gt;"));
  EXPECT_THAT(page, HasSubstr("1 of 2 students have not started"));
  EXPECT_THAT(page + start, Not(HasSubstr("<b>write</b>")));
  submits("20261234", "four", judge::Verdict::accepted, 10);
  EXPECT_THAT(get("/", staff).body, HasSubstr("Nobody is stuck"));
  EXPECT_THAT(get("/course/hw6", staff).body, HasSubstr("<svg")) << "progress is drawn";
}

TEST_F(GlancePage, AResultThatIsGradedAgainCountsAsItIsNow) {
  submits("20261234", "one", judge::Verdict::race);
  EXPECT_THAT(get("/course/hw6/mistakes.csv", staff).body, HasSubstr("race"));
  const auto part = jobs.parts_of("20261234", "hw6").front().first;
  jobs.queue_again("hw6", "step0", part.file);
  jobs.claim("hw6", 4, now);
  jobs.finish(part.id, record(judge::Verdict::accepted), 10, 2.0, "conditions");
  EXPECT_THAT(get("/course/hw6/mistakes.csv", staff).body, Not(HasSubstr("race")));
  EXPECT_THAT(get("/course/hw6/students.csv", staff).body, HasSubstr("20261234,,yes,step0,0,1,yes,10,10,"));
}

TEST_F(GlancePage, APageOfAStudentHasTheVerdictsOfTheirRunsAndSubmissionsForTheStaffAlone) {
  service::Trials trials(store);
  trials.announce("hw6", {true, "", "", "conditions", now});
  trials.ask({{"20261234", "hw6", "step0", service::TrialKind::grade}, 1, "draft"}, 0, now);
  auto trial = trials.claim("hw6", now);
  trial->record = record(judge::Verdict::race);
  trials.finish(*trial, "conditions");
  submits("20261234", "one", judge::Verdict::accepted, 10);
  const std::string page = get("/students/20261234", staff).body;
  EXPECT_THAT(page, HasSubstr("a run in the workspace"));
  EXPECT_THAT(page, HasSubstr("10/10"));
  EXPECT_THAT(get("/", token).body, Not(HasSubstr("step by step")));
}

TEST_F(GlancePage, OpensWhileNothingCanBeWrittenAndSaysWhatDoesNotCountYet) {
  submits("20261234", "one", judge::Verdict::race);
  service::ServiceStore another(folder.path(), service::ServiceStore::Access::open);
  another.change([&] {
    const ApiResponse r = get("/", staff);
    EXPECT_EQ(r.status, 200);
    EXPECT_THAT(r.body, HasSubstr("could not be read just now"));
  });
  EXPECT_THAT(get("/", staff).body, Not(HasSubstr("could not be read just now")));
}

TEST_F(GlancePage, SaysWhichProcessIsNotAtWork) {
  EXPECT_THAT(get("/", staff).body,
              HasSubstr("hw6: the process that runs what is tried in the workspace has not started yet."));
  jobs.announce({"hw6", true, "", "", "conditions", 4, now});
  service::Trials(store).announce("hw6", {true, "", "", "conditions", now});
  EXPECT_THAT(get("/", staff).body, HasSubstr("All processes are at work."));
  now += 3600;
  EXPECT_THAT(get("/", staff).body,
              HasSubstr("hw6: the process that grades submissions has said nothing for 3600 s."));
  jobs.announce({"hw6", false, "the GPU is gone", "", "conditions", 4, now});
  EXPECT_THAT(get("/course.csv", staff).body, HasSubstr("cannot: the GPU is gone"));
}

TEST_F(GlancePage, TheHistoryOfEverybodyIsAFile) {
  submits("20261234", "one", judge::Verdict::race);
  EXPECT_THAT(get("/course/hw6/history.csv", staff).body, HasSubstr(",step0,submission,1,race,race,"));
}

TEST_F(GlancePage, WhoOnlySavesADraftHasStarted) {
  service::Drafts(store).save({"20265678", "hw6", "step0_naive.cu"}, "text", {}, now);
  EXPECT_THAT(get("/course/hw6", staff).body, HasSubstr("1 of 2 students have not started"));
}

TEST_F(GlancePage, ANameThatASpreadsheetWouldRunIsText) {
  people.add({"20261234", "=1+1", service::Role::student}, "the test", now);
  EXPECT_THAT(get("/course/hw6/students.csv", staff).body, HasSubstr("'=1+1"));
}

}  // namespace
}  // namespace warpgrade::tests
