// Scores of students, and grades.csv.
#include "batch/scoring.hpp"

#include <set>

#include "batch/content.hpp"
#include "grading/exam.hpp"
#include "tests/batch/a_class.hpp"

namespace warpgrade::tests {
namespace {

using namespace batch;

class ScoredClass : public ::testing::Test {
 protected:
  void grade(const std::string &step, const std::string &content,
             judge::Verdict v = judge::Verdict::accepted) {
    store.keep({step, hash_of(content)}, record(step, v), 1);
  }
  Scored scored(const std::string &student) {
    rules_ = same_rules(a, {});
    return score_student(store, rules_, student);
  }
  RulesOf rules_;  // into which the last Scored points
  std::string csv() {
    for (const std::string &student : store.students())
      if (const Scored s = scored(student); s.complete) store.keep_score(s.row);
    return grades_csv(store, a);
  }
  void take_in(const Handin &h) {
    store.take_in(h);
    store.finish_taking_in();
  }
  Folder folder;
  Store store = begun(folder.path());
  course::Assignment a = two_steps();
};

TEST_F(ScoredClass, AStudentHasTheScoreOfEachFileAndMissingOnesScoreNothing) {
  take_in(handin("s", "right", ""));
  grade("base", "right");
  const Scored s = scored("s");
  EXPECT_TRUE(s.complete);
  EXPECT_EQ(s.row.status, graded);
  EXPECT_EQ(s.row.points, 10);
  EXPECT_EQ(s.row.max_points, 10);
  EXPECT_EQ(s.row.steps[1].verdict, "missing");
  EXPECT_EQ(s.record.steps[1].reason, "more.cu was not handed in");
  EXPECT_EQ(s.record.steps[0].title, "The base");  // as the YAML has it now
}

TEST_F(ScoredClass, WithoutAHandinTheStatusIsNotSubmittedAndARefusedArchiveSaysWhy) {
  store.take_in_student("absent");
  Handin bomb = handin("refused", "", "");
  bomb.refused = "it unpacks to more than 64 MiB";
  take_in(bomb);
  EXPECT_EQ(scored("absent").row.status, not_submitted);
  const Scored s = scored("refused");
  EXPECT_EQ(s.row.status, archive_refused);
  EXPECT_EQ(s.record.refused, bomb.refused);
  EXPECT_EQ(s.row.points, 0);
  EXPECT_EQ(s.row.max_points, 10);
}

TEST_F(ScoredClass, AHandinWithoutOneFileOfTheAssignmentIsMissingAndNotTheSameAsNoHandin) {
  Handin empty = handin("empty", "", "");
  empty.notes = {"It contains no file of hw."};
  take_in(empty);
  take_in(handin("half", "", "more"));
  grade("more", "more");
  const Scored s = scored("empty");
  EXPECT_EQ(s.row.status, missing);
  EXPECT_EQ(s.row.points, 0);
  EXPECT_EQ(s.record.notes, empty.notes);
  EXPECT_EQ(s.record.steps[0].reason, "base.cu was not handed in");
  EXPECT_EQ(scored("half").row.status, graded);
  store.override_points("empty", {"base", 5, "it came by mail"});
  EXPECT_EQ(scored("empty").row.status, overridden);
}

TEST_F(ScoredClass, AStoreFromBeforeTheWordsChangedSaysTheNewOnes) {
  Handin bomb = handin("bomb", "", "");
  bomb.refused = "it unpacks to more than 64 MiB";
  take_in(bomb);
  store.take_in_student("absent");
  take_in(handin("empty", "", ""));
  take_in(handin("done", "right", ""));
  grade("base", "right");
  const std::string now = csv();
  Store(std::move(store));  // gone, with its lock
  {
    Database file(folder / "gradebook.db", Database::Mode::write);
    // Fields of later versions are missing.
    file.execute(
        "DROP TABLE regrading_score; DROP TABLE regrading_conditions; DROP TABLE regrading_result; "
        "DROP TABLE regrading; DROP TABLE preview_result; DROP TABLE preview_file; DROP TABLE preview; "
        "DROP TABLE wanted_for; DROP TABLE choice; "
        "DROP TABLE file_variant; DROP TABLE exam; DROP INDEX student_in_any_case; ALTER TABLE student DROP "
        "COLUMN name; "
        "ALTER TABLE handin DROP COLUMN late; ALTER TABLE handin DROP COLUMN time_known; "
        "ALTER TABLE score DROP COLUMN late_days; ALTER TABLE class DROP COLUMN without_gpu");
    file.execute("UPDATE score SET status = 'missing' WHERE student = 'absent'");
    file.execute("UPDATE score SET status = 'graded' WHERE student = 'empty'");
    file.execute("UPDATE score SET status = 'refused' WHERE student = 'bomb'; PRAGMA user_version = 1");
  }
  const Store later(folder.path(), Store::Access::change);
  EXPECT_EQ(grades_csv(later, a), now);
  EXPECT_EQ(later.score("bomb")->status, archive_refused);
  EXPECT_EQ(later.score("absent")->status, not_submitted);
  EXPECT_EQ(later.score("empty")->status, missing);
  EXPECT_EQ(later.score("done")->status, graded);
  EXPECT_EQ(later.unreported(), (std::vector<std::string>{"absent", "bomb", "done", "empty"}));
}

TEST_F(ScoredClass, AnExamWaitsAndThenItsAnswersCountTheLastOnesOnly) {
  course::Step exam;
  exam.id = "exam", exam.title = "Questions", exam.problem = a.steps.front().problem;
  exam.points = {10, 0, 0};
  exam.viva.emplace();
  a.exams.push_back(exam);
  store.take_in_student("absent");
  take_in(handin("s", "right", ""));
  grade("base", "right");
  const Scored before = scored("s");
  EXPECT_TRUE(before.complete);
  EXPECT_EQ(before.row.status, graded);
  EXPECT_EQ(before.row.max_points, 20);
  EXPECT_EQ(before.row.ungraded_points, 10);
  EXPECT_EQ(before.row.steps.back(), (ScoreRow::Step{"exam", "", std::nullopt, 10, 10}));
  EXPECT_EQ(scored("absent").row.steps.back(), (ScoreRow::Step{"exam", "missing", 0.0, 10, 0}));
  const auto answered = [&](bool second) {
    return ExamRow{grading::exam_taken(exam, {{"edges", true, true}, {"races", true, second}}), "{}"};
  };
  store.keep_exam("s", "exam", answered(true));
  EXPECT_EQ(scored("s").row.steps.back(), (ScoreRow::Step{"exam", "accepted", 10.0, 10, 0}));
  store.keep_exam("s", "exam", answered(false));
  EXPECT_EQ(*store.exam("s", "exam"), answered(false));
  EXPECT_EQ(scored("s").row.steps.back(), (ScoreRow::Step{"exam", "wrong_answer", 5.0, 10, 0}));
  EXPECT_EQ(scored("s").row.points, before.row.points + 5);
  store.override_points("s", {"exam", 8, "asked again in person"});
  EXPECT_EQ(scored("s").row.points, before.row.points + 8);
}

TEST_F(ScoredClass, AFailureOfOursIsShownUntilAPersonDecides) {
  take_in(handin("s", "odd", ""));
  grade("base", "odd", judge::Verdict::grader_error);
  EXPECT_EQ(scored("s").row.status, grader_error);
  EXPECT_EQ(scored("s").row.ungraded_points, 10);
  store.override_points("s", {"base", 9, "read by a TA"});
  EXPECT_EQ(scored("s").row.status, overridden);
  EXPECT_EQ(scored("s").row.points, 9);
  EXPECT_EQ(scored("s").row.ungraded_points, 0);
}

TEST_F(ScoredClass, PointsGivenByHandSurviveAnotherGrading) {
  take_in(handin("s", "text", ""));
  grade("base", "text", judge::Verdict::race);
  store.override_points("s", {"base", 7, "a barrier too few, all else right"});
  store.want_again({{"base", hash_of("text")}});
  grade("base", "text", judge::Verdict::wrong_answer);
  EXPECT_EQ(scored("s").row.points, 7);
  EXPECT_EQ(scored("s").score.steps[0].by_hand->reason, "a barrier too few, all else right");
}

TEST_F(ScoredClass, GradesCsvHasARowForEveryStudent) {
  store.take_in_student("absent");
  take_in(handin("done", "right", "wrong"));
  take_in(handin("waits", "other", ""));
  grade("base", "right");
  grade("more", "wrong", judge::Verdict::wrong_answer);
  EXPECT_EQ(csv(),
            "student,base,more,score,max_score,status,late\r\n"
            "absent,0,0,0,10,not_submitted,\r\n"
            "done,10,0,10,10,graded,\r\n"
            "waits,,,,,pending,\r\n");
}

TEST_F(ScoredClass, AnEditedHandinIsPendingInGradesCsvUntilItIsGraded) {
  take_in(handin("s", "first", "", 10));
  grade("base", "first");
  EXPECT_NE(csv().find("s,10,0,10,10,graded"), std::string::npos);
  take_in(handin("s", "second", "", 20));
  EXPECT_NE(csv().find("s,,,,,pending"), std::string::npos) << csv();
}

TEST_F(ScoredClass, AStepThatIsGradedAgainKeepsItsRowMeanwhile) {
  take_in(handin("s", "text", ""));
  grade("base", "text");
  store.want_again({{"base", hash_of("text")}});
  EXPECT_NE(csv().find("s,10,0,10,10,graded"), std::string::npos) << csv();
}

TEST_F(ScoredClass, AStudentsNameIsNoFormulaInGradesCsv) {
  store.take_in_student("=cmd()|x,y");
  EXPECT_NE(csv().find("\"'=cmd()|x,y\",0,0,0,10,not_submitted,\r\n"), std::string::npos) << csv();
}

TEST_F(ScoredClass, LatenessIsAColumnANoteAndPoints) {
  a.late = course::LatePolicy{1000, 3, 0.2, {{"extended", 1}}};
  for (const char *student : {"early", "late", "extended"}) {
    Handin h = handin(student, "right", "", std::string(student) == "early" ? 1000 : 1001);
    h.time_known = true;
    take_in(h);
  }
  Handin marked = handin("marked", "right", "", 5);
  marked.late = true;
  take_in(marked);
  take_in(handin("unknown", "right", "", 5'000'000));  // a file's time, which proves nothing
  grade("base", "right");
  EXPECT_EQ(csv(),
            "student,base,more,score,max_score,status,late\r\n"
            "early,10,0,10,10,graded,\r\n"
            "extended,10,0,10,10,graded,1\r\n"
            "late,10,0,8,10,graded,1\r\n"
            "marked,10,0,8,10,graded,1\r\n"
            "unknown,10,0,10,10,graded,\r\n");
  EXPECT_EQ(scored("late").record.notes.back(), "Handed in 1 day late. 20 % of the points are taken off: 2.");
  EXPECT_EQ(scored("extended").record.notes.back(), "Handed in 1 day late. 1 day of extension.");
  EXPECT_EQ(
      scored("marked").record.notes.back(),
      "Handed in late; how late is not in the platform's export, so it counts as 1 day. 20 % of the points "
      "are taken off: 2.");
  a.late->penalty_per_day = 0.5;  // lateness costs what the YAML says now
  EXPECT_EQ(scored("late").row.points, 5);
}

TEST_F(ScoredClass, LatenessIsUpdatedFromALaterExport) {
  take_in(handin("s", "right", ""));
  Handin again = handin("s", "right", "");
  again.late = true;
  again.name = "First Student";
  take_in(again);
  EXPECT_TRUE(store.student("s").late);
  EXPECT_EQ(store.student("s").name, "First Student");
  take_in(handin("s", "right", ""));
  EXPECT_EQ(store.student("s").name, "First Student") << "a run without a roster forgets nobody";
}

TEST_F(ScoredClass, StudentsWhoseIdsDifferOnlyInCaseHaveFoldersThatNoFileSystemMerges) {
  take_in(handin("bob", "right", ""));
  EXPECT_EQ(folder_of(store, "bob"), "bob");
  take_in(handin("Bob", "right", ""));
  const auto lower = [](std::string text) {
    for (char &c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return text;
  };
  EXPECT_NE(lower(folder_of(store, "bob")), lower(folder_of(store, "Bob")));
  EXPECT_EQ(folder_of(store, "bob").find("bob-"), 0u);
  EXPECT_EQ(store.students(), (std::vector<std::string>{"Bob", "bob"}));
}

TEST(FolderName, IsPlainDifferentForEachAndNeverAPath) {
  EXPECT_EQ(folder_name("20261234"), "20261234");
  EXPECT_EQ(folder_name("last.first-2"), "last.first-2");
  std::set<std::string> names;
  const std::vector<std::string> students = {"",
                                             ".",
                                             "..",
                                             "a/b",
                                             "a%2Fb",
                                             "../x",
                                             "%",
                                             "a b",
                                             "\n",
                                             "\xff",
                                             "-x",
                                             "bob.",
                                             "bob",
                                             std::string(1000, 'a'),
                                             std::string(1001, 'a')};
  for (const std::string &student : students) {
    const std::string name = folder_name(student);
    EXPECT_EQ(name.find_first_of("/\n\xff "), std::string::npos) << name;
    EXPECT_FALSE(name.empty() || name.front() == '.' || name.back() == '.') << name;
    EXPECT_LE(name.size(), 255u);
    names.insert(name);
  }
  EXPECT_EQ(names.size(), students.size());
}

}  // namespace
}  // namespace warpgrade::tests
