// Who it was that handed in: ids in names, ids on the roster, and several submissions of one student.
#include "a_class.hpp"
#include "batch/take_in.hpp"

namespace warpgrade::batch {
namespace {

using ::testing::ElementsAre;
using ::testing::ElementsAreArray;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class Ids : public ::testing::Test {
 protected:
  Taken take(const std::vector<Item> &items, const std::string &roster = "student\n20261234\n20265678\n") {
    return taken(scratch_.write_all("class", items),
                 {.roster = roster.empty() ? "" : scratch_.write("roster.csv", roster)});
  }
  Scratch scratch_;
};

TEST_F(Ids, AnIdThatIsNotOnTheRosterIsGradedAndFlagged) {
  const Taken all = take({zip("20261234_HW6.zip", ""), zip("20260000_HW6.zip", "")});
  EXPECT_EQ(all.of("20260000").id_mismatch, "20260000 is not on the roster.");
  EXPECT_THAT(names_of(all.of("20260000")), ElementsAreArray(steps));
  EXPECT_EQ(all.of("20261234").id_mismatch, "");
}

TEST_F(Ids, ARosterThatMatchesNoHandinIsAnErrorWithIdsOfBoth) {
  try {
    take({zip("20261234_HW6.zip", ""), zip("20265678_HW6.zip", "")}, "student,name\nfstudent,A\nspupil,B\n");
    FAIL();
  } catch (const course::ConfigError &e) {
    EXPECT_THAT(e.what(),
                HasSubstr("roster.csv:1: nobody on this roster handed in anything: its column 'student' has "
                          "'fstudent', 'spupil', and what was handed in is named '20261234', '20265678' "
                          "(layout 'id')"));
  }
}

TEST_F(Ids, TheRostersNameOfAStudentIsKept) {
  const Taken all =
      take({zip("20261234_HW6.zip", "")}, "student,name\n20261234,First Student\n20265678,Second Pupil\n");
  EXPECT_EQ(all.of("20261234").name, "First Student");
  EXPECT_EQ(all.of("20265678").name, "Second Pupil");
}

TEST_F(Ids, AStudentWithoutAHandinHasARow) {
  const Taken all = take({zip("20261234_HW6.zip", "")});
  const Handin &none = all.of("20265678");
  EXPECT_EQ(none.source, "");
  EXPECT_THAT(none.files, IsEmpty());
  EXPECT_THAT(none.notes, ElementsAre("Nothing was handed in."));
  EXPECT_EQ(none.refused + none.id_mismatch + none.superseded_by, "");
  EXPECT_EQ(all.survey.missing, 1u);
}

TEST_F(Ids, ADifferentIdInsideIsGradedAndFlaggedWithBoth) {
  const Taken all = take(
      below("20261234/", {zip("20265678_HW6.zip", "")}) + below("20265678/20265678_HW6/", all_steps()), "");
  EXPECT_EQ(all.of("20261234").id_mismatch,
            "It was handed in as 20261234's, and a name in it says 20265678.");
  EXPECT_THAT(names_of(all.of("20261234")), ElementsAreArray(steps));
  EXPECT_EQ(all.of("20265678").id_mismatch, "");
}

TEST_F(Ids, AnotherIdOfTheFolderInTheArchiveIsFlaggedToo) {
  const Taken all = take({{"20261234_HW6.zip", pack("zip", all_steps("20265678_HW6/"))}});
  EXPECT_EQ(all.of("20261234").id_mismatch,
            "It was handed in as 20261234's, and a name in it says 20265678.");
}

TEST_F(Ids, OnCanvasTheGradebookKnowsBothIds) {
  const char *gradebook =
      "Student,ID,SIS User ID,SIS Login ID,Section\n\"Student, First\",102030,20261234,fstudent,1\n\"Pupil, "
      "Second\",102031,20265678,spupil,1\n";
  const Taken all = take({zip("studentfirst_102030_5001_20261234_HW6.zip", ""),
                          zip("pupilsecond_102031_5002_20261234_HW6.zip", "")},
                         gradebook);
  EXPECT_EQ(all.of("102030").id_mismatch, "");
  EXPECT_EQ(all.of("102031").id_mismatch, "It was handed in as 102031's, and a name in it says 20261234.");
}

TEST_F(Ids, OnCanvasWithoutAGradebookTheyAreNotFlagged) {
  EXPECT_EQ(take({zip("studentfirst_102030_5001_20261234_HW6.zip", "")}, "").of("102030").id_mismatch, "");
}

TEST_F(Ids, ANameThatFitsNoLayoutIsGradedAndFlagged) {
  const Taken all =
      take({zip("20261234_HW6.zip", ""), zip("20265678_HW6.zip", ""), zip("final version.zip", "")}, "");
  EXPECT_EQ(all.survey.layout, "id");
  EXPECT_EQ(all.of("final version").id_mismatch,
            "The name 'final version.zip' does not match the layout 'id'; 'final version' is taken for the "
            "student's id.");
  EXPECT_THAT(names_of(all.of("final version")), ElementsAreArray(steps));
}

TEST_F(Ids, TheRosterSaysHowAnIdIsSpelled) {
  const Taken all = take({zip("fstudent_HW6.zip", "")}, "student\nFStudent\n");
  EXPECT_THAT(students(all), ElementsAre("FStudent"));
}

TEST_F(Ids, TwoSpellingsOfOneIdAreTwoStudentsAndFlagged) {
  const Taken all = take({zip("S1_HW6.zip", "one", 1'772'366'400), zip("s1_HW6-2.zip", "other")}, "");
  EXPECT_THAT(students(all), ElementsAre("S1", "s1"));
  for (const Handin &handin : all.handins) EXPECT_EQ(handin.superseded_by, "");
  EXPECT_EQ(
      all.of("S1").id_mismatch,
      "Something was handed in as 's1' too, which differs only in upper and lower case, and is taken for "
      "another student's.");
  EXPECT_THAT(all.of("s1").id_mismatch, HasSubstr("'S1'"));
}

TEST_F(Ids, TwoSpellingsOfAnIdOnTheRosterAreOneStudentAndFlagged) {
  const Taken all =
      take({zip("S1_HW6.zip", "one", 1'772'366'400), zip("s1_HW6-2.zip", "other")}, "student\ns1\n");
  ASSERT_THAT(students(all), ElementsAre("s1", "s1"));
  EXPECT_EQ(all.of("s1").source, "s1_HW6-2.zip");
  EXPECT_THAT(all.of("s1").id_mismatch, HasSubstr("'S1'"));
}

TEST_F(Ids, LooseFilesOfTwoSpellingsAreNotMixed) {
  course::Assignment assignment = hw6();
  assignment.submissions = {"pattern", "(?<student>[a-z]+)_(?<file>step.*)"};
  const Taken all = taken(
      scratch_.write_all("class", {{"bob_step0_naive.cu", "his"}, {"Bob_step1_coalesced.cu", "another's"}}),
      {}, assignment);
  EXPECT_THAT(names_of(all.of("bob")), ElementsAre("step0_naive.cu"));
  EXPECT_THAT(names_of(all.of("Bob")), ElementsAre("step1_coalesced.cu"));
}

TEST_F(Ids, TheLatestCountsByAttemptThenByTime) {
  const Taken all =
      take({zip("20261234_HW6-2.zip", "attempt 2", 1'772'000'000), zip("20261234_HW6.zip", "", 1'772'366'400),
            zip("20265678.zip", "late", 1'772'366'401), zip("20265678_HW6.zip", "early", 1'772'366'400)},
           "");
  EXPECT_EQ(all.of("20261234").source, "20261234_HW6-2.zip");
  EXPECT_EQ(all.of("20265678").source, "20265678.zip") << "it fits no layout but 'plain', and it is later";
}

TEST_F(Ids, InPlainFoldersTheLatestFileDecides) {
  const Taken all = take(below("20261234/", {{"step0_naive.cu", "old", 0100644, {}, 1'772'000'000}}) +
                             std::vector<Item>{zip("20261234.zip", "new")} + below("20265678/", all_steps()),
                         "");
  EXPECT_EQ(all.survey.layout, "plain");
  EXPECT_EQ(all.of("20261234").source, "20261234.zip");
  EXPECT_EQ(all.handins.at(1).superseded_by, "20261234.zip");
}

}  // namespace
}  // namespace warpgrade::batch
