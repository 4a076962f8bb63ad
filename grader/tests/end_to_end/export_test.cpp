// ./gradebook export and ./gradebook similar on a class that was graded, as a person types them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/end_to_end/small_course.hpp"
#include "tests/places.hpp"

namespace warpgrade::tests {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

/// Graded once for every test here.
class GradebookExport : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    course = std::make_unique<SmallCourse>();
    course->hand_in("good", "one");
    course->hand_in("partly", "one");
    course->write("class/partly/step1_coalesced.cu", "this is no CUDA");
    std::filesystem::create_directories(*course / "class/nothing");
    graded = gradebook("run class --assignment hw6 --out out --device sim");
  }
  static void TearDownTestSuite() { course.reset(); }
  static CommandResult gradebook(const std::string &words) {
    return shell(std::string("'") + place::gradebook + "' " + words, course->root());
  }
  void SetUp() override { ASSERT_EQ(graded.status, 0) << graded.output; }
  std::string text(const std::string &file) const { return text_of(*course / file); }
  bool there(const std::string &file) const { return std::filesystem::exists(*course / file); }
  static inline std::unique_ptr<SmallCourse> course;
  static inline CommandResult graded;
};

TEST_F(GradebookExport, CanvasFillsOneColumnAndListsMissingStudents) {
  course->write("canvas.csv",
                "Student,ID,SIS Login ID,Section,HW6 (7),Final Score\r\n"
                "    Points Possible,,,,100,\r\nG,1,good,S,,\r\nP,2,partly,S,80,\r\nX,3,else,S,5,\r\n");
  const CommandResult r =
      gradebook("export out canvas.csv --format canvas --column HW6 --out filled.csv --partial");
  EXPECT_EQ(r.status, 0) << r.output;
  EXPECT_EQ(text("filled.csv"),
            "Student,ID,SIS Login ID,Section,HW6 (7),Final Score\r\n"
            "    Points Possible,,,,100,\r\nG,1,good,S,90,\r\nP,2,partly,S,40,\r\nX,3,else,S,5,\r\n");
  EXPECT_THAT(r.output, HasSubstr("not found in the file, so their grades are not in it: nothing"));
  EXPECT_THAT(r.output, HasSubstr("not found in the class, left as they are: X (3)"));
  EXPECT_THAT(r.output, HasSubstr("partly (80 -> 40)"));
  EXPECT_THAT(r.output, HasSubstr("not yet decided and count as 0 here: good (10)"));  // no GPU
  EXPECT_THAT(r.output, HasSubstr("filled.csv: 2 of 3 grades filled in"));
}

TEST_F(GradebookExport, RefusesWhenPointsWaitForAGpuUnlessAllowed) {
  for (const char *words :
       {"export out --format csv --out refused", "export out --format junit --out refused",
        "export out --format gradescope --out refused"}) {
    const CommandResult r = gradebook(words);
    EXPECT_EQ(r.status, 2) << words;
    EXPECT_THAT(r.output, HasSubstr("10 of 100 points wait for a GPU, for 1 student. Grade the class on a "
                                    "machine with a GPU ('gradebook run' with --device gpu), or export the "
                                    "grades without these points with --partial"));
    EXPECT_FALSE(there("refused")) << words;
  }
  const CommandResult r = gradebook("export out --format csv --out partial.csv --partial");
  EXPECT_EQ(r.status, 0);
  EXPECT_THAT(r.output, HasSubstr("10 of 100 points wait for a GPU, for 1 student and count as 0 here"));
}

TEST_F(GradebookExport, MoodleFillsTheWorksheet) {
  course->write("sheet.csv",
                "Identifier,Email address,Grade,Last modified (grade),Feedback comments\n"
                "Participant 9,good@example.edu,,-,\n");
  const CommandResult r = gradebook("export out sheet.csv --format moodle --out moodle.csv --partial");
  EXPECT_EQ(r.status, 0) << r.output;
  EXPECT_THAT(text("moodle.csv"),
              HasSubstr("Participant 9,good@example.edu,90,-,step0 40/40 accepted<br>step1"));
}

TEST_F(GradebookExport, GradescopeAndClassroom50GetAFileAStudent) {
  EXPECT_EQ(gradebook("export out --format gradescope --out scope --partial").status, 0);
  EXPECT_EQ(gradebook("export out --format classroom50 --out hub --partial").status, 0);
  for (const char *student : {"good", "partly", "nothing"}) {
    const auto scope = nlohmann::json::parse(text("scope/" + std::string(student) + "/results.json"));
    const auto hub = nlohmann::json::parse(text("hub/" + std::string(student) + "/result.json"));
    EXPECT_EQ(scope["score"], student == std::string("good")     ? 90
                              : student == std::string("partly") ? 40
                                                                 : 0);
    EXPECT_EQ(hub["max-score"], 100);
  }
  EXPECT_THAT(text("scope/partly/results.json"), HasSubstr("build_error"));
}

