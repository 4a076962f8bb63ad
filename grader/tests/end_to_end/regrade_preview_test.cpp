// ./gradebook regrade --preview, --apply, --discard and --undo, as a person types them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <nlohmann/json.hpp>

#include "base/process.hpp"
#include "batch/store.hpp"
#include "tests/end_to_end/small_course.hpp"
#include "tests/places.hpp"

namespace warpgrade::tests {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class RegradePreview : public ::testing::Test {
 protected:
  RegradePreview() {
    course.hand_in("s1", "one");
    course.hand_in("s2", "one");  // the same files
    course.hand_in("s3", "three");
    course.write("roster.csv", "id,name\ns1,First Student\ns2,Second Student\ns3,Third Student\n");
    const CommandResult r =
        gradebook("run class --assignment hw6 --out out --device sim --roster roster.csv");
    EXPECT_EQ(r.status, 0) << r.output;
  }
  CommandResult gradebook(const std::string &words) const {
    return shell(std::string("'") + place::gradebook + "' " + words, course.root());
  }
  /// Now step1 is wrong everywhere, step0 nowhere.
  void change_the_rules() const {
    course.replace("assignments/hw6/assignment.yaml", "{m: 33, n: 33, k: 33}", "{m: 34, n: 34, k: 34}");
    course.replace("assignments/hw6/assignment.yaml", "points: {correct: 50, fast: 10}, cases: square}",
                   "points: {correct: 50, fast: 10}, cases: square, rules: {shared_memory: required}}");
  }
  std::string grades() const { return text_of(course / "out/grades.csv"); }
  std::string report(const std::string &student) const {
    return text_of(course / ("out/reports/" + student + "/score.json"));
  }
  static std::string class_of(const std::string &s1, const std::string &s2, const std::string &s3) {
    std::string csv = "student,step0,step1,score,max_score,status,late\r\n";
    for (const auto &[id, points] : {std::pair("s1", s1), {"s2", s2}, {"s3", s3}})
      csv += std::string(id) + ",40," + points + "," + (points == "0" ? "40" : "90") + ",100,graded,\r\n";
    return csv;
  }
  SmallCourse course;
};

TEST_F(RegradePreview, ListsWhoWouldChangeAndWhyAndChangesNothing) {
  change_the_rules();
  const std::string before = grades(), report_before = report("s1");
  const CommandResult r = gradebook("regrade out --all --preview --device sim --csv list.csv");
  EXPECT_EQ(r.status, 0) << r.output;
  EXPECT_THAT(r.output, HasSubstr("4 files to run; nothing that counts changes"));
  EXPECT_THAT(r.output, HasSubstr("s1 (First Student): 90/100 -> 40/100\n  step1      accepted"));
  EXPECT_THAT(r.output, HasSubstr("rule_violation           50 -> 0      cases, rules\n"));
  EXPECT_THAT(r.output, HasSubstr("3 of 3 students would change: 0 up, 3 down."));
  EXPECT_EQ(grades(), before);
  EXPECT_EQ(report("s1"), report_before);
  EXPECT_THAT(text_of(course / "list.csv"),
              HasSubstr("s2,Second Student,step1,accepted,rule_violation,50,0,\"cases, rules\""));
  // Again, it runs nothing; discarded, it is gone.
  EXPECT_THAT(gradebook("regrade out --preview --device sim").output, HasSubstr("0 files to run"));
  EXPECT_EQ(gradebook("regrade out --discard").status, 0);
  EXPECT_THAT(gradebook("regrade out --apply").output, HasSubstr("there is no preview to apply"));
  EXPECT_EQ(grades(), before);
}

TEST_F(RegradePreview, OneStudentOfTwoWithTheSameFileIsChangedAndUndoneExactly) {
  change_the_rules();
  const std::string s1 = report("s1"), s2 = report("s2");
  ASSERT_EQ(gradebook("regrade out --all --preview --device sim").status, 0);
  const CommandResult r = gradebook("regrade out s1 --apply");
  EXPECT_EQ(r.status, 0) << r.output;
  EXPECT_THAT(r.output, HasSubstr("Applied to 1 student, 1 changed: cases, rules."));
  EXPECT_EQ(grades(), class_of("0", "50", "50"));
  EXPECT_EQ(report("s2"), s2);
  EXPECT_EQ(gradebook("override out s1 step0 35 --reason 'late bus'").status, 0);
  EXPECT_EQ(gradebook("override out s1 step0 --withdraw").status, 0);
  EXPECT_EQ(gradebook("regrade out --apply").status, 0) << "the others";
  EXPECT_EQ(grades(), class_of("0", "0", "0"));
  EXPECT_THAT(gradebook("regrade out --undo").output,
              HasSubstr("What counted before counts again for 2 students."));
  EXPECT_EQ(grades(), class_of("0", "50", "50"));
  EXPECT_EQ(report("s2"), s2);
  EXPECT_EQ(gradebook("regrade out --undo").status, 0);
  EXPECT_EQ(grades(), class_of("50", "50", "50"));
  EXPECT_EQ(report("s1"), s1);
  EXPECT_THAT(gradebook("regrade out --undo").output, HasSubstr("there is nothing to undo"));
  // Until a run, which grades everybody under the conditions of now.
  EXPECT_EQ(gradebook("run class --assignment hw6 --out out --device sim").status, 0);
  EXPECT_EQ(grades(), class_of("0", "0", "0"));
}

TEST_F(RegradePreview, RefusesToApplyWhatNoLongerSaysWhatWouldHappen) {
  change_the_rules();
  const std::string before = grades();
  ASSERT_EQ(gradebook("regrade out --all --preview --device sim").status, 0);
  course.replace("assignments/hw6/assignment.yaml", "{m: 34, n: 34, k: 34}", "{m: 35, n: 35, k: 35}");
  const CommandResult r = gradebook("regrade out --apply");
  EXPECT_EQ(r.status, 2);
  EXPECT_THAT(r.output, HasSubstr("cases changed since the preview"));
  EXPECT_THAT(r.output, HasSubstr("Nothing was applied."));
  EXPECT_EQ(grades(), before);
  course.replace("assignments/hw6/assignment.yaml", "points: {correct: 40}", "points: {correct: 30}");
  course.replace("assignments/hw6/assignment.yaml", "points: {correct: 50, fast: 10}",
                 "points: {correct: 60, fast: 10}");
  ASSERT_EQ(gradebook("regrade out --preview --device sim").status, 0);
  course.replace("assignments/hw6/assignment.yaml", "points: {correct: 30}", "points: {correct: 40}");
  course.replace("assignments/hw6/assignment.yaml", "points: {correct: 60, fast: 10}",
                 "points: {correct: 50, fast: 10}");
  EXPECT_THAT(gradebook("regrade out --apply").output, HasSubstr("the YAML files changed since the preview"));
  EXPECT_EQ(grades(), before);
}

TEST_F(RegradePreview, AStudentWhoHandedInSomethingNewIsLeftOutAndNamed) {
  ASSERT_EQ(gradebook("regrade out s1 s3 --preview --device sim").status, 0);
  course.hand_in("s3", "new");
  ASSERT_EQ(gradebook("run class --assignment hw6 --out out --device sim --roster roster.csv").status, 0);
  EXPECT_THAT(gradebook("regrade out s3 --apply").output,
              HasSubstr("s3 handed in something else or was graded again since the preview"));
  EXPECT_THAT(gradebook("regrade out s2 --apply").output, HasSubstr("s2 is not in the preview"));
  const CommandResult r = gradebook("regrade out --apply");
  EXPECT_EQ(r.status, 0) << r.output;
  EXPECT_THAT(r.output, HasSubstr("Applied to 1 student, 0 changed"));
  EXPECT_THAT(r.output,
              HasSubstr("Left out, since they handed in something since, or were graded otherwise: s3"));
}

TEST_F(RegradePreview, ChangedPointsAreAReasonOfTheirOwnAndPointsByHandStay) {
  ASSERT_EQ(gradebook("override out s3 step1 12 --reason 'an oral exam'").status, 0);
  course.replace("assignments/hw6/assignment.yaml", "points: {correct: 40}", "points: {correct: 30}");
  course.replace("assignments/hw6/assignment.yaml", "points: {correct: 50, fast: 10}",
                 "points: {correct: 60, fast: 10}");
  const CommandResult r = gradebook("regrade out --all --preview --device sim");
  EXPECT_THAT(r.output, HasSubstr("0 files to run"));
  EXPECT_THAT(r.output, HasSubstr("points, thresholds or lateness in the YAML files"));
  const std::string before = grades(), report_before = report("s3");
  ASSERT_EQ(gradebook("regrade out s3 --apply").status, 0);
  EXPECT_THAT(grades(), HasSubstr("s1,40,50,90,100,graded,"));
  EXPECT_THAT(grades(), HasSubstr("s3,30,12,42,100,overridden,"));
  ASSERT_EQ(gradebook("override out s3 step1 13 --reason 'better'").status, 0);
  const CommandResult undo = gradebook("regrade out --undo");
  EXPECT_THAT(undo.output, HasSubstr("Points computed again, since there are points by hand, a new"));
  EXPECT_THAT(grades(), HasSubstr("s3,30,13,43,100,overridden,"));
}

TEST_F(RegradePreview, AfterAnUndoPointsAreThoseOfTheRulesOfNow) {
  change_the_rules();
  ASSERT_EQ(gradebook("regrade out --all --preview --device sim").status, 0);
  ASSERT_EQ(gradebook("regrade out --apply").status, 0);
  course.replace("assignments/hw6/assignment.yaml", "points: {correct: 50, fast: 10}",
                 "points: {correct: 48, fast: 12}");
  ASSERT_EQ(gradebook("rescore out").status, 0);
  const CommandResult undo = gradebook("regrade out --undo");
  EXPECT_EQ(undo.status, 0) << undo.output;
  for (const char *row : {"s1,40,48,88,100,graded,", "s2,40,48,88,100", "s3,40,48,88,100"})
    EXPECT_THAT(grades(), HasSubstr(row));
  EXPECT_THAT(undo.output, HasSubstr("or other rules since: s1, s2, s3"));
  const std::string before = grades();
  ASSERT_EQ(gradebook("rescore out").status, 0);
  EXPECT_EQ(grades(), before);
}

TEST_F(RegradePreview, RegradingOneStudentLeavesWhoHandedInTheSameAndIsUndone) {
  change_the_rules();
  const std::string s2 = report("s2");
  EXPECT_THAT(gradebook("regrade out s1 --device sim --dry-run").output, Not(HasSubstr("  s2: step1")));
  const CommandResult r = gradebook("regrade out s1 --device sim");
  EXPECT_EQ(r.status, 0) << r.output;
  EXPECT_THAT(r.output,
              HasSubstr("Students who handed in the same file keep their results: s2 (step0, step1)"));
  EXPECT_EQ(grades(), class_of("0", "50", "50"));
  EXPECT_EQ(report("s2"), s2);
  ASSERT_EQ(gradebook("rescore out").status, 0);
  EXPECT_EQ(grades(), class_of("0", "50", "50")) << "also where points are computed again";
  EXPECT_THAT(gradebook("status out s2").output, HasSubstr("accepted"));
  EXPECT_EQ(gradebook("regrade out --undo").status, 0);
  EXPECT_EQ(grades(), class_of("50", "50", "50"));
}

TEST_F(RegradePreview, ARunAfterAnInterruptedRegradeOfOneStudentGradesEverybody) {
  change_the_rules();
  {
    batch::Store store(course / "out", batch::Store::Access::change);
    for (const auto &[step, file] : {std::pair("step0", "step0_naive.cu"), {"step1", "step1_coalesced.cu"}})
      store.want_again({{step, *store.student("s1").hash_of(file)}}, {"s1"});
  }
  EXPECT_EQ(gradebook("run class --assignment hw6 --out out --device sim").status, 0);
  EXPECT_EQ(grades(), class_of("0", "0", "0"));
}

TEST_F(RegradePreview, AnInterruptedPreviewIsContinuedByTheSameCommand) {
  change_the_rules();
  const std::string command = "cd '" + course.root().string() + "' && exec '" + place::gradebook +
                              "' regrade out --all --preview --device sim --jobs 1 2>log >/dev/null";
  Child preview({"/bin/sh", {"sh", "-c", command}});
  // Once one of the four files has run, before the last one has.
  const auto to_run = [&] {
    const batch::Store store(course / "out", batch::Store::Access::read);
    return store.preview() ? store.to_preview().size() : 4;
  };
  while (to_run() == 4) ASSERT_FALSE(preview.ended(0.05)) << text_of(course / "log");
  ::kill(preview.id(), SIGINT);
  ASSERT_TRUE(preview.ended(120));
  EXPECT_EQ(exit_status(preview.status().value()), 130) << text_of(course / "log");
  EXPECT_THAT(text_of(course / "log"), HasSubstr("nothing that counts has changed"));
  EXPECT_THAT(gradebook("regrade out --apply").output, HasSubstr("still to be run: --preview continues"));
  const CommandResult again = gradebook("regrade out --all --preview --device sim");
  EXPECT_EQ(again.status, 0) << again.output;
  EXPECT_THAT(again.output, Not(HasSubstr("4 files to run")));
  EXPECT_THAT(again.output, HasSubstr("3 of 3 students would change"));
}

}  // namespace
}  // namespace warpgrade::tests
