// Grading a class of a service again: the pages, and what becomes of their orders.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/files.hpp"
#include "batch/content.hpp"
#include "gradebook/preview.hpp"
#include "grading/record_json.hpp"
#include "service/class_book.hpp"
#include "tests/service/a_browser.hpp"

namespace warpgrade::service {
namespace {

using judge::Verdict;
using ::testing::HasSubstr;
using ::testing::Not;

/// Two students handed in the same file for step0, which was accepted. The grader has another tolerance since.
class Regrading : public tests::Browser {
 protected:
  Regrading() {
    people.add({"20261111", "A <b>Name</b>", Role::student}, "the test", now);
    third = people.make_token("20261111", "the test", now);
    grader.course = {
        WARPGRADE_ROOT, shared.courses.at("hw6").folder, shared.courses.at("hw6").assignment, {}};
    grader.seed = 42;
    grader.device = {false, "Warpgrade simulator", "compute_80", ""};
    grader.front_end = "nvcc";
    grader.thresholds = course::read_thresholds(grader.course.folder, grader.course.assignment, "none");
    for (const std::string &session : {token, third})
      EXPECT_EQ(send("/upload", session, {{"assignment", "hw6"}}, {{"step0_naive.cu", "text"}}).status, 303);
    class_store.begin({"hw6", 42});
    grade_as_now();
    book.emplace(class_store, jobs, grader, policy, "conditions");
    book->take_in_new();
    class_store.keep(task, tests::record("step0"), 1);
    while (!next().empty())
      jobs.finish(claimed.part, grading::to_json(tests::record("step0")), 10, 1, "conditions");
    for (const char *student : {"20261234", "20261111"}) book->recount(student);
    // Everything else of the course is as it was.
    grader.course.assignment.tolerance *= 2;
    class_store.change_only({}, batch::steps_of(grader.course.assignment), [&] { grade_as_now(); });
    book.emplace(class_store, jobs, grader, policy, "other conditions");
    announce("other conditions");
  }
  void grade_as_now() {
    for (const course::Step &step : grader.course.assignment.steps)
      if (!step.beyond) class_store.grade_with(gradebook::conditions_of(grader)(step, ""));
  }
  void previewed(Verdict verdict = Verdict::wrong_answer) {
    book->begin_preview({"20261111", "20261234"}, "assistant", false);
    for (const batch::Task &left : class_store.to_preview())
      class_store.keep_previewed(left, tests::record("step0", verdict), 1);
  }
  ApiResponse page_for(const std::string &session) { return get("/regrading/hw6", session); }
  ApiResponse order(const std::string &session, Fields fields) {
    if (const auto preview = class_store.preview()) fields.emplace("begun", preview->begun);
    return send("/regrading/hw6", session, std::move(fields));
  }
  std::string verdict_of(const std::string &student) {
    for (const auto &[part, received] : jobs.parts_of(student, "hw6"))
      return std::string(judge::name_of(
          grading::step_record_of(jobs.submission(part.submission)->parts.at(0).record).verdict));
    return "";
  }
  double points_of(const std::string &student) { return class_store.score(student)->points; }

