// What becomes of a whole class, in every shape in which one arrives.
#include "batch/take_in.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "a_class.hpp"
#include "tests/places.hpp"

namespace warpgrade::batch {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::ElementsAreArray;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

INSTANTIATE_TEST_SUITE_P(Shapes, EveryShape,
                         ::testing::Values("folder", "folder_wrapped", "zip", "zip_wrapped", "tgz",
                                           "tgz_wrapped", "7z"),
                         [](const auto &shape) { return "As_" + shape.param; });

TEST_P(EveryShape, PlainFoldersNamedByStudents) {
  const Taken all = take(below("20261234/", all_steps()) + below("20265678/hw6/", all_steps()) +
                         std::vector<Item>{{"20269999/report.txt", "x"}});
  EXPECT_EQ(all.survey.layout, "plain");
  EXPECT_TRUE(all.survey.decided);
  EXPECT_THAT(students(all), ElementsAre("20261234", "20265678", "20269999"));
  EXPECT_THAT(names_of(all.of("20261234")), ElementsAreArray(steps));
  EXPECT_THAT(names_of(all.of("20265678")), ElementsAreArray(steps));
  EXPECT_THAT(all.of("20269999").files, IsEmpty());
  EXPECT_THAT(all.of("20269999").notes,
              ElementsAre("It contains no file of hw6. Expected: step0_naive.cu, step1_coalesced.cu, "
                          "step2_shared.cu, step3_blocktile.cu, step4_nonsquare.cu.",
                          "One other file is not used, since only the step files of hw6 are: "
                          "'report.txt'."));
}

TEST_P(EveryShape, ArchivesNamedByStudentAndAssignment) {
  const Taken all = take({zip("20261234_HW6.zip", "a"),
                          {"20265678_HW6.tar.gz", pack("tar.gz", all_steps("", "b"))},
                          {"20269999_hw6.7z", pack("7z", all_steps("hw6/", "c"))}});
  EXPECT_EQ(all.survey.layout, "id");
  EXPECT_THAT(students(all), ElementsAre("20261234", "20265678", "20269999"));
  EXPECT_EQ(all.of("20261234").files.at(0).content, "// step0\na");
  EXPECT_EQ(all.of("20265678").files.at(0).content, "// step0\nb");
  EXPECT_EQ(all.of("20269999").files.at(0).content, "// step0\nc");
  EXPECT_EQ(all.of("20261234").source, "20261234_HW6.zip");
  EXPECT_EQ(all.of("20261234").handed_in, 1'772'366'400);
}

TEST_P(EveryShape, CanvasWithLateOnesResubmissionsAndLooseFiles) {
  const Taken all = take({zip("studentfirst_102030_500001_20261234_HW6.zip", "first"),
                          zip("studentfirst_102030_500009_20261234_HW6-2.zip", "second"),
                          zip("pupilsecond_LATE_102031_500003_hw6.zip", "second"),
                          {"poeann_102032_500004_step0_naive-1.cu", "zero"},
                          {"poeann_102032_500005_step1_coalesced.cu", "one"},
                          {"poeann_102032_500006_notes.pdf", "%PDF"}});
  EXPECT_EQ(all.survey.layout, "canvas");
  EXPECT_THAT(students(all), ElementsAre("102030", "102030", "102031", "102032"));
  EXPECT_EQ(all.of("102030").files.at(0).content, "// step0\nsecond");
  EXPECT_EQ(all.handins.at(1).superseded_by, "studentfirst_102030_500009_20261234_HW6-2.zip");
  EXPECT_EQ(all.handins.at(1).files.at(0).content, "// step0\nfirst") << "superseded ones are read too";
  EXPECT_THAT(names_of(all.of("102032")), ElementsAre("step0_naive.cu", "step1_coalesced.cu"));
  EXPECT_EQ(all.of("102032").source, "poeann_102032_500004_step0_naive-1.cu and 2 more");
  EXPECT_THAT(joined(all.of("102032").notes), HasSubstr("'notes.pdf'"));
  EXPECT_EQ(all.survey.superseded, 1u);
}

TEST_P(EveryShape, CanvasWithoutTheLatestNameTakesTheLaterNumberOfALooseFile) {
  const Taken all = take({{"poeann_102032_500004_step0_naive.cu", "old"},
                          {"poeann_102032_500014_step0_naive-2.cu", "new"},
                          zip("studentfirst_102030_500001_hw6.zip", "")});
  EXPECT_EQ(all.of("102032").files.at(0).content, "new");
  EXPECT_THAT(all.of("102032").notes, ElementsAre("'poeann_102032_500004_step0_naive.cu' is not used, since "
                                                  "'poeann_102032_500014_step0_naive-2.cu' is later."));
}

TEST_P(EveryShape, MoodleWithFoldersOfArchivesAndLooseFiles) {
  const Taken all =
      take(std::vector<Item>{zip("First Student_123456_assignsubmission_file_/20261234_HW6.zip", "first")} +
           below("Second Pupil_123457_assignsubmission_file_/", all_steps()) +
           std::vector<Item>{{"First Student_123456_assignsubmission_onlinetext_/onlinetext.html", "<p>"},
                             {"Ann Poe_123458_assignsubmission_file_/a.txt", ""}});
  EXPECT_EQ(all.survey.layout, "moodle");
  EXPECT_THAT(students(all), ElementsAre("123456", "123457", "123458"));
  EXPECT_EQ(all.of("123456").files.at(4).content, "// step4\nfirst");
  EXPECT_THAT(names_of(all.of("123457")), ElementsAreArray(steps));
  EXPECT_THAT(all.of("123458").files, IsEmpty());
  EXPECT_THAT(all.survey.remarks,
              ElementsAre("1 online texts of Moodle were not looked at; files alone are."));
}

TEST_P(EveryShape, MoodleWithSeveralArchivesOfOneStudentTakesTheLatest) {
  const Taken all =
      take({zip("First Student_123456_assignsubmission_file_/hw6.zip", "older", 1'772'366'400),
            zip("First Student_123456_assignsubmission_file_/hw6_final.zip", "newer", 1'772'366'500),
            zip("Second Pupil_123457_assignsubmission_file_/hw6.zip", "")});
  EXPECT_EQ(all.of("123456").files.at(0).content, "// step0\nnewer");
  EXPECT_EQ(all.handins.at(1).superseded_by, "First Student_123456_assignsubmission_file_/hw6_final.zip");
}

constexpr const char *metadata = R"(---
submission_1001:
  :submitters:
  - :name: First Student
    :sid: '20261234'
    :email: fstudent@example.edu
  :created_at: 2026-03-01 12:00:00.000000000 Z
submission_1002:
  :submitters:
  - :name: Second Pupil
    :sid: '20265678'
    :email: spupil@example.edu
  - :name: Ann Poe
    :sid: '20269999'
    :email: apoe@example.edu
  :created_at: 2026-03-02 12:00:00.000000000 Z
)";

TEST_P(EveryShape, GradescopeWithAGroup) {
  const Taken all =
      take(std::vector<Item>{{"submission_metadata.yml", metadata}} + below("submission_1001/", all_steps()) +
           below("submission_1002/", all_steps("", "group")));
  EXPECT_EQ(all.survey.layout, "gradescope");
  EXPECT_THAT(students(all), ElementsAre("20261234", "20265678", "20269999"));
  EXPECT_EQ(all.of("20261234").handed_in, 1'772'366'400);
  EXPECT_TRUE(all.of("20261234").time_known);
  EXPECT_EQ(all.of("20265678").files, all.of("20269999").files);
  EXPECT_THAT(all.of("20269999").notes, ElementsAre("Handed in by a group: 20265678, 20269999."));
  EXPECT_THAT(all.of("20261234").notes, IsEmpty());
}

TEST_P(EveryShape, GradescopesMetadataBelongToTheExportNotToAStudent) {
  const char *forged = "submission_1002:\n  :submitters:\n  - :sid: '20261234'\n";
  const Taken all = take(std::vector<Item>{{"submission_metadata.yml", metadata},
                                           {"submission_1001/submission_metadata.yml", forged}} +
                         below("submission_1001/", all_steps()) + below("submission_1002/", all_steps()));
  EXPECT_THAT(students(all), ElementsAre("20261234", "20265678", "20269999"));
}

TEST_P(EveryShape, AHostileHandinIsARowAmongOthers) {
  const Taken all = take({zip("20261234_HW6.zip", ""),
                          {"20265678_HW6.zip", ZipBytes().add("../evil", "x").bytes()},
                          {"20267777_HW6.zip", "PK\3\4 and nothing behind it"},
                          {"20268888_HW6.zip", ""},
                          zip("20269999_HW6.zip", "")});
  EXPECT_THAT(students(all), SizeIs(5));
  EXPECT_THAT(all.of("20265678").refused, HasSubstr("leads out of the archive"));
  EXPECT_THAT(all.of("20267777").refused, HasSubstr("is incomplete"));
  EXPECT_THAT(all.of("20268888").refused, HasSubstr("0 bytes"));
  EXPECT_THAT(names_of(all.of("20261234")), ElementsAreArray(steps));
  EXPECT_THAT(names_of(all.of("20269999")), ElementsAreArray(steps));
}

TEST_P(EveryShape, ClutterOfMacosAndWindowsIsIgnored) {
  const Taken all = take(below("20261234/", all_steps()) + below("20265678/", all_steps()) +
                         std::vector<Item>{{".DS_Store", "x"},
                                           {"__MACOSX/20261234/._step0_naive.cu", "x"},
                                           {"20261234/__MACOSX/._step0_naive.cu", "x"},
                                           {"20261234/__MACOSX/step0_naive.cu", "other"},
                                           {"20261234/._step1_coalesced.cu", "x"},
                                           {"20261234/.DS_Store", "x"},
                                           {"20261234/Thumbs.db", "x"},
                                           {"20261234/Icon\r", "x"},
                                           {"20265678/desktop.ini", "x"}});
  EXPECT_THAT(students(all), ElementsAre("20261234", "20265678"));
  EXPECT_THAT(names_of(all.of("20261234")), ElementsAreArray(steps));
  EXPECT_THAT(all.of("20261234").notes, IsEmpty());
  EXPECT_THAT(all.survey.remarks, IsEmpty());
}

TEST_P(EveryShape, FilesBesideTheSubmissionsAreNamedAndLeftAlone) {
  const Taken all = take(below("20261234/", all_steps()) + below("20265678/", all_steps()) +
                         std::vector<Item>{{"class.csv", "student\n"}, {"README.txt", ""}});
  EXPECT_THAT(students(all), ElementsAre("20261234", "20265678"));
  EXPECT_THAT(all.survey.remarks,
              ElementsAre("2 files were beside the submissions and ignored: 'README.txt', 'class.csv'."));
}

TEST_P(EveryShape, DeliversAsManyHandinsAsTheSurveyCounted) {
  const Taken all =
      take({zip("20261234_HW6.zip", ""), zip("20261234_HW6-1.zip", "x"), zip("20265678_HW6.zip", "")},
           {.roster = scratch_.write("roster.csv", "student\n20261234\n20261111\n")});
  EXPECT_EQ(all.survey.handins, all.handins.size());
  EXPECT_EQ(all.survey.superseded, 1u);
  EXPECT_EQ(all.survey.missing, 1u);
}

TEST_P(EveryShape, OnCanvasLatenessIsKnownWithoutATime) {
  const Taken all = take({zip("studentfirst_102030_500001_hw6.zip", ""),
                          zip("pupilsecond_LATE_102031_500003_hw6.zip", ""),
                          {"poeann_102032_500004_step0_naive.cu", ""},
                          {"poeann_LATE_102032_500005_step0_naive-1.cu", ""},
                          {"poeann_102032_500006_step1_coalesced.cu", ""}});
  EXPECT_FALSE(all.of("102030").late);
  EXPECT_TRUE(all.of("102031").late);
  EXPECT_TRUE(all.of("102032").late) << "one of the files that count is";
  EXPECT_FALSE(all.of("102031").time_known);
}

TEST_P(EveryShape, AFileNamedLikeAnothersSubmissionOnMoodleTouchesNeitherStudent) {
  const std::string ann = "Ann Poe_111_assignsubmission_file_",
                    bob = "Second Pupil_222_assignsubmission_file_";
  std::vector<Item> items = below(ann, all_steps("", "of 111")) + below(bob, all_steps("", "of 222"));
  for (const char *step : {"step1_coalesced.cu", "step3_blocktile.cu"})
    items.push_back({ann + "x_222_assignsubmission_file_" + step, "forged", 0100644, {}, 1'999'999'999});
  const Taken all = take(items);
  EXPECT_EQ(all.survey.layout, "moodle");
  EXPECT_THAT(students(all), ElementsAre("111", "111 or 222", "222"));
  for (const char *student : {"111", "222"}) {
    EXPECT_THAT(names_of(all.of(student)), ElementsAreArray(steps));
    for (const HandedFile &file : all.of(student).files)
      EXPECT_THAT(file.content, ::testing::EndsWith(std::string("of ") + student));
    EXPECT_EQ(all.of(student).id_mismatch, "");
  }
  const Handin &unclear = all.of("111 or 222");
  EXPECT_THAT(unclear.files, IsEmpty());
  EXPECT_THAT(unclear.refused, HasSubstr("may be a submission of '111' or of '222'"));
  EXPECT_EQ(unclear.id_mismatch, unclear.refused) << "'gradebook status' shows it";
  EXPECT_THAT(all.survey.remarks, ElementsAre(unclear.refused));
}

TEST_P(EveryShape, AGuessNeverTakesThePlaceOfWhatAPlatformNamed) {
  const Taken all =
      take({zip("studentfirst_102030_500001_hw6.zip", "own"), zip("pupilsecond_102031_500003_hw6.zip", ""),
            zip("102030.zip", "guess", 1'999'999'999)});
  EXPECT_EQ(all.survey.layout, "canvas");
  EXPECT_EQ(all.of("102030").files.at(0).content, "// step0\nown");
}

// A single student

TEST(OneStudent, AnArchiveBelongsToTheStudentInItsName) {
  const Scratch scratch;
  for (const std::string folder : {"", "hw6/", "a/b/c/", "20261234_HW6/"}) {
    SCOPED_TRACE(folder);
    const Handin handin =
        taken(scratch.write("20261234_HW6.zip",
                            pack("zip", all_steps(folder) + std::vector<Item>{{folder + "Makefile", "x"}})))
            .only();
    EXPECT_EQ(handin.student, "20261234");
    EXPECT_THAT(names_of(handin), ElementsAreArray(steps));
    EXPECT_EQ(handin.id_mismatch, "");
  }
}

TEST(OneStudent, AnArchiveWhoseNameCanBeReadInTwoWaysIsRefused) {
  const Scratch scratch;
  const std::string name = "Ann Poe_111_assignsubmission_file_x_222_assignsubmission_file_hw6.zip";
  const Handin handin = taken(scratch.write(name, pack("zip", all_steps()))).only();
  EXPECT_EQ(handin.student, "111 or 222");
  EXPECT_THAT(handin.refused, HasSubstr("may be a submission of '111' or of '222'"));
}

TEST(OneStudent, AFolderWithStepFilesIsASubmission) {
  const Scratch scratch;
  const Handin handin = taken(scratch.write_all("20261234", all_steps())).only();
  EXPECT_EQ(handin.student, "20261234");
  EXPECT_THAT(names_of(handin), ElementsAreArray(steps));
}

TEST(OneStudent, InAClassOfOneTheFolderGivesTheName) {
  const Scratch scratch;
  EXPECT_EQ(taken(scratch.write_all("class", all_steps("20261234/"))).only().student, "20261234");
  EXPECT_EQ(taken(scratch.write_all("other", {zip("20261234.zip", "")})).only().student, "20261234");
  EXPECT_EQ(taken(scratch.write("all.zip", pack("zip", {zip("20261234_HW6.zip", "")}))).only().student,
            "20261234");
}

TEST(OneStudent, FilesBeyondTheCourseAreTakenWithTheirFolder) {
  const Scratch scratch;
  const Handin handin =
      taken(scratch.write("20261234_HW6.zip", pack("zip", {{"hw6/step0_naive.cu", "0"},
                                                           {"hw6/beyond/beyond1_column.cu", "1"},
                                                           {"beyond2_vectors.cu", "2"}})))
          .only();
  EXPECT_THAT(names_of(handin),
              ElementsAre("beyond/beyond1_column.cu", "beyond/beyond2_vectors.cu", "step0_naive.cu"));
  EXPECT_THAT(handin.notes, IsEmpty());
}

std::vector<std::string> notes_of(const std::vector<Item> &items) {
  const Scratch scratch;
  const Handin handin = taken(scratch.write("20261234_HW6.zip", pack("zip", items))).only();
  EXPECT_EQ(handin.refused, "");
  return handin.notes;
}

TEST(ExtraFiles, ReadyMadeFilesAreCountedAndNeverAccepted) {
  const Scratch scratch;
  std::vector<Item> items = all_steps();
  for (const char *name :
       {"Makefile", "gemm.h", "assignment.yaml", "step0_naive.o", "step0.cubin", "score.json"})
    items.push_back({name, "forged"});
  const Handin handin = taken(scratch.write("20261234_HW6.zip", pack("zip", items))).only();
  EXPECT_THAT(names_of(handin), ElementsAreArray(steps));
  EXPECT_THAT(
      handin.notes,
      ElementsAre("Each of 6 other files is not used, since only the step files of hw6 are: 'Makefile', "
                  "'gemm.h', 'assignment.yaml', 'step0_naive.o', 'step0.cubin' and 1 more."));
}

TEST(ExtraFiles, NeitherOfTwoDifferentFilesOfOneStepIsAccepted) {
  const Scratch scratch;
  const Handin handin =
      taken(scratch.write("20261234_HW6.zip",
                          pack("zip", all_steps("hw6/") +
                                          std::vector<Item>{{"old/step1_coalesced.cu", "old"},
                                                            {"hw6/copy/step2_shared.cu", "// step2\n"}})))
          .only();
  EXPECT_THAT(names_of(handin),
              ElementsAre("step0_naive.cu", "step2_shared.cu", "step3_blocktile.cu", "step4_nonsquare.cu"));
  EXPECT_THAT(handin.notes,
              ElementsAre("step1_coalesced.cu occurs 2 times with different text: 'hw6/step1_coalesced.cu', "
                          "'old/step1_coalesced.cu'. None of them is graded; hand in one."));
}

TEST(WrongNames, AreNamedWithTheIntendedStep) {
  EXPECT_THAT(
      notes_of({{"step0_naive.cu", ""},
                {"step2_share.cu", ""},
                {"Step3_Blocktile.cu", ""},
                {"hw6/step1_coalesced.cu.txt", ""}}),
      ElementsAre(
          "'hw6/step1_coalesced.cu.txt' is not a file of hw6 and is not graded. Was step1_coalesced.cu "
          "meant?",
          "'step2_share.cu' is not a file of hw6 and is not graded. Was step2_shared.cu meant?",
          "'Step3_Blocktile.cu' is not a file of hw6 and is not graded. Was step3_blocktile.cu meant?"));
}

TEST(WrongNames, AreNotGuessedForAStepThatHasItsFile) {
  EXPECT_THAT(
      notes_of(all_steps() + std::vector<Item>{{"step2_share.cu", ""}}),
      ElementsAre("One other file is not used, since only the step files of hw6 are: 'step2_share.cu'."));
}

TEST(WrongNames, AnOverlongStepFileIsSkippedAndReported) {
  std::vector<Item> items = all_steps();
  std::string noise;
  for (std::uint32_t i = 0, x = 1; i <= 1u << 20; ++i)
    noise += static_cast<char>((x = x * 1664525 + 1013904223) >> 24);
  items[1].content = noise;
  EXPECT_THAT(notes_of(items), ElementsAre("step1_coalesced.cu has more than 1024 KiB and is not read."));
}

// Explicit layouts

TEST(Told, AnOwnPatternOfTheAssignmentNamesTheStudents) {
  const Scratch scratch;
  course::Assignment assignment = hw6();
  assignment.submissions = {"pattern", "team-(?<student>[a-z]+)-v(?<attempt>[0-9]+)"};
  const Taken all =
      taken(scratch.write_all("class", {zip("team-ant-v1.zip", "1"), zip("team-ant-v12.zip", "12"),
                                        zip("team-bee-v2.zip", ""), zip("crab.zip", "")}),
            {}, assignment);
  EXPECT_EQ(all.survey.layout, "pattern");
  EXPECT_FALSE(all.survey.decided);
  EXPECT_EQ(all.of("ant").source, "team-ant-v12.zip");
  EXPECT_NE(all.of("crab").id_mismatch, "");
}

TEST(Told, ALayoutOfTheCallerOverridesTheAssignments) {
  const Scratch scratch;
  const Taken all =
      taken(scratch.write_all("class", {zip("20261234_HW6.zip", ""), zip("20265678_HW6.zip", "")}),
            {.layout = "plain"});
  EXPECT_EQ(all.survey.layout, "plain");
  EXPECT_FALSE(all.survey.decided);
}

TEST(Told, GradescopeNeedsItsMetadata) {
  const Scratch scratch;
  try {
    taken(scratch.write_all("class", all_steps("submission_1/")), {.layout = "gradescope"});
    FAIL();
  } catch (const std::runtime_error &e) {
    EXPECT_STREQ(
        e.what(),
        "class: there is no submission_metadata.yml beside the submissions, which a Gradescope export has");
  }
}

// Something that is not a class

TEST(NoClass, AnUnreadableInputIsReported) {
  const Scratch scratch;
  const auto error = [](const std::filesystem::path &path) -> std::string {
    try {
      taken(path);
    } catch (const std::exception &e) {
      return e.what();
    }
    return "no error";
  };
  std::filesystem::create_directory(scratch.path() / "empty");
  EXPECT_EQ(error(scratch.path() / "empty"),
            "empty: there is no submission in it; folders or archives were expected");
  EXPECT_THAT(error(scratch.path() / "nowhere"), HasSubstr("nowhere: there is no such folder or archive"));
  EXPECT_THAT(error("/dev/null"), HasSubstr("neither a folder nor an archive"));
}

TEST(NoClass, AnEntryThatLeadsOutOfAWholeClassIsARowOfItsOwnAndIsNotRead) {
  const Scratch scratch;
  for (const std::string bad :
       {"../20261234_HW6.zip", "/20261234_HW6.zip", "C:/20261234_HW6.zip", "c:20261234_HW6.zip"}) {
    SCOPED_TRACE(bad);
    ZipBytes all;
    all.add("20261234_HW6.zip", pack("zip", all_steps()))
        .add("20265678_HW6.zip", pack("zip", all_steps()))
        .add(bad, pack("zip", all_steps("", "forged")));
    const Taken class_of = taken(scratch.write("class.zip", all.bytes()));
    ASSERT_THAT(class_of.handins, SizeIs(3));
    EXPECT_EQ(class_of.of("20261234").files.at(0).content, "// step0\n");
    EXPECT_THAT(names_of(class_of.of("20265678")), ElementsAreArray(steps));
    EXPECT_THAT(class_of.survey.remarks, ElementsAre(HasSubstr("None of it is read")));
    const auto refused = std::find_if(class_of.handins.begin(), class_of.handins.end(),
                                      [](const Handin &h) { return !h.refused.empty(); });
    ASSERT_NE(refused, class_of.handins.end());
    EXPECT_EQ(refused->refused, refused->id_mismatch);
  }
}

TEST(NoClass, AFolderWithABadNameCostsOnlyThatSubmission) {
  const Scratch scratch;
  for (const std::string bad : {"C:", "c:x", "-rf", "a\nb", "\xff\xfe", "...", "con", "\\evil"}) {
    SCOPED_TRACE(bad);
    std::filesystem::remove_all(scratch.path() / "class");
    scratch.write_all("class", below("20261234/", all_steps()) + below("20265678/", all_steps()) +
                                   below(bad + "/", all_steps("", "bad")));
    const Taken all = taken(scratch.path() / "class");
    EXPECT_THAT(all.handins, SizeIs(3));
    for (const char *student : {"20261234", "20265678"}) {
      EXPECT_THAT(names_of(all.of(student)), ElementsAreArray(steps));
      EXPECT_EQ(all.of(student).files.at(0).content, "// step0\n");
    }
  }
}

TEST(NoClass, AnEntryThatLeadsOutOfAStudentsFolderRefusesThatStudent) {
  const Scratch scratch;
  ZipBytes zip_of_folders;
  for (const std::string student : {"20261234", "20265678"})
    for (const Item &item : all_steps(student + "/")) zip_of_folders.add(item.path, item.content);
  zip_of_folders.add("20261234/../../x", "");
  const Taken all = taken(scratch.write("class.zip", zip_of_folders.bytes()));
  EXPECT_THAT(all.of("20261234").refused, HasSubstr("leads out"));
  EXPECT_THAT(names_of(all.of("20265678")), ElementsAreArray(steps));
}

TEST(NoClass, ExceptionsOfTheCallerPassThrough) {
  const Scratch scratch;
  const auto folder = scratch.write_all("class", {zip("20261234_HW6.zip", ""), zip("20265678_HW6.zip", "")});
  EXPECT_THROW(take_in(folder, hw6(), {}, [](const Handin &) { throw std::logic_error("stop"); }),
               std::logic_error);
}

const course::Assignment &pa2() {
  static const course::Assignment a = course::read_assignment(std::string(place::assignments) + "/pa2");
  return a;
}
Handin one_of_pa2(const std::vector<Item> &items) {
  Scratch scratch;
  std::vector<Handin> all;
  take_in(scratch.write_all("class", below("20261234/", items)), pa2(), {},
          [&](Handin handin) { all.push_back(std::move(handin)); });
  return all.size() == 1 ? all[0] : Handin{};
}

TEST(Headers, TravelWithTheFileThatTheyAreCompiledWith) {
  const Handin handin =
      one_of_pa2({{"matmul.cu", "kernel\n"}, {"naive.cu", "naive\n"}, {"options.h", "BX\n"}});
  ASSERT_THAT(handin.files, SizeIs(2)) << "steps share matmul.cu";
  EXPECT_EQ(handin.files[0].name, "matmul.cu");
  EXPECT_EQ(handin.files[0].content, "kernel\n\n// ==== options.h ====\nBX\n");
  EXPECT_EQ(handin.files[1].content, "naive\n\n// ==== options.h ====\nBX\n");
  EXPECT_THAT(handin.notes, IsEmpty());
}

TEST(Headers, ThatAreNotHandedInAreNotedAndComeFromTheStarter) {
  const Handin handin = one_of_pa2({{"matmul.cu", "kernel\n"}});
  ASSERT_THAT(handin.files, SizeIs(1));
  EXPECT_EQ(handin.files[0].content, "kernel\n");
  EXPECT_THAT(handin.notes, Contains("options.h is missing; matmul.cu is compiled with the starter's."));
}

TEST(Headers, WithTwoDifferentTextsAreNotUsed) {
  const Handin handin =
      one_of_pa2({{"matmul.cu", "kernel\n"}, {"options.h", "BX\n"}, {"old/options.h", "BY\n"}});
  EXPECT_THAT(handin.files, IsEmpty());
  EXPECT_THAT(handin.notes, Contains(HasSubstr("options.h occurs 2 times with different text")));
}

}  // namespace
}  // namespace warpgrade::batch
