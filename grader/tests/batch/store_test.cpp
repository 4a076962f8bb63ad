// What the store remembers, and what counts of it.
#include "batch/store.hpp"

#include "batch/content.hpp"
#include "batch/database.hpp"
#include "tests/batch/a_class.hpp"

namespace warpgrade::tests {
namespace {

using batch::Store;
using batch::Task;

const Store::StepFiles steps = {{"base", "base.cu"}, {"more", "more.cu"}};

std::string hash(const std::string &content) {
  return batch::hash_of(content);
}

TEST(Content, IsHashedAsSha256sumPrintsIt) {
  EXPECT_EQ(hash("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");  // FIPS 180-2
}

TEST(Content, RoundTripsThroughItsCompactForm) {
  const std::string text(100'000, 'x');
  EXPECT_LT(batch::compressed(text).size(), 1000u);
  EXPECT_EQ(batch::expanded(batch::compressed(text)), text);
  EXPECT_EQ(batch::expanded(batch::compressed("")), "");
  EXPECT_THROW(batch::expanded("something else"), std::runtime_error);
}

TEST(Store, RemembersAClassAndItsHandins) {
  const Folder folder;
  batch::Handin h = handin("20261234", "__global__", std::string("a\0b\xff", 4), 77);
  h.notes = {"step2_share.cu is not a file of hw"};
  {
    Store store = begun(folder.path());
    store.take_in(h);
    store.finish_taking_in();
  }
  const Store store(folder.path(), Store::Access::read);
  EXPECT_EQ(store.info(), (batch::ClassInfo{"hw", 42}));
  EXPECT_EQ(store.students(), std::vector<std::string>{"20261234"});
  const batch::Student student = store.student("20261234");
  EXPECT_EQ(student.source, "20261234.zip");
  EXPECT_EQ(student.handed_in, 77);
  EXPECT_EQ(student.notes, h.notes);
  ASSERT_TRUE(student.hash_of("more.cu"));
  EXPECT_EQ(store.file(*student.hash_of("more.cu")), h.files[1].content);
  EXPECT_FALSE(student.hash_of("other.cu"));
}

TEST(Store, TheLatestHandinOfAStudentCountsAndTheOthersStay) {
  const Folder folder;
  Store store = begun(folder.path());
  batch::Handin early = handin("s", "early", "", 10), late = handin("s", "late", "", 20);
  early.source = "s_v1.zip";
  late.source = "s_v2.zip";
  for (const auto &h : {late, early}) store.take_in(h);  // in whatever order they are found
  store.finish_taking_in();
  EXPECT_EQ(store.student("s").source, "s_v2.zip");
  EXPECT_EQ(store.superseded(), 1u);
  EXPECT_EQ(store.pending(steps), (std::vector<Task>{{"base", hash("late")}}));
}

TEST(Store, AFolderThatWasEditedCountsAsItIsNowEvenIfItsFilesAreOlder) {
  const Folder folder;
  Store store = begun(folder.path());
  for (const auto &h : {handin("s", "first", "", 20), handin("s", "second", "", 10)}) {
    store.take_in(h);
    store.finish_taking_in();
    EXPECT_EQ(*store.student("s").hash_of("base.cu"), hash(h.files[0].content));
  }
  store.take_in(handin("s", "first", "", 20));  // and back again
  store.finish_taking_in();
  EXPECT_EQ(*store.student("s").hash_of("base.cu"), hash("first"));
}

TEST(Store, ImportingTheSameAgainChangesNothing) {
  const Folder folder;
  Store store = begun(folder.path());
  for (int i = 0; i < 3; ++i) store.take_in(handin("s", "text", "", 20));
  store.finish_taking_in();
  EXPECT_EQ(store.superseded(), 0u);
}

TEST(Store, AHandinSupersededByNameDoesNotCountHoweverLateItsTime) {
  const Folder folder;
  Store store = begun(folder.path());
  batch::Handin first = handin("s", "first", "", 30), second = handin("s", "second", "", 20);
  first.source = "attempt 1";
  second.source = "attempt 2";
  first.superseded_by = second.source;
  for (const auto &h : {second, first}) store.take_in(h);
  store.finish_taking_in();
  EXPECT_EQ(store.student("s").source, "attempt 2");
  // What the names say today holds.
  first.superseded_by.clear();
  second.superseded_by = first.source;
  for (const auto &h : {second, first}) store.take_in(h);
  store.finish_taking_in();
  EXPECT_EQ(store.student("s").source, "attempt 1");
}

TEST(Store, KeepsWhyAHandinMayBeAnotherStudents) {
  const Folder folder;
  Store store = begun(folder.path());
  batch::Handin h = handin("s", "text", "");
  h.id_mismatch = "its archive names 20261111";
  store.take_in(h);
  store.finish_taking_in();
  EXPECT_EQ(store.student("s").id_mismatch, "its archive names 20261111");
}

TEST(Store, ARowOfTheRosterIsAStudentAndNoHandin) {
  const Folder folder;
  Store store = begun(folder.path());
  batch::Handin nothing;
  nothing.student = "absent";
  store.take_in(nothing);
  store.finish_taking_in();
  EXPECT_EQ(store.students(), std::vector<std::string>{"absent"});
  EXPECT_FALSE(store.student("absent").handed_in_something());
}

TEST(Store, FilesWithTheSameBytesAreOneTask) {
  const Folder folder;
  Store store = begun(folder.path());
  store.take_in(handin("b", "same", "own"));
  store.take_in(handin("a", "same", "same"));
  store.finish_taking_in();
  // "same" as another step is another task; a's come first.
  EXPECT_EQ(store.pending(steps),
            (std::vector<Task>{{"base", hash("same")}, {"more", hash("same")}, {"more", hash("own")}}));
  EXPECT_EQ(store.students_with("base.cu", hash("same")), (std::vector<std::string>{"a", "b"}));
  store.keep({"base", hash("same")}, record("base"), 1);
  EXPECT_EQ(store.pending(steps).size(), 2u);
  EXPECT_EQ(store.tasks(steps), 3u);
}

TEST(Store, AResultRoundTrips) {
  const Folder folder;
  grading::StepRecord kept = record("base", judge::Verdict::race);
  kept.printed = std::string("\xff\0", 2);
  kept.cases.emplace_back().values = {{1, 2, 3}, {0.5}};
  {
    Store store = begun(folder.path());
    store.take_in(handin("s", "text", ""));
    store.finish_taking_in();
    store.keep({"base", hash("text")}, kept, 1.5);
  }
  const Store store(folder.path(), Store::Access::read);
  EXPECT_EQ(store.result({"base", hash("text")}), kept);
  EXPECT_FALSE(store.result({"more", hash("text")}));
  EXPECT_EQ(store.with_verdict(steps, judge::Verdict::race).size(), 1u);
}

TEST(Store, AResultCountsUntilItsReplacementArrives) {
  const Folder folder;
  Store store = begun(folder.path());
  store.take_in(handin("s", "text", ""));
  store.finish_taking_in();
  const Task task{"base", hash("text")};
  store.keep(task, record("base", judge::Verdict::grader_error), 1);
  EXPECT_TRUE(store.pending(steps).empty());
  store.want_again({task});
  EXPECT_EQ(store.pending(steps), std::vector<Task>{task});
  EXPECT_EQ(store.result(task)->verdict, judge::Verdict::grader_error);
  store.keep(task, record("base"), 1);
  EXPECT_EQ(store.result(task)->verdict, judge::Verdict::accepted);
  EXPECT_TRUE(store.pending(steps).empty());
}

TEST(Store, OtherConditionsAskForOtherResultsAndTheOldOnesAreFoundAgain) {
  const Folder folder;
  Store store = begun(folder.path());
  store.take_in(handin("s", "text", "text"));
  store.finish_taking_in();
  for (const char *step : {"base", "more"}) store.keep({step, hash("text")}, record(step), 1);
  store.grade_with(grading_of("base", R"({"cases": 7})"));
  EXPECT_EQ(store.pending(steps),
            (std::vector<Task>{{"base", hash("text")}}));  // the other step is as it was
  store.keep({"base", hash("text")}, record("base", judge::Verdict::race), 1);
  store.grade_with(grading_of("base"));
  EXPECT_EQ(store.result({"base", hash("text")})->verdict, judge::Verdict::accepted);
}

TEST(Store, AnEarlierResultCountsUntilThereIsOneUnderTheCurrentConditions) {
  const Folder folder;
  Store store = begun(folder.path());
  store.take_in(handin("s", "text", ""));
  store.finish_taking_in();
  const Task task{"base", hash("text")};
  EXPECT_FALSE(store.result_that_counts(task));
  store.keep(task, record("base", judge::Verdict::race), 1);
  store.grade_with(grading_of("base", R"({"cases": 7})"));
  EXPECT_FALSE(store.result(task));
  EXPECT_EQ(store.result_that_counts(task)->verdict, judge::Verdict::race);
  EXPECT_EQ(store.with_verdict(steps, judge::Verdict::race), std::vector<Task>{task});
  EXPECT_EQ(store.conditions_that_count(steps).at(0).conditions, "{}");
  EXPECT_EQ(store.pending(steps), std::vector<Task>{task});
  store.keep(task, record("base"), 1);
  EXPECT_EQ(store.result_that_counts(task)->verdict, judge::Verdict::accepted);
  EXPECT_EQ(store.conditions_that_count(steps).at(0).conditions, R"({"cases": 7})");
  EXPECT_TRUE(store.pending(steps).empty());
}

TEST(Store, AHandinThatAnOlderGradebookTookInGetsItsVariantWhenItIsSeenAgain) {
  const Folder folder;
  batch::Handin h = handin("a", "", "");
  h.files = {batch::HandedFile{"base.cu", "of ints", "element=int"}};
  {
    Store store = begun(folder.path());
    store.take_in(h);
    store.finish_taking_in();
  }
  batch::Database(folder.path() / "gradebook.db", batch::Database::Mode::write)
      .execute("DELETE FROM file_variant");
  Store store(folder.path(), Store::Access::create);
  ASSERT_TRUE(store.variants().empty());
  store.take_in(h);
  store.finish_taking_in();
  EXPECT_EQ(store.variants(), std::vector<std::string>{"element=int"});
}

TEST(Store, AFileOfAVariantHasConditionsOfItsOwn) {
  const Folder folder;
  Store store = begun(folder.path());
  const auto with = [](const std::string &text, const std::string &conditions, const std::string &variant) {
    batch::Grading g = grading_of("base", conditions);
    g.variant = variant;
    return std::pair(batch::HandedFile{"base.cu", text, variant}, g);
  };
  const auto [ints_file, ints] = with("of ints", R"({"cases": 1})", "element=int");
  const auto [doubles_file, doubles] = with("of doubles", R"({"cases": 2})", "element=double");
  for (const auto &[student, file] : {std::pair("a", ints_file), {"b", doubles_file}}) {
    batch::Handin h = handin(student, "", "");
    h.files = {file};
    store.take_in(h);
  }
  store.finish_taking_in();
  EXPECT_EQ(store.variants(), (std::vector<std::string>{"element=double", "element=int"}));
  store.grade_with(ints);
  store.grade_with(doubles);
  const Task a{"base", hash("of ints")}, b{"base", hash("of doubles")};
  EXPECT_EQ(store.pending(steps), (std::vector<Task>{a, b}));
  for (const Task &task : {a, b}) store.keep(task, record("base"), 1);
  EXPECT_TRUE(store.pending(steps).empty());
  EXPECT_EQ(store.conditions_that_count(steps).size(), 2u);
  for (const auto &[task, conditions, variant, students] : store.conditions_that_count(steps)) {
    EXPECT_EQ(conditions, task == a ? ints.conditions : doubles.conditions);
    EXPECT_EQ(variant, task == a ? "element=int" : "element=double");
    EXPECT_EQ(students, std::vector<std::string>{task == a ? "a" : "b"});
  }
  // What changes for one variant outdates its results alone, and so it is with the files as they are.
  store.grade_with(with("", R"({"cases": 3})", "element=int").second);
  store.grade_with(grading_of("base", R"({"cases": 4})"));
  EXPECT_EQ(store.pending(steps), std::vector<Task>{a});
  EXPECT_EQ(store.result_that_counts(a)->verdict, judge::Verdict::accepted) << "until there is another";
  EXPECT_FALSE(store.result(a));
  EXPECT_TRUE(store.result(b));
}

TEST(Store, AResultOfAnotherDeviceDoesNotCount) {
  const Folder folder;
  Store store = begun(folder.path());
  store.take_in(handin("s", "text", ""));
  store.finish_taking_in();
  const Task task{"base", hash("text")};
  store.keep(task, record("base"), 1);
  batch::Grading elsewhere = grading_of("base", R"({"device": "a GPU"})");
  elsewhere.device.name = "a GPU";
  store.grade_with(elsewhere);
  EXPECT_FALSE(store.result_that_counts(task));
  EXPECT_TRUE(store.place_of_result(task).empty());
}

TEST(Store, AResultAndWhatItCompletesAreWrittenTogetherOrNotAtAll) {
  const Folder folder;
  Store store = begun(folder.path());
  store.take_in(handin("s", "text", ""));
  store.finish_taking_in();
  const Task task{"base", hash("text")};
  const auto fails = [&] {
    store.keep_score({"s", "graded", 10, 10, 0, 0, 0, {}});
    throw std::runtime_error("in the middle");
  };
  EXPECT_THROW(store.keep(task, record("base"), 1, fails), std::runtime_error);
  EXPECT_FALSE(store.result(task));
  EXPECT_FALSE(store.score("s"));
  store.keep(task, record("base"), 1, [&] { store.keep_score({"s", "graded", 10, 10, 0, 0, 0, {}}); });
  EXPECT_TRUE(store.result(task));
  EXPECT_TRUE(store.score("s"));
}

TEST(Store, AScoreIsUnreportedUntilThatIsSaidAndAgainOnceItChanges) {
  const Folder folder;
  Store store = begun(folder.path());
  store.take_in_student("s");
  const batch::ScoreRow row{"s", "graded", 12.5, 15,
                            2,   1,        3,    {{"base", "accepted", 10, 10, 0}, {"more", "", {}, 5, 2}}};
  store.keep_score(row);
  EXPECT_EQ(store.score("s"), row);
  EXPECT_EQ(store.unreported(), std::vector<std::string>{"s"});
  store.reported("s");
  EXPECT_TRUE(store.unreported().empty());
  store.keep_score(row);
  EXPECT_EQ(store.unreported(), std::vector<std::string>{"s"});
}

TEST(Store, PointsGivenByHandReplaceEarlierOnesAndCanBeWithdrawn) {
  const Folder folder;
  Store store = begun(folder.path());
  store.take_in_student("s");
  store.override_points("s", {"base", 3, "a typing error"});
  store.override_points("s", {"base", 4, "two of them"});
  EXPECT_EQ(store.overrides("s"), (std::vector<score::Override>{{"base", 4, "two of them"}}));
  EXPECT_TRUE(store.withdraw_override("s", "base"));
  EXPECT_FALSE(store.withdraw_override("s", "base"));
  EXPECT_TRUE(store.overrides("s").empty());
}

/// As a disk that fails would leave it.
void spoil(const Folder &folder, const std::string &sql) {
  batch::Database database(folder / "gradebook.db", batch::Database::Mode::write);
  database.execute(sql.c_str());
}

TEST(Store, ADamagedResultAffectsOneStudentAndHasAPlace) {
  const Folder folder;
  const course::Assignment a = two_steps();
  {
    Store store = begun(folder.path());
    for (const char *student : {"s", "t"}) store.take_in(handin(student, student, ""));
    store.finish_taking_in();
    for (const char *text : {"s", "t"}) store.keep({"base", hash(text)}, record("base"), 1);
    const RulesOf rules = same_rules(a, {});
    for (const char *student : {"s", "t"}) store.keep_score(score_student(store, rules, student).row);
  }
  EXPECT_TRUE(damage_in(Store(folder.path(), Store::Access::read), a).empty());
  // One byte in the middle: the checksum detects it.
  spoil(folder,
        "UPDATE result SET record = CAST(substr(record, 1, 20) || x'01' || substr(record, 22) AS BLOB) "
        "WHERE id = 1");
  Store store(folder.path(), Store::Access::change);
  EXPECT_EQ(store.result({"base", hash("s")}), std::nullopt);
  EXPECT_TRUE(store.result({"base", hash("t")}));
  const batch::Damage expected{"s", "base", false, "gradebook.db, table result, row 1"};
  EXPECT_EQ(damage_in(store, a), std::vector{expected});
  const RulesOf rules = same_rules(a, {});
  EXPECT_TRUE(score_student(store, rules, "s").damaged);
  EXPECT_FALSE(score_student(store, rules, "t").damaged);
  store.want_again({{"base", hash("s")}});
  EXPECT_EQ(store.pending(steps).size(), 1u);
  store.keep({"base", hash("s")}, record("base"), 1);
  EXPECT_TRUE(damage_in(store, a).empty());
}

TEST(Store, ADamagedFileIsRestoredWhenItIsImportedAgain) {
  const Folder folder;
  const course::Assignment a = two_steps();
  {
    Store store = begun(folder.path());
    store.take_in(handin("s", "text", ""));
    store.finish_taking_in();
  }
  spoil(folder, "UPDATE file SET content = x'00'");
  Store store(folder.path(), Store::Access::change);
  EXPECT_EQ(store.file(hash("text")), std::nullopt);
  EXPECT_EQ(damage_in(store, a),
            std::vector{(batch::Damage{"s", "base", true, "gradebook.db, table file, row " + hash("text")})});
  store.take_in(handin("s", "text", ""));
  store.finish_taking_in();
  EXPECT_EQ(store.file(hash("text")), "text");
  EXPECT_TRUE(damage_in(store, a).empty());
}

}  // namespace
}  // namespace warpgrade::tests
