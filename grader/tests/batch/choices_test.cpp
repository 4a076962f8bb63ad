// Which result counts for whom, what grading again would change, and how that is undone.
#include "batch/content.hpp"
#include "batch/store.hpp"
#include "tests/batch/a_class.hpp"

namespace warpgrade::tests {
namespace {

using batch::PreviewFile;
using batch::Store;
using batch::Task;
using judge::Verdict;

const Store::StepFiles both_steps = {{"base", "base.cu"}, {"more", "more.cu"}};
const std::string other_conditions = R"({"cases": 7})";

/// a and b handed in the same file; c another one. All accepted.
class Shared : public ::testing::Test {
 protected:
  Shared() {
    for (const auto &[student, text] : {std::pair("a", "same"), {"b", "same"}, {"c", "own"}})
      store.take_in(handin(student, text, ""));
    store.finish_taking_in();
    for (const Task &task : {same, own}) store.keep(task, record("base"), 1);
  }
  Verdict verdict(const std::string &student) const {
    return store.result_that_counts(student, student == "c" ? own : same)->verdict;
  }
  std::vector<Verdict> verdicts() const { return {verdict("a"), verdict("b"), verdict("c")}; }
  void preview(const std::vector<std::string> &students, const std::string &conditions, bool again = false) {
    std::vector<PreviewFile> files;
    for (const std::string &student : students)
      files.push_back({student, student == "c" ? own : same, grading_of("base", conditions), again});
    store.begin_preview({"a TA", "the course", course::WithoutGpu::leave, "1"}, files, false);
  }
  static batch::ScoreBefore score_of(const std::string &student) {
    batch::ScoreBefore before;
    before.row.student = student;
    before.row.points = 10;
    before.row.steps = {{"base", "accepted", 10.0, 10, 0}, {"more", "", std::nullopt, 5, 0}};
    before.report = "the report of " + student;
    before.rest = "[]";
    return before;
  }
  std::int64_t apply(const std::vector<std::string> &students) {
    return store.apply_preview(students, both_steps, {0, "a TA", "cases", ""}, score_of);
  }
  void undo() { store.undo(*store.latest_regrading(), both_steps); }