TEST_F(GradebookExport, PushShowsWhatItWouldSendAndThePublicHalfOfItsKey) {
  ASSERT_EQ(shell("openssl genrsa -out lti.pem 2048 && chmod 600 lti.pem", course->root()).status, 0);
  CommandResult r = gradebook("push out --dry-run");
  EXPECT_EQ(r.status, 2);
  EXPECT_THAT(r.output, HasSubstr("which platform? --lti FILE, or lti.yaml beside assignments/"));
  course->write("lti.yaml",
                "client_id: c\ntoken_url: https://lms.example.edu/token\nkey: lti.pem\n"
                "line_items: {hw6: https://lms.example.edu/5}\n");
  r = gradebook("push out --dry-run");
  EXPECT_EQ(r.status, 1) << r.output;
  EXPECT_THAT(r.output, HasSubstr("good             left out: 10 points wait; --partial sends 90/100 "
                                  "without them\nnothing          0/100 would be sent\n"));
  r = gradebook("push out --dry-run --partial");
  EXPECT_EQ(r.status, 0) << r.output;
  EXPECT_THAT(r.output, HasSubstr("good             90/100 would be sent, without 10 undecided\nnothing      "
                                  "    0/100 would be sent\n"));
  EXPECT_THAT(r.output,
              HasSubstr("https://lms.example.edu/5: 3 to send, 0 unchanged, 0 failed, 0 left out\n"));
  EXPECT_EQ(gradebook("push out --dry-run --student nobody").status, 2);
  course->replace("lti.yaml", "hw6:", "hw7:");
  EXPECT_THAT(gradebook("push out --dry-run").output,
              HasSubstr("lti.yaml: line_items has no address for hw6"));
  r = gradebook("push --public-key lti.pem");
  EXPECT_EQ(r.status, 0);
  const auto key = nlohmann::json::parse(r.output).at("keys").at(0);
  EXPECT_EQ(key.at("kty"), "RSA");
  EXPECT_FALSE(key.contains("d")) << "the private half";
}

TEST_F(GradebookExport, APlatformThatWasSwitchedOffNamesItsSuccessor) {
  const CommandResult r = gradebook("export out --format github --out hub2 --partial");
  EXPECT_EQ(r.status, 2);
  EXPECT_THAT(r.output,
              HasSubstr("GitHub Classroom was switched off on 2026-08-28; its successor is Classroom 50: "
                        "'classroom50'"));
  EXPECT_FALSE(there("hub2"));
}

TEST_F(GradebookExport, CsvAndJunitHoldTheWholeClass) {
  EXPECT_EQ(gradebook("export out --format csv --out all.csv --partial").status, 0);
  EXPECT_EQ(gradebook("export out --format junit --out all.xml --partial").status, 0);
  EXPECT_THAT(text("all.csv"), HasSubstr("\r\ngood,graded,90,100,10,good,"));
  EXPECT_THAT(text("all.csv"), HasSubstr("\r\nnothing,missing,0,100,"));
  EXPECT_THAT(text("all.xml"), HasSubstr("<testsuite name=\"hw6.partly\" tests=\"2\" failures=\"1\""));
}

TEST_F(GradebookExport, SimilarLaysOutFilesThatJplagAndDolosTakeForCpp) {
  const CommandResult r = gradebook("similar out --out code");
  EXPECT_EQ(r.status, 0) << r.output;
  EXPECT_EQ(text("code/submissions/good/step0_naive.cpp"), text("class/good/step0_naive.cu"));
  EXPECT_EQ(text("code/submissions/partly/step1_coalesced.cpp"), "this is no CUDA");
  EXPECT_EQ(text("code/base/step0_naive.cpp"), text("starter/hw6/step0_naive.cu"));
  EXPECT_FALSE(there("code/submissions/nothing"));
  EXPECT_FALSE(there("code.new"));
  EXPECT_THAT(r.output, HasSubstr("1 student without files, so without a folder: nothing"));
  EXPECT_THAT(text("code/info.csv"), HasSubstr("filename,label,created_at,full_name\r\n"));
  EXPECT_THAT(text("code/step1.csv"), HasSubstr("submissions/good/step1_coalesced.cpp,step1,"));
  EXPECT_THAT(text("code/step1.csv"), Not(HasSubstr("step0")));
  EXPECT_THAT(r.output, HasSubstr("java -jar jplag.jar -l cpp -bc code/base code/submissions\n"));
  EXPECT_THAT(r.output, HasSubstr("dolos run -l cpp code/step0.csv\ndolos run -l cpp code/step1.csv\n"))
      << "files that are there, to be typed as they stand";
  const CommandResult again = gradebook("similar out --out code");
  EXPECT_EQ(again.status, 2);
  EXPECT_THAT(again.output, HasSubstr("it is there already"));
}

