// ./gradebook where the machine does not do its part: a full disk, folders that cannot be written or read, a
// damaged store, two at once. As root and as somebody else: each is one sentence, and nothing is lost.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/end_to_end/small_course.hpp"
#include "tests/places.hpp"

namespace warpgrade::tests {
namespace {

namespace fs = std::filesystem;
using ::testing::AnyOf;
using ::testing::HasSubstr;
using ::testing::Not;

/// A class of one step, graded once.
class GradebookTrouble : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    course = std::make_unique<SmallCourse>();
    course->write("class/s1/step0_naive.cu", course->solution("step0_naive.cu"));
    graded = gradebook("run class --assignment hw6 --out kept --device sim");
  }
  static void TearDownTestSuite() { course.reset(); }
  void SetUp() override {
    ASSERT_EQ(graded.status, 0) << graded.output;
    fs::copy(*course / "kept", *course / "out", fs::copy_options::recursive);
  }
  void TearDown() override {
    shell("chmod -R u+rwX out class", course->root());
    fs::remove_all(*course / "out");
  }
  static CommandResult gradebook(const std::string &words, const std::string &before = "") {
    return shell(before + " '" + place::gradebook + "' " + words, course->root());
  }
  /// Somebody who may read what we own; without root we are that already.
  static std::string somebody_else() {
    return ::geteuid() == 0 ? "setpriv --reuid 65534 --regid 65534 --clear-groups env HOME=/nonexistent" : "";
  }
  static std::string everything() {
    std::string all;
    for (const char *file : {"out/gradebook.db", "out/grades.csv", "out/reports/s1/score.json"})
      all += text_of(*course / file);
    return all;
  }
  /// One sentence, and nothing changed.
  static void expect_refused(const CommandResult &r, int status, const std::string &sentence) {
    EXPECT_EQ(r.status, status) << r.output;
    EXPECT_THAT(r.output, HasSubstr(sentence));
    EXPECT_THAT(r.output, HasSubstr("gradebook: "));
  }
  static inline std::unique_ptr<SmallCourse> course;
  static inline CommandResult graded;
};

const std::string again = "run class --assignment hw6 --out out --device sim";

TEST_F(GradebookTrouble, AReadOnlyFolderIsNamedByWhatWritesAndReadByWhatReads) {
  shell("chmod -R a-w out", course->root());
  const std::string before = everything(), as = somebody_else();
  for (const std::string &words :
       {again, std::string("rescore out"), std::string("regrade out s1 --device sim"),
        std::string("override out s1 step0 3 --reason x")})
    expect_refused(gradebook(words, as), 2, "Permission denied");
  const CommandResult status = gradebook("status out", as);
  EXPECT_EQ(status.status, 0) << status.output;
  EXPECT_THAT(status.output, HasSubstr("1 student, 1 graded"));
  const std::string elsewhere =
      (fs::temp_directory_path() / ("grades-of-" + course->root().filename().string())).string();
  EXPECT_EQ(gradebook("export out --format csv --out " + elsewhere, as).status, 0);
  EXPECT_THAT(text_of(elsewhere), HasSubstr("s1,graded,40,100"));
  fs::remove(elsewhere);
  EXPECT_EQ(everything(), before);
}

TEST_F(GradebookTrouble, AReadOnlyFileSystemIsNamedAlsoForRoot) {
  const std::string before = everything();
  const std::string mounted = "/usr/bin/bwrap --dev-bind / / --ro-bind '" + (*course / "out").string() +
                              "' '" + (*course / "out").string() + "'";
  expect_refused(gradebook("rescore out", mounted), 2, "Read-only file system");
  const CommandResult status = gradebook("status out", mounted);
  EXPECT_EQ(status.status, 0) << status.output;
  EXPECT_EQ(everything(), before);
}

TEST_F(GradebookTrouble, AFolderThatCannotBeMadeIsNamed) {
  if (::geteuid() != 0) shell("mkdir -m 500 locked", course->root());
  expect_refused(gradebook("run class --assignment hw6 --device sim --out " +
                               std::string(::geteuid() == 0 ? "elsewhere" : "locked/elsewhere"),
                           somebody_else()),
                 2, "cannot be created: Permission denied");
}

TEST_F(GradebookTrouble, AnUnreadableSubmissionIsOurFailureAndNoVerdict) {
  for (const char *hidden : {"class/s1", "class/s1/step0_naive.cu"}) {
    fs::permissions(*course / hidden, fs::perms(0000));
    fs::permissions(*course / "out", fs::perms(0777));
    for (const auto &entry : fs::recursive_directory_iterator(*course / "out"))
      fs::permissions(entry, fs::perms(entry.is_directory() ? 0777 : 0666));
    const std::string before = text_of(*course / "out/grades.csv");
    const CommandResult r = gradebook(again, somebody_else());
    expect_refused(r, 2, "the account that grades must be able to read every submission: Permission denied");
    EXPECT_THAT(r.output, HasSubstr(hidden));
    EXPECT_EQ(text_of(*course / "out/grades.csv"), before);
    fs::permissions(*course / hidden, fs::perms(0755));
  }
  EXPECT_EQ(gradebook("status out s1").status, 0);
}