  const batch::Task task{"step0", batch::hash_of("text")};
  gradebook::ClassGrader grader;
  Policy policy;
  batch::Store class_store{folder.path() / "hw6", batch::Store::Access::create};
  std::optional<ClassBook> book;
  std::string third;
};

TEST_F(Regrading, OtherConditionsChangeNothingAndThePageSaysWhoHasEarlierOnes) {
  EXPECT_TRUE(class_store.without_result(batch::steps_of(grader.course.assignment)).empty());
  EXPECT_THAT(page_for(staff).body,
              HasSubstr("2 students were graded under other conditions than what is submitted now (tolerance "
                        "changed)"));
  EXPECT_EQ(verdict_of("20261234"), "accepted");
}

TEST_F(Regrading, StudentsReachNothingOfItAndOnlyInstructorsApply) {
  previewed();
  for (const char *path : {"/regrading", "/regrading/hw6", "/regrading/hw6/list.csv"}) {
    EXPECT_EQ(get(path, token).status, 403) << path;
    EXPECT_EQ(get(path, staff).status, 200) << path;
  }
  for (const char *what : {"preview", "apply", "discard", "undo"}) {
    EXPECT_EQ(order(token, {{"what", what}, {"all", "yes"}}).status, 403) << what;
    EXPECT_EQ(order(teacher, {{"what", what}, {"all", "yes"}, {"csrf", "forged"}}).status, 403) << what;
  }
  for (const char *what : {"apply", "undo"})
    EXPECT_EQ(order(staff, {{"what", what}, {"all", "yes"}}).status, 403) << what;
  EXPECT_TRUE(orders().open("hw6").empty());
  EXPECT_THAT(page_for(staff).body, Not(HasSubstr("Apply to all")));
  EXPECT_THAT(page_for(teacher).body, HasSubstr("Apply to all 2 students"));
  EXPECT_EQ(order(staff, {{"what", "preview"}}).status, 303);
  EXPECT_EQ(order(staff, {{"what", "preview"}, {"student", "20261234"}}).status, 303);
  const std::vector<Order> open = orders().open("hw6");
  ASSERT_EQ(open.size(), 2u);
  EXPECT_EQ(open[0].step, "*");
  EXPECT_EQ(open[1].student, "20261234");
  EXPECT_EQ(open[1].step, "");
  EXPECT_EQ(open[1].reason, "assistant");
}

TEST_F(Regrading, ThePageHasVerdictsSideBySideWithNamesAndTheReason) {
  previewed();
  const std::string page = page_for(teacher).body;
  EXPECT_THAT(page, HasSubstr("2 of 2 students would change: 0 up, 2 down."));
  EXPECT_THAT(page, HasSubstr("A &lt;b&gt;Name&lt;/b&gt;"));
  EXPECT_THAT(page, Not(HasSubstr("<b>Name")));
  EXPECT_THAT(page, HasSubstr(">accepted<"));
  EXPECT_THAT(page, HasSubstr(">wrong_answer<"));
  EXPECT_THAT(page, HasSubstr(">tolerance<"));
  EXPECT_THAT(page, HasSubstr("type=\"checkbox\" name=\"student:20261234\""));
  const ApiResponse list = get("/regrading/hw6/list.csv", staff);
  EXPECT_THAT(header(list, "Content-Disposition"), HasSubstr("attachment"));
  EXPECT_THAT(list.body, HasSubstr("20261111,A <b>Name</b>,step0,accepted,wrong_answer,"));
}

TEST_F(Regrading, APreviewThatIsNotReadyShowsHowFarItIs) {
  book->begin_preview({"20261234"}, "assistant", false);
  const ApiResponse page = page_for(teacher);
  EXPECT_THAT(page.body, HasSubstr("1 of them is still to be run. Submissions go first."));
  EXPECT_EQ(header(page, "Refresh"), "3");
  EXPECT_THAT(page.body, Not(HasSubstr("Apply to")));
}

TEST_F(Regrading, ARunningPreviewCanBeDiscarded) {
  book->begin_preview({"20261234"}, "assistant", false);
  EXPECT_THAT(page_for(staff).body, HasSubstr("Discard the preview"));
  EXPECT_EQ(order(staff, {{"what", "discard"}}).status, 303);
  const Order discard = orders().open("hw6").at(0);
  orders().done(discard.id, book->decide(discard));
  EXPECT_EQ(orders().latest_regrading("hw6")->what, "regrade discarded");
  class_store.keep_previewed(task, tests::record("step0"), 1);  // what was under way
  EXPECT_FALSE(class_store.preview());
  previewed(Verdict::race);
  EXPECT_THAT(page_for(staff).body, HasSubstr(">race<"));
}

TEST_F(Regrading, AMistakeInTheFilesIsNamedAndThePreviewCanBeDiscarded) {
  previewed();
  book->apply_preview({"20261234"}, "teacher");
  ServedCourse &served = shared.courses.at("hw6");
  const std::filesystem::path folder_before = served.folder, broken = folder.path() / "broken" / "hw6";
  std::filesystem::create_directories(broken.parent_path());
  std::filesystem::copy(folder_before, broken, std::filesystem::copy_options::recursive);
  write_whole(broken / "assignment.yaml", "name: [hw6\n");
  served.folder = broken;
  const ApiResponse page = page_for(teacher);
  EXPECT_EQ(page.status, 200);
  EXPECT_THAT(page.body, HasSubstr("assignment.yaml:"));
  EXPECT_THAT(page.body, HasSubstr("Discard the preview"));
  EXPECT_THAT(page.body, HasSubstr("What teacher changed at "));
  EXPECT_THAT(page.body, Not(HasSubstr("Apply to")));
  const ApiResponse list = get("/regrading/hw6/list.csv", staff);
  EXPECT_EQ(list.status, 409);
  EXPECT_THAT(list.body, HasSubstr("assignment.yaml:"));
}

TEST_F(Regrading, WhereTheBestSubmissionCountsThePageSaysWhatThePreviewIsAbout) {
  previewed();
  EXPECT_THAT(page_for(staff).body, Not(HasSubstr("The best submission of each step counts")));
  Policy best;
  best.best_counts = true;
  shared.courses.at("hw6").policy.set(best);
  EXPECT_THAT(page_for(staff).body, HasSubstr("The best submission of each step counts"));
}

TEST_F(Regrading, WhereTheBestSubmissionCountsTheListNamesTheOneThatWouldCountInstead) {
  Policy best;
  best.best_counts = true;
  shared.courses.at("hw6").policy.set(best);
  now += 60;
  EXPECT_EQ(send("/upload", token, {{"assignment", "hw6"}}, {{"step0_naive.cu", "new"}}).status, 303);
  ASSERT_EQ(next(), "20261234");
  const std::int64_t better = claimed.submission;
  jobs.finish(claimed.part, grading::to_json(tests::record("step0")), 0.25, 1, "other conditions");
  previewed();  // what counts has 0 points from then on
  const std::string said = fmt::format("tolerance; submission {} with 0.25 would count instead", better);
  EXPECT_THAT(page_for(staff).body, HasSubstr(said));
  const std::string list = get("/regrading/hw6/list.csv", staff).body;
  EXPECT_THAT(list, HasSubstr(said));
  EXPECT_EQ(list.find("would count instead"), list.rfind("would count instead"))
      << "20261111 has no other submission";
  best.best_counts = false;
  shared.courses.at("hw6").policy.set(best);
  EXPECT_THAT(page_for(staff).body, Not(HasSubstr("would count instead")));
}

TEST_F(Regrading, OtherPointsInTheFilesCountFromAStartOnAndAreCounted) {
  EXPECT_EQ(book->compute_points([] { return false; }), 0u);
  const double before = points_of("20261234");
  for (course::Step &step : grader.course.assignment.steps)
    if (step.id == "step0") step.points.correct += 7;
  book.emplace(class_store, jobs, grader, policy, "other conditions");
  EXPECT_EQ(book->compute_points([] { return false; }), 2u);
  EXPECT_EQ(points_of("20261234"), before + 7);
  EXPECT_EQ(book->compute_points([] { return false; }), 0u);
  EXPECT_THAT(page_for(staff).body, HasSubstr("Points, thresholds and late days count for everybody"));
}

TEST_F(Regrading, AppliedToOneOfTwoWithTheSameFileItChangesThatOneAndIsUndone) {
  previewed();
  ASSERT_EQ(order(teacher, {{"what", "apply"}, {"student:20261234", "yes"}}).status, 303);
  const std::vector<Order> open = orders().open("hw6");
  ASSERT_EQ(open.size(), 1u);
  EXPECT_EQ(open[0].reason, "20261234");
  EXPECT_THAT(get("/staff", teacher).body, HasSubstr("hw6 to 20261234"));
  const double before = points_of("20261111");
  EXPECT_GT(before, 0);
  EXPECT_THAT(book->apply_preview({"20261234"}, "teacher"), HasSubstr("1 student, 1 changed: tolerance"));
  EXPECT_EQ(verdict_of("20261234"), "wrong_answer");
  EXPECT_EQ(points_of("20261234"), 0);
  EXPECT_EQ(verdict_of("20261111"), "accepted");
  EXPECT_EQ(points_of("20261111"), before);
  orders().done(open[0].id);
  EXPECT_THAT(page_for(teacher).body, HasSubstr("What teacher changed at "));
  EXPECT_THAT(book->undo_regrading(), HasSubstr("1 student"));
  EXPECT_EQ(verdict_of("20261234"), "accepted");
  EXPECT_EQ(points_of("20261234"), before);
  EXPECT_THROW(book->undo_regrading(), UsageError);
}

TEST_F(Regrading, TwoOrdersToUndoTheSameUndoItOnce) {
  previewed();
  for (const char *student : {"20261111", "20261234"}) book->apply_preview({student}, "teacher");
  const std::string latest = std::to_string(class_store.latest_regrading()->id);
  for (int i = 0; i < 2; ++i) ASSERT_EQ(order(teacher, {{"what", "undo"}, {"id", latest}}).status, 303);
  const std::vector<Order> open = orders().open("hw6");
  ASSERT_EQ(open.size(), 2u);
  EXPECT_EQ(book->decide(open[0]).what, "regrade undone");
  EXPECT_EQ(verdict_of("20261234"), "accepted");
  const AuditEntry again = book->decide(open[1]);
  EXPECT_EQ(again.what, "regrade refused");
  EXPECT_EQ(again.detail, "this was undone already. Nothing was changed");
  EXPECT_EQ(verdict_of("20261111"), "wrong_answer") << "of another regrading";
  EXPECT_EQ(book->decide(open[0]).what, "regrade undone") << "as after a kill before it was noted";
  EXPECT_EQ(verdict_of("20261111"), "wrong_answer");
}

TEST_F(Regrading, AnOrderAboutAnEarlierPreviewChangesNothing) {
  previewed();
  Order o{7, Order::Kind::apply, "hw6", "teacher", "2026-01-01 00:00:00", 0, ""};
  EXPECT_EQ(book->decide(o).what, "regrade refused");
  o.kind = Order::Kind::discard;
  EXPECT_EQ(book->decide(o).what, "regrade refused");
  EXPECT_TRUE(class_store.preview());
  EXPECT_FALSE(class_store.latest_regrading());
  o.step = class_store.preview()->begun;
  EXPECT_EQ(book->decide(o).what, "regrade discarded");
  EXPECT_FALSE(class_store.preview());
}

TEST_F(Regrading, AnOrderThatAKillInterruptedIsCompletedAndNotRepeated) {
  previewed();
  const batch::RulesOf rules = gradebook::rules_of(grader.course, grader.thresholds);
  const Order apply{7, Order::Kind::apply, "hw6", "teacher", class_store.preview()->begun, 0, "20261234"};
  gradebook::apply_preview(class_store, grader.course, rules, {"20261234"}, "teacher", "7 " + apply.step);
  EXPECT_EQ(verdict_of("20261234"), "accepted") << "killed before the queue had it";
  AuditEntry came = book->decide(apply);
  EXPECT_EQ(came.what, "regrade applied");
  EXPECT_THAT(came.detail, HasSubstr("1 student, 1 changed: tolerance"));
  EXPECT_EQ(verdict_of("20261234"), "wrong_answer");
  const std::int64_t id = class_store.latest_regrading()->id;
  const Order undo{8, Order::Kind::undo, "hw6", "teacher", std::to_string(id), 0, ""};
  gradebook::undo_regrading(class_store, grader.course, rules, "8 " + undo.step);
  came = book->decide(undo);
  EXPECT_EQ(came.what, "regrade undone") << came.detail;
  EXPECT_EQ(verdict_of("20261234"), "accepted");
  EXPECT_EQ(book->decide(apply).what, "regrade applied") << "done already; what was undone since stays so";
  EXPECT_EQ(verdict_of("20261234"), "accepted");
  EXPECT_FALSE(class_store.latest_regrading());
}

TEST_F(Regrading, WhatACommandChangedIsInTheQueueAfterAStart) {
  previewed();
  gradebook::apply_preview(class_store, grader.course, gradebook::rules_of(grader.course, grader.thresholds),
                           {"20261234"}, "the administrator");
  EXPECT_EQ(verdict_of("20261234"), "accepted");
  book->agree();
  EXPECT_EQ(verdict_of("20261234"), "wrong_answer");
  EXPECT_EQ(verdict_of("20261111"), "accepted");
}

TEST_F(Regrading, APreviewThatIsRenewedUnderTheSameConditionsIsStillTheOneThatWasDecidedAbout) {
  previewed();
  const std::string begun = "2026-01-01 00:00:00";
  book->begin_preview({"20261111", "20261234"}, "assistant", false, begun);
  ASSERT_EQ(class_store.preview()->begun, begun);
  book->renew_preview();
  EXPECT_EQ(class_store.preview()->begun, begun);
  const std::string there = class_store.preview()->course;
  class_store.begin_preview({"assistant", "other files", course::WithoutGpu::leave, WARPGRADE_VERSION, begun},
                            class_store.preview_files(), false);
  book->renew_preview();
  EXPECT_EQ(class_store.preview()->course, there);
  EXPECT_NE(class_store.preview()->begun, begun);
}

TEST_F(Regrading, AfterAnUndoFilesAreGradedUnderTheConditionsOfTheProcess) {
  grader.course.assignment.tolerance /= 2;
  class_store.change_only({}, batch::steps_of(grader.course.assignment), [&] { grade_as_now(); });
  grader.course.assignment.tolerance *= 2;  // as where a command applied a preview since
  previewed();
  book->apply_preview({"20261234"}, "teacher");
  const std::string now_grading = class_store.grading_of("step0")->conditions;
  book->undo_regrading();
  EXPECT_EQ(class_store.grading_of("step0")->conditions, now_grading);
  EXPECT_EQ(verdict_of("20261234"), "accepted");
}

TEST_F(Regrading, OfTwoResultsUnderTheSameConditionsALaterSubmissionHasTheNewest) {
  class_store.follow_present_conditions();
  class_store.keep(task, tests::record("step0"), 1);
  book->agree();
  book->begin_preview({"20261111"}, "assistant", true);
  class_store.keep_previewed(task, tests::record("step0", Verdict::race), 1);
  book->apply_preview({"20261111"}, "teacher");
  EXPECT_EQ(verdict_of("20261111"), "race");
  EXPECT_EQ(verdict_of("20261234"), "accepted");
  for (const char *text : {"new", "text"}) {
    now += 60;
    EXPECT_EQ(send("/upload", token, {{"assignment", "hw6"}}, {{"step0_naive.cu", text}}).status, 303);
    book->take_in_new();
  }
  EXPECT_EQ(class_store.result_that_counts("20261234", task)->verdict, Verdict::race);
  EXPECT_EQ(verdict_of("20261234"), "race") << "whichever the queue copied";
  book->undo_regrading();
  EXPECT_EQ(verdict_of("20261111"), "accepted");
  for (const char *text : {"new", "text"}) {
    now += 60;
    EXPECT_EQ(send("/upload", third, {{"assignment", "hw6"}}, {{"step0_naive.cu", text}}).status, 303);
    book->take_in_new();
  }
  EXPECT_EQ(class_store.result_that_counts("20261111", task)->verdict, Verdict::accepted)
      << "what was undone stays undone";
  EXPECT_EQ(verdict_of("20261111"), "accepted");
}

TEST_F(Regrading, WhatAPageShowedBeforeAnotherPreviewIsNotApplied) {
  previewed();
  EXPECT_EQ(order(teacher, {{"what", "apply"}, {"all", "yes"}, {"begun", "another time"}}).status, 409);
  EXPECT_EQ(order(teacher, {{"what", "apply"}}).status, 400) << "nobody is marked";
  EXPECT_EQ(order(teacher, {{"what", "apply"}, {"student:nobody", "yes"}}).status, 404);
  EXPECT_EQ(order(teacher, {{"what", "undo"}, {"id", "7"}}).status, 409);
  EXPECT_EQ(order(teacher, {{"what", "everything"}}).status, 400);
  EXPECT_TRUE(orders().open("hw6").empty());
}

TEST_F(Regrading, WhoSubmitsSomethingNewIsLeftOutAndNamed) {
  previewed();
  now += 60;
  EXPECT_EQ(send("/upload", third, {{"assignment", "hw6"}}, {{"step0_naive.cu", "new"}}).status, 303);
  book->take_in_new();
  EXPECT_THAT(page_for(teacher).body,
              HasSubstr("handed in something since, or were graded otherwise: 20261111."));
  EXPECT_THAT(
      book->apply_preview({}, "teacher"),
      HasSubstr("1 student, 1 changed: tolerance; left out, handed in or graded otherwise since: 20261111"));
}

TEST_F(Regrading, ASubmissionOfTheSameFileChangesWhoSubmittedItAlone) {
  class_store.keep(task, tests::record("step0", Verdict::race), 1, {}, {"20261234"});
  EXPECT_EQ(class_store.result_that_counts("20261234", task)->verdict, Verdict::race);
  EXPECT_EQ(class_store.result_that_counts("20261111", task)->verdict, Verdict::accepted);
}

TEST_F(Regrading, WhatCameOfAnOrderIsOnThePage) {
  orders().note({now, "teacher", "regrade refused", "hw6", "<i>cases</i> changed since the preview"});
  orders().note({now, "teacher", "regrade", "hw6", "another kind"});
  EXPECT_THAT(page_for(staff).body,
              HasSubstr("teacher: regrade refused: &lt;i&gt;cases&lt;/i&gt; changed since the preview"));
}

}  // namespace
}  // namespace warpgrade::service