TEST_F(GradebookExport, OnlyEarlierExportsAreOverwritten) {
  course->write("canvas3.csv", "Student,ID,SIS Login ID,Section,HW6 (7)\nG,1,good,S,\n");
  course->write("mine.cu", "// two nights of work\n");
  std::filesystem::create_symlink(*course / "out/gradebook.db", *course / "link");
  std::filesystem::create_hard_link(*course / "out/gradebook.db", *course / "twin");
  const std::string fill = " canvas3.csv --format canvas --column HW6";
  for (const char *format : {" --format csv", " --format junit", fill.c_str()})
    for (const char *target : {"out/gradebook.db", "out/gradebook.db-wal", "out/gradebook.lock",
                               "out/grades.csv", "out/reports/good/score.json", "out/../out/gradebook.db",
                               "link", "twin", "mine.cu", "canvas3.csv", "out", "class"}) {
      const std::string words = std::string("export out") + format + " --partial --out " + target;
      const std::string before = std::filesystem::is_regular_file(*course / target) ? text(target) : "";
      const CommandResult r = gradebook(words);
      EXPECT_EQ(r.status, 2) << words << "\n" << r.output;
      EXPECT_THAT(r.output, HasSubstr(std::string("--out ") + target)) << words;
      EXPECT_EQ(std::filesystem::is_regular_file(*course / target) ? text(target) : "", before) << words;
    }
  for (const char *target : {"out", "out/reports"}) {
    const CommandResult r =
        gradebook(std::string("export out --format gradescope --partial --out ") + target);
    EXPECT_EQ(r.status, 2) << target << "\n" << r.output;
    EXPECT_FALSE(there(std::string(target) + "/good/results.json"));
  }
  EXPECT_EQ(gradebook("status out").status, 0);
  for (const char *words :
       {"export out --format csv --out again.csv --partial",
        "export out --format junit --out again.xml --partial",
        "export out canvas3.csv --format canvas --column HW6 --out again-canvas.csv --partial",
        "export out --format classroom50 --out again --partial"})
    for (int i = 0; i < 2; ++i) {
      const CommandResult r = gradebook(words);
      EXPECT_EQ(r.status, 0) << words << "\n" << r.output;
    }
}

TEST_F(GradebookExport, APlaceInAFileStaysBesideItsMistake) {
  course->write("sheet2.csv",
                "Identifier,Email address,Grade,Last modified (grade),Feedback comments\n"
                "Participant 9,partly@example.edu,,-,\n");
  EXPECT_EQ(gradebook("export out sheet2.csv --format moodle --out moodle2.csv --partial").status, 0);
  EXPECT_EQ(gradebook("export out --format gradescope --out scope2 --partial").status, 0);
  EXPECT_THAT(text("moodle2.csv"), HasSubstr("step1_coalesced.cu:1: "));
  EXPECT_THAT(text("scope2/partly/results.json"), HasSubstr("step1_coalesced.cu:1: "));
}

TEST_F(GradebookExport, AMistakeIsNamedAndWritesNothing) {
  course->write("other.csv", "name,points\na,1\n");
  course->write("canvas2.csv", "Student,ID,Section,HW6 (7)\nG,good,S,\n");
  for (const char *words :
       {"export out --format canvas --column HW6 --out none.csv",
        "export out other.csv --format canvas --column HW6 --out none.csv",
        "export out canvas2.csv --format canvas --out none.csv",
        "export out canvas2.csv --format canvas --column HW7 --out none.csv",
        "export out other.csv --format moodle --out none.csv",
        "export out other.csv --format csv --out none.csv", "export out --format excel --out none.csv",
        "export nowhere --format csv --out none.csv", "export out nofile.csv --format moodle --out none.csv",
        "similar nowhere --out none.csv"}) {
    const CommandResult r = gradebook(words);
    EXPECT_EQ(r.status, 2) << words << "\n" << r.output;
    EXPECT_FALSE(there("none.csv")) << words;
  }
}

}  // namespace
}  // namespace warpgrade::tests