TEST_F(GradebookTrouble, ADamagedStoreIsNamedByEveryCommandAndLeftAsItIs) {
  for (const bool cut : {false, true}) {
    std::string damaged = text_of(*course / "kept/gradebook.db");
    ASSERT_GT(damaged.size(), 20'000u);
    if (cut)
      damaged.resize(damaged.size() / 2);
    else
      damaged.replace(0, 4096, std::string(4096, 'x'));
    for (const std::string &as : {std::string(), somebody_else()}) {
      course->write("out/gradebook.db", damaged);
      for (const std::string &words : {again, std::string("rescore out"), std::string("status out"),
                                       std::string("export out --format csv --out all.csv"),
                                       std::string("override out s1 step0 3 --reason x")}) {
        const CommandResult r = gradebook(words, as);
        EXPECT_THAT(r.status, AnyOf(2, 3)) << words << r.output;
        if (as.empty()) {
          EXPECT_THAT(r.output, HasSubstr("damaged")) << words;
        }
        EXPECT_EQ(text_of(*course / "out/gradebook.db"), damaged) << words;
      }
    }
  }
}

TEST_F(GradebookTrouble, ADamagedResultIsNamedAndEverythingElseIsDone) {
  const std::string spoil =
      "python3 -c \"import sqlite3; c = sqlite3.connect('out/gradebook.db'); "
      "c.execute('UPDATE result SET record = zeroblob(40)'); c.commit()\"";
  ASSERT_EQ(shell(spoil, course->root()).status, 0);
  for (const std::string &words :
       {again, std::string("report out"), std::string("export out --partial --format csv --out whole.csv"),
        std::string("rescore out")}) {
    const CommandResult r = gradebook(words);
    EXPECT_EQ(r.status, 3) << words << r.output;
    EXPECT_THAT(r.output, HasSubstr("damaged: s1, step0: the stored result (in out, gradebook.db, table "
                                    "result, row 1)"));
    EXPECT_THAT(r.output, HasSubstr("gradebook regrade out s1"));
  }
  EXPECT_THAT(text_of(*course / "whole.csv"), HasSubstr("s1,graded,40,100"));
  fs::remove(*course / "whole.csv");
  EXPECT_EQ(gradebook("regrade out s1").status, 0);
  EXPECT_EQ(gradebook("report out").status, 0);
}

TEST_F(GradebookTrouble, OfTwoWritersOneIsRefusedAndReadersAreNot) {
  // The first is stopped in the middle of its work, since a second waits a few seconds before it gives up.
  course->write("class/s2/step0_naive.cu", course->solution("step0_naive.cu") + "// once more\n");
  const std::string program = std::string("'") + place::gradebook + "' ";
  const CommandResult r =
      shell("WARPGRADE_CACHE= HOME= " + program + again +
                " >first 2>&1 & pid=$!; until [ -s first ]; do sleep 0.01; kill -0 $pid || exit 99; done; "
                "child=$(cat /proc/$pid/task/$pid/children); kill -STOP $child; " +
                program + "rescore out; echo second $?; " + program +
                "status out; echo reader $?; kill -CONT $child; wait $pid; echo first $?",
            course->root());
  fs::remove_all(*course / "class/s2");
  EXPECT_THAT(r.output, HasSubstr("another gradebook is at work on this class (process "));
  EXPECT_THAT(r.output, HasSubstr("second 2\n"));
  EXPECT_THAT(r.output, HasSubstr("reader 0\n"));
  EXPECT_THAT(r.output, HasSubstr("first 0\n")) << text_of(*course / "first");
  EXPECT_THAT(text_of(*course / "out/grades.csv"), HasSubstr("s2,40,0,40,100,graded"));
}

TEST_F(GradebookTrouble, AFullDiskLosesNothingWrittenBefore) {
  // A disk of 4 MB with the class on it, full to the last block.
  const std::string disk = (*course / "disk").string();
  fs::create_directories(disk);
  const std::string program = std::string("'") + place::gradebook + "' ";
  const CommandResult r = shell(
      "/usr/bin/bwrap --dev-bind / / --size 4000000 --tmpfs '" + disk +
          "' sh -c \"cp -r kept disk/out; "
          "dd if=/dev/zero of=disk/filler bs=4096 2>/dev/null; cp disk/out/grades.csv before.csv; " +
          program + "override disk/out s1 step0 3 --reason x; echo override \\$?; " + program +
          "rescore disk/out; echo rescore \\$?; " + program +
          "export disk/out --format csv --out disk/all.csv; echo export \\$?; " + program +
          "status disk/out; echo status \\$?; cmp disk/out/grades.csv before.csv && echo grades as before; "
          "ls disk disk/out; rm disk/filler; " +
          program +
          "override disk/out s1 step0 3 --reason x; echo again \\$?; tail -n 1 disk/out/grades.csv\"",
      course->root());
  EXPECT_THAT(r.output, HasSubstr("gradebook.db: the disk is full"));
  EXPECT_THAT(r.output, HasSubstr("override 3\n"));
  EXPECT_THAT(r.output, HasSubstr("export 3\n"));
  EXPECT_THAT(r.output, HasSubstr("status 0\n"));
  EXPECT_THAT(r.output, HasSubstr("grades as before\n"));
  EXPECT_THAT(r.output, Not(HasSubstr(".new")));
  EXPECT_THAT(r.output, HasSubstr("again 0\n"));
  EXPECT_THAT(r.output, HasSubstr("s1,3,0,3,100,overridden"));
}

}  // namespace
}  // namespace warpgrade::tests
