// From the store to what other systems take.
#include "batch/exports.hpp"

#include "batch/content.hpp"
#include "tests/batch/a_class.hpp"

namespace warpgrade::tests {
namespace {

using namespace batch;
using platforms::Standing;

class ExportedClass : public ::testing::Test {
 protected:
  void grade(const std::string &step, const std::string &content,
             judge::Verdict v = judge::Verdict::accepted) {
    store.keep({step, hash_of(content)}, record(step, v), 1);
  }
  void conclude() {
    const RulesOf rules = same_rules(a, {});
    for (const std::string &student : store.students())
      if (const Scored s = score_student(store, rules, student); s.complete) store.keep_score(s.row);
  }
  void take_in(const Handin &h) {
    store.take_in(h);
    store.finish_taking_in();
  }
  platforms::StudentGrades student(const std::string &id) {
    for (const platforms::StudentGrades &s : export_of(store, a, same_rules(a, {})).grades.students)
      if (s.student == id) return s;
    throw std::out_of_range(id);
  }
  Folder folder;
  Store store = begun(folder.path());
  course::Assignment a = two_steps();
};

TEST_F(ExportedClass, ContainsEveryStudentWithTheirStatus) {
  store.take_in_student("absent");
  Handin bomb = handin("bomb", "", "");
  bomb.refused = "it unpacks to more than 64 MiB";
  take_in(bomb);
  take_in(handin("done", "right", "wrong"));
  take_in(handin("odd", "odd", ""));
  take_in(handin("waits", "right", "new"));
  grade("base", "right");
  grade("more", "wrong", judge::Verdict::wrong_answer);
  grade("base", "odd", judge::Verdict::grader_error);
  conclude();
  EXPECT_EQ(export_of(store, a, same_rules(a, {})).grades.students.size(), 5u);
  EXPECT_EQ(student("absent").standing, Standing::not_submitted);
  EXPECT_EQ(student("absent").grade(), 0);
  EXPECT_EQ(student("bomb").standing, Standing::archive_refused);
  EXPECT_EQ(student("bomb").refused, bomb.refused);
  EXPECT_EQ(student("odd").standing, Standing::grader_error);
  EXPECT_EQ(student("odd").grade(), std::nullopt);
  EXPECT_EQ(student("waits").standing, Standing::pending);
  EXPECT_EQ(student("waits").grade(), std::nullopt);
  EXPECT_EQ(student("waits").steps[0].points, 10);
  EXPECT_EQ(student("waits").steps[1].points, std::nullopt);
  const platforms::StudentGrades done = student("done");
  EXPECT_EQ(done.standing, Standing::graded);
  EXPECT_EQ(done.grade(), 10);
  EXPECT_EQ(done.max_points, 10);
  EXPECT_EQ(done.source, "done.zip");
  EXPECT_EQ(done.steps[0].file, "base.cu");
  EXPECT_EQ(done.steps[1].verdict, "wrong_answer");
  EXPECT_EQ(done.steps[1].reason, "for a reason");
  EXPECT_TRUE(done.steps[1].extra_credit);
}

TEST_F(ExportedClass, AHandinAfterTheGradingLeavesNoOldGrade) {
  take_in(handin("s", "first", "", 10));
  grade("base", "first");
  conclude();
  EXPECT_EQ(student("s").grade(), 10);
  take_in(handin("s", "second", "", 20));
  EXPECT_EQ(student("s").grade(), std::nullopt);
}

TEST_F(ExportedClass, PointsByHandCarryTheirReason) {
  take_in(handin("s", "text", ""));
  grade("base", "text", judge::Verdict::race);
  store.override_points("s", {"base", 7, "a barrier too few"});
  conclude();
  EXPECT_EQ(student("s").standing, Standing::overridden);
  EXPECT_EQ(student("s").grade(), 7);
  EXPECT_EQ(student("s").steps[0].by_hand, "a barrier too few");
}

TEST_F(ExportedClass, PointsAreThoseOfGradesCsvUntilTheyAreRescored) {
  take_in(handin("s", "right", ""));
  grade("base", "right");
  conclude();
  EXPECT_TRUE(export_of(store, a, same_rules(a, {})).outdated.empty());
  a.steps[0].points.correct = 8;
  EXPECT_EQ(student("s").grade(), 10);
  EXPECT_EQ(student("s").steps[0].points, 10);
  EXPECT_EQ(student("s").steps[0].max_points, 10);
  EXPECT_EQ(export_of(store, a, same_rules(a, {})).outdated, std::vector<std::string>{"s"});
}

}  // namespace
}  // namespace warpgrade::tests