  static constexpr Verdict good = Verdict::accepted, race = Verdict::race, wrong = Verdict::wrong_answer;
  Folder folder;
  Store store = begun(folder.path());
  const Task same{"base", batch::hash_of("same")}, own{"base", batch::hash_of("own")};
};

TEST_F(Shared, AFileThatIsWantedAgainForOneStudentChangesThatStudentAlone) {
  store.want_again({same}, {"a"});
  EXPECT_EQ(store.pending(both_steps), std::vector<Task>{same});
  EXPECT_EQ(store.wanted_for(same), std::vector<std::string>{"a"});
  store.keep(same, record("base", race), 1);
  EXPECT_EQ(verdicts(), (std::vector{race, good, good}));
  EXPECT_TRUE(store.pending(both_steps).empty());
  EXPECT_TRUE(store.wanted_for(same).empty());
  EXPECT_EQ(store.with_verdict(both_steps, race), std::vector<Task>{same});
  EXPECT_EQ(store.students_with_verdict(same, race), std::vector<std::string>{"a"});
  EXPECT_EQ(store.students_with_verdict(same, good), std::vector<std::string>{"b"});
  // Then for the other, then for everybody.
  store.want_again({same}, {"b"});
  store.keep(same, record("base", wrong), 1);
  EXPECT_EQ(verdicts(), (std::vector{race, wrong, good}));
  store.want_again({same});
  store.keep(same, record("base"), 1);
  EXPECT_EQ(verdicts(), (std::vector{good, good, good}));
}

TEST_F(Shared, WhatSomebodyWantsForEverybodyIsForEverybody) {
  store.want_again({same}, {"a"});
  store.want_again({same});
  store.want_again({same}, {"b"});
  store.keep(same, record("base", race), 1);
  EXPECT_EQ(verdicts(), (std::vector{race, race, good}));
}

TEST_F(Shared, WhoHandsInTheFileLaterGetsTheNewestResult) {
  store.keep(same, record("base", race), 1, {}, {"a"});
  store.take_in(handin("d", "same", ""));
  store.finish_taking_in();
  EXPECT_EQ(store.result_that_counts("d", same)->verdict, race);
  EXPECT_EQ(verdict("b"), good);
  EXPECT_EQ(store.result_that_counts(same)->verdict, race);
}

TEST_F(Shared, AKeptResultIsOfOneFileAndComesBackWithIt) {
  store.keep(same, record("base", race), 1, {}, {"a"});
  store.take_in(handin("b", "own", "", 2000));
  store.finish_taking_in();
  EXPECT_EQ(store.result_that_counts("b", own)->verdict, good);
  store.take_in(handin("b", "same", "", 3000));
  store.finish_taking_in();
  EXPECT_EQ(verdict("b"), good);
}

TEST_F(Shared, OtherConditionsChangeNobodyUntilEverybodyFollows) {
  store.grade_with(grading_of("base", other_conditions));
  store.keep(own, record("base", wrong), 1);
  store.grade_with(grading_of("base"));
  EXPECT_EQ(verdicts(), (std::vector{good, good, good}));
  store.change_only({}, both_steps, [&] { store.grade_with(grading_of("base", other_conditions)); });
  EXPECT_EQ(verdicts(), (std::vector{good, good, good}))
      << "c has a result from when these were the conditions";
  store.follow_present_conditions();
  EXPECT_EQ(verdicts(), (std::vector{good, good, wrong}));
  ASSERT_EQ(store.conditions_that_count(both_steps).size(), 2u);
  EXPECT_EQ(store.conditions_that_count(both_steps)[0].students, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(store.conditions_that_count(both_steps)[1].conditions, other_conditions);
  EXPECT_EQ(store.without_result(both_steps), std::vector<Task>{});
  EXPECT_EQ(store.pending(both_steps), std::vector<Task>{same});
}

TEST_F(Shared, APreviewChangesNothingAndRunsEachFileOnce) {
  preview({"a", "b", "c"}, other_conditions);
  EXPECT_EQ(store.to_preview(), (std::vector<Task>{same, own}));
  store.keep_previewed(same, record("base", race), 2);
  EXPECT_EQ(store.to_preview(), std::vector<Task>{own});
  EXPECT_EQ(verdicts(), (std::vector{good, good, good}));
  EXPECT_TRUE(store.pending(both_steps).empty());
  // The same again, as after an interruption, and for others: what was run stays.
  preview({"a"}, other_conditions);
  EXPECT_TRUE(store.to_preview().empty());
  EXPECT_EQ(store.previewed(store.preview_files().at(0))->verdict, race);
  preview({"a"}, R"({"cases": 8})");
  EXPECT_EQ(store.to_preview(), std::vector<Task>{same}) << "other conditions";
  store.end_preview();
  EXPECT_FALSE(store.preview());
  preview({"a"}, other_conditions);
  EXPECT_EQ(store.to_preview(), std::vector<Task>{same}) << "nothing is left of it";
}

TEST_F(Shared, APreviewUnderThePresentConditionsRunsOnlyWhatIsAskedFor) {
  preview({"a", "c"}, "{}");
  EXPECT_TRUE(store.to_preview().empty());
  EXPECT_EQ(store.previewed(store.preview_files().at(0))->verdict, good);
  preview({"a"}, "{}", true);
  EXPECT_EQ(store.to_preview(), std::vector<Task>{same});
  EXPECT_FALSE(store.previewed(store.preview_files().at(0)));
}

TEST_F(Shared, ApplyingChangesTheNamedStudentsAloneAndUndoingReturnsWhatCounted) {
  preview({"a", "b", "c"}, other_conditions);
  for (const Task &task : {same, own}) store.keep_previewed(task, record("base", race), 2);
  EXPECT_GT(apply({"a"}), 0);
  EXPECT_EQ(verdicts(), (std::vector{race, good, good}));
  EXPECT_EQ(store.grading_of("base")->conditions, other_conditions);
  EXPECT_EQ(store.preview_files().size(), 2u) << "b and c can still have theirs";
  EXPECT_GT(apply({"b", "c"}), 0);
  EXPECT_EQ(verdicts(), (std::vector{race, race, race}));
  undo();
  EXPECT_EQ(verdicts(), (std::vector{race, good, good}));
  EXPECT_EQ(store.grading_of("base")->conditions, other_conditions) << "as after the first application";
  undo();
  EXPECT_EQ(verdicts(), (std::vector{good, good, good}));
  EXPECT_EQ(store.grading_of("base")->conditions, "{}");
  EXPECT_FALSE(store.latest_regrading());
}

TEST_F(Shared, AnApplicationRemembersScoresAndReportsAsTheyWere) {
  preview({"a"}, other_conditions);
  store.keep_previewed(same, record("base", race), 2);
  const std::int64_t id = apply({"a"});
  ASSERT_EQ(store.latest_regrading()->id, id);
  EXPECT_EQ(store.latest_regrading()->actor, "a TA");
  EXPECT_EQ(store.score_before(id, "a")->row, score_of("a").row);
  EXPECT_EQ(store.score_before(id, "a")->report, "the report of a");
  EXPECT_FALSE(store.score_before(id, "b"));
  ASSERT_EQ(store.regraded(id).size(), 1u);
  EXPECT_EQ(store.record(store.regraded(id)[0].before)->verdict, good);
  EXPECT_EQ(store.conditions_of(store.regraded(id)[0].after), other_conditions);
}

TEST_F(Shared, UndoingLeavesWhatWasGradedSince) {
  preview({"a", "b"}, other_conditions);
  store.keep_previewed(same, record("base", race), 2);
  apply({"a", "b"});
  store.keep(same, record("base", wrong), 1, {}, {"b"});
  const std::vector<batch::Regraded> undone = store.undo(*store.latest_regrading(), both_steps);
  ASSERT_EQ(undone.size(), 1u);
  EXPECT_EQ(undone[0].student, "a");
  EXPECT_EQ(verdicts(), (std::vector{good, wrong, good}));
}

TEST_F(Shared, ARepetitionUnderTheSameConditionsIsUndoneToo) {
  preview({"a"}, "{}", true);
  store.keep_previewed(same, record("base", race), 2);
  apply({"a"});
  EXPECT_EQ(verdicts(), (std::vector{race, good, good}));
  undo();
  EXPECT_EQ(verdicts(), (std::vector{good, good, good}));
}

TEST_F(Shared, WhatWasUndoneCountsForNobodyWhoHandsTheFileInLater) {
  for (const std::string conditions : {"{}", other_conditions.c_str()}) {
    store.grade_with(grading_of("base", conditions));
    preview({"a"}, conditions, true);
    store.keep_previewed(same, record("base", race), 2);
    apply({"a"});
    EXPECT_EQ(store.result(same)->verdict, race);
    undo();
    EXPECT_TRUE(store.was_undone(same));
    EXPECT_EQ(store.result_that_counts("d", same)->verdict, good) << conditions;
    store.follow("a", same);
    EXPECT_EQ(verdicts(), (std::vector{good, good, good})) << conditions;
  }
  EXPECT_FALSE(store.result(same)) << "under the other conditions, there is no other one";
  store.keep(same, record("base", wrong), 1);
  EXPECT_EQ(store.result(same)->verdict, wrong);
}

TEST_F(Shared, APreviewOfWhatNeverHadAResultIsEmpty) {
  store.take_in(handin("d", "new", ""));
  store.finish_taking_in();
  store.begin_preview({}, {{"d", {"base", batch::hash_of("new")}, grading_of("base"), false}}, false);
  EXPECT_TRUE(store.preview_files().empty());
}

}  // namespace
}  // namespace warpgrade::tests
