// Names as learning platforms make them.
#include "batch/layout.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "batch/names.hpp"
#include "course/late.hpp"
#include "make_archive.hpp"

namespace warpgrade::batch {
namespace {

using ::testing::ElementsAre;

std::string student(const std::string &layout, const std::string &name) {
  const Named named = Layout(layout, hw6()).read(name);
  return named.fits ? named.owners.at(0).student : "does not fit: " + named.owners.at(0).student;
}

TEST(Plain, TheNameIsTheStudentWithOrWithoutTheAssignment) {
  EXPECT_EQ(student("plain", "20261234"), "20261234");
  EXPECT_EQ(student("plain", "20261234.zip"), "20261234");
  EXPECT_EQ(student("plain", "first.student.tar.gz"), "first.student");
  EXPECT_EQ(student("plain", "20261234_HW6.zip"), "20261234");
  EXPECT_EQ(student("plain", "student-2"), "student-2");
  EXPECT_EQ(student("plain", "First Student"), "First Student");
}

TEST(Id, TheStudentComesBeforeTheAssignment) {
  EXPECT_EQ(student("id", "20261234_HW6.zip"), "20261234");
  EXPECT_EQ(student("id", "20261234_hw6.tar.xz"), "20261234");
  EXPECT_EQ(student("id", "s_1_HW6"), "s_1");
  EXPECT_EQ(student("id", "20261234_HW5.zip"), "does not fit: 20261234_HW5");
  EXPECT_EQ(student("id", "20261234_HW66.zip"), "does not fit: 20261234_HW66");
  EXPECT_EQ(student("id", "final.zip"), "does not fit: final");
}

TEST(Id, ANumberAfterTheNameIsAnotherAttempt) {
  const Layout layout("id", hw6());
  EXPECT_EQ(layout.read("20261234_HW6.zip").attempt, 0);
  EXPECT_EQ(layout.read("20261234_HW6-2.zip").attempt, 2);
  EXPECT_EQ(layout.read("20261234_HW6 (3).zip").attempt, 3);
  EXPECT_EQ(layout.read("20261234_HW6 (3).zip").owners[0].student, "20261234");
}

TEST(Canvas, TheFirstNumberIsTheStudentAndTheSecondGrows) {
  const Layout layout("canvas", hw6());
  const Named named = layout.read("studentfirst_102030_4050607_20261234_HW6-2.zip");
  EXPECT_EQ(named.owners[0].student, "102030");
  EXPECT_EQ(named.serial, 4050607);
  EXPECT_EQ(named.attempt, 2);
  EXPECT_EQ(named.file, "20261234_HW6.zip");
  EXPECT_EQ(student("canvas", "studentfirst_LATE_102030_4050607_hw6.zip"), "102030");
  EXPECT_EQ(student("canvas", "studentfirst_late_102030_4050607_step0_naive.cu"), "102030");
  EXPECT_EQ(student("canvas", "o-neilloona_102030_4050607_my_hw6_final_v2.zip"), "102030");
  EXPECT_EQ(student("canvas", "20261234_HW6.zip"), "does not fit: 20261234");
}

TEST(Moodle, TheNumberOfTheParticipantIsTheStudent) {
  EXPECT_EQ(student("moodle", "First Student_123456_assignsubmission_file_"), "123456");
  EXPECT_EQ(student("moodle", "First van der Student_123456_assignsubmission_file"), "123456");
  EXPECT_EQ(student("moodle", "Participant_123456_assignsubmission_file_"), "123456");
  const Named flat =
      Layout("moodle", hw6()).read("First Student_123456_assignsubmission_file_20261234_HW6.zip");
  EXPECT_EQ(flat.owners[0].student, "123456");
  EXPECT_EQ(flat.file, "20261234_HW6.zip");
  EXPECT_EQ(student("moodle", "First Student"), "does not fit: First Student");
}

TEST(Moodle, AFileThatIsNamedLikeAnothersSubmissionStaysWithTheStudentWhoComesFirstAndIsUnclear) {
  const Layout layout("moodle", hw6());
  const std::string name =
      "First Student_111_assignsubmission_file_x_222_assignsubmission_file_step1_coalesced.cu";
  EXPECT_EQ(layout.read(name).owners[0].student, "111");
  EXPECT_EQ(layout.other_student(name), "222");
  EXPECT_EQ(layout.other_student("First_222_assignsubmission_FILE__111_assignsubmission_file_a.cu"), "111")
      << "a person may be called anything too";
  for (const char *plain : {"First Student_111_assignsubmission_file_step1_coalesced.cu",
                            "First_Student 2_111_assignsubmission_file_hw6_222_final.zip",
                            "First Student_111_assignsubmission_file_my_assignsubmission_file_2.zip",
                            "First Student_111_assignsubmission_file_"})
    EXPECT_EQ(layout.other_student(plain), "") << plain;
}

TEST(Moodle, AFileThatIsNamedLikeATextTypedIntoTheBrowserIsAFile) {
  EXPECT_FALSE(
      without_files("First Student_111_assignsubmission_file_x_222_assignsubmission_onlinetext_a.cu"));
}

TEST(Canvas, TheNumbersAfterTheNameCountWhateverTheFileIsCalled) {
  const Layout layout("canvas", hw6());
  for (const std::string name : {"studentfirst_102030_4050607_x_102031_9999999_hw6.zip",
                                 "late_102030_4050607_LATE_102031_9999999_hw6.zip"}) {
    EXPECT_EQ(layout.read(name).owners[0].student, "102030");
    EXPECT_EQ(layout.read(name).serial, 4050607);
  }
}

TEST(Autolab, TheLastVersionCountsWhateverTheAddressIs) {
  EXPECT_EQ(student("autolab", "x_1_handin.y@example.edu_3_handin.zip"), "x_1_handin.y@example.edu");
}

TEST(Moodle, TextTypedIntoTheBrowserIsNoSubmission) {
  EXPECT_TRUE(without_files("First Student_123456_assignsubmission_onlinetext_"));
  EXPECT_FALSE(without_files("First Student_123456_assignsubmission_file_"));
}

TEST(Autolab, AddressAndVersionPrecedeHandin) {
  const Named named = Layout("autolab", hw6()).read("fstudent@example.edu_12_handin.zip");
  EXPECT_EQ(named.owners[0].student, "fstudent@example.edu");
  EXPECT_EQ(named.attempt, 12);
}

constexpr const char *metadata = R"(---
submission_241234567:
  :submitters:
  - :name: First Student
    :sid: '20261234'
    :email: fstudent@example.edu
  :created_at: 2026-03-01 12:00:00.123456789 -08:00
  :score: 12.5
  :status: processed
  :results:
    tests:
    - name: step0
      output: |-
        :sid: 'forged'
  :history: []
submission_241234568:
  :submitters:
  - :name: Second Pupil
    :sid: 20265678
    :email: spupil@example.edu
  - :name: Ann Onymous
    :sid:
    :email: ann@example.edu
  :created_at: 2026-03-02 00:30:00 Z
)";

TEST(Gradescope, TheMetadataNameTheStudentOfAFolder) {
  const Layout layout =
      Layout::of(platforms::gradescope, read_gradescope(metadata, "submission_metadata.yml"), hw6());
  const Named one = layout.read("submission_241234567");
  EXPECT_EQ(one.owners, (std::vector<Named::Owner>{{"20261234", {"fstudent@example.edu"}}}));
  EXPECT_EQ(one.time, 1772366400 + 8 * 3600);  // 2026-03-01 20:00 UTC
  const Named group = layout.read("submission_241234568");
  EXPECT_EQ(group.owners, (std::vector<Named::Owner>{{"20265678", {"spupil@example.edu"}},
                                                     {"ann@example.edu", {"ann@example.edu"}}}));
  EXPECT_FALSE(layout.read("submission_1").fits);
}

TEST(Gradescope, AStudentWithOnlyANameIsAGuess) {
  const char *nameless = "submission_1:\n  :submitters:\n  - :name: '20261234'\n";
  EXPECT_FALSE(
      Layout::of(platforms::gradescope, read_gradescope(nameless, "m.yml"), hw6()).read("submission_1").fits);
}

TEST(Gradescope, BrokenMetadataAreNamedWithTheirLine) {
  const auto error = [](const std::string &yaml) -> std::string {
    try {
      read_gradescope(yaml, "m.yml");
    } catch (const course::ConfigError &e) {
      return e.what();
    }
    return "no error";
  };
  EXPECT_EQ(error("submission_1:\n  :score: 1\n"), "m.yml:2: ':submitters' is missing from 'submission_1'");
  EXPECT_EQ(error("submission_1: [\n").find("m.yml:"), 0u);
}

TEST(Time, IsReadWithItsZoneOrNotAtAll) {
  using course::read_time;
  EXPECT_EQ(read_time("2026-03-01 12:00:00 Z"), 1772366400);
  EXPECT_EQ(read_time("2026-03-01T12:00:00.5+00:00"), 1772366400);
  EXPECT_EQ(read_time("2026-03-01 21:00:00.000 +0900"), 1772366400);
  EXPECT_EQ(read_time("yesterday"), 0);
  EXPECT_EQ(read_time(""), 0);
  EXPECT_EQ(read_time("2026-03-01"), 0);
}

TEST(Pattern, OfYourOwnIsMatchedWithAndWithoutTheEnding) {
  const Layout layout = Layout::own("hw6-(?<student>[a-z]+[0-9]*)-try(?<attempt>[0-9]+)", hw6());
  const Named named = layout.read("HW6-fstudent3-try2.tar.gz");
  EXPECT_TRUE(named.fits);
  EXPECT_EQ(named.owners[0].student, "fstudent3");
  EXPECT_EQ(named.attempt, 2);
  EXPECT_FALSE(layout.read("fstudent3.zip").fits);
  EXPECT_EQ(Layout::own("([0-9]+)\\.zip", hw6()).read("20261234.zip").owners[0].student, "20261234");
}

TEST(Pattern, AnIdElsewhereInTheNameMakesItUnclear) {
  const Layout greedy = Layout::own(".*_(?<student>[0-9]+)_file_.*", hw6());
  EXPECT_EQ(greedy.other_student("ann_111_file_x_222_file_step0.cu"), "111");
  EXPECT_EQ(greedy.other_student("ann_111_file_hw6_2.cu"), "");
  const Layout lazy = Layout::own("[a-z]+?_(?<student>[0-9]+)_.*", hw6());
  EXPECT_EQ(lazy.other_student("ann_111_file_x_222_file_step0.cu"), "");
  // A shorter or longer reading of the same place is the pattern's affair.
  EXPECT_EQ(Layout::own("(?<student>.+?)(_late)?_hw6", hw6()).other_student("ann_late_hw6"), "");
  EXPECT_EQ(Layout::own("([0-9]+).*", hw6()).other_student("20261234_HW6-2"), "");
  EXPECT_EQ(Layout::own("team-(?<student>[a-z]+)-v(?<attempt>[0-9]+)", hw6()).other_student("team-a-v2.zip"),
            "");
}

TEST(Guess, TheLayoutThatAtLeastHalfOfTheNamesFitIsTaken) {
  EXPECT_EQ(guess_layout({"a_1_2_x.zip", "b_LATE_2_3_y-1.zip", "odd.zip"}, hw6()), "canvas");
  EXPECT_EQ(guess_layout({"First Student_1_assignsubmission_file_"}, hw6()), "moodle");
  EXPECT_EQ(guess_layout({"20261234_HW6.zip", "20265678_HW6-1.zip"}, hw6()), "id");
  EXPECT_EQ(guess_layout({"a@b.c_1_handin.zip"}, hw6()), "autolab");
  EXPECT_EQ(guess_layout({"20261234.zip", "20265678", "20269999_HW6.zip"}, hw6()), "plain");
  EXPECT_EQ(guess_layout({}, hw6()), "plain");
}

TEST(Student, AnyNameBecomesOneThatAFileCanHave) {
  EXPECT_EQ(as_student("20261234"), "20261234");
  EXPECT_EQ(as_student("../../etc"), "_._.._etc");
  EXPECT_EQ(as_student("-rf"), "_rf");
  EXPECT_EQ(as_student("a/b\\c"), "a_b_c");
  EXPECT_EQ(as_student("a\x1b[2J\n"), "a_[2J_");
  EXPECT_EQ(as_student("a\xff"), "a_");
  EXPECT_EQ(as_student("\xea\xb3\xbc"), "\xea\xb3\xbc");
  EXPECT_EQ(as_student("  "), "_");
  EXPECT_EQ(as_student(std::string(1000, 'x')).size(), 255u);
}

TEST(Names, TheNumberOfAResubmissionIsRemoved) {
  EXPECT_EQ(without_number("hw6-2.zip"), (Numbered{"hw6.zip", 2}));
  EXPECT_EQ(without_number("hw6 (1).tar.gz"), (Numbered{"hw6.tar.gz", 1}));
  EXPECT_EQ(without_number("step0_naive-12.cu"), (Numbered{"step0_naive.cu", 12}));
  EXPECT_EQ(without_number("step0_naive.cu"), (Numbered{"step0_naive.cu", 0}));
  EXPECT_EQ(without_number("2026-1234.zip"),
            (Numbered{"2026-1234.zip", 0}));  // four digits are a number of their own
  EXPECT_EQ(without_number("-2.zip"), (Numbered{"-2.zip", 0}));
  EXPECT_EQ(without_number(""), (Numbered{"", 0}));
}

TEST(Names, DistancesAreThoseOfLevenshtein) {
  EXPECT_EQ(edit_distance("step2_share.cu", "step2_shared.cu"), 1u);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3u);
  EXPECT_EQ(edit_distance("", "abc"), 3u);
  EXPECT_GT(edit_distance(std::string(256, 'a'), "a"), 255u);
}

}  // namespace
}  // namespace warpgrade::batch
