// ./gradebook on a class, as a person types it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>

#include "batch/database.hpp"
#include "batch/store.hpp"
#include "tests/end_to_end/small_course.hpp"
#include "tests/places.hpp"

namespace warpgrade::tests {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class GradebookClass : public ::testing::Test {
 protected:
  CommandResult gradebook(const std::string &words, const std::string &before = "") const {
    return shell(before + " '" + place::gradebook + "' " + words, course.root());
  }
  CommandResult run(const std::string &more = "", const std::string &before = "") const {
    return gradebook("run class --assignment hw6 --out out --device sim " + more, before);
  }
  std::string grades() const { return text_of(course / "out/grades.csv"); }
  nlohmann::json report(const std::string &student) const {
    return nlohmann::json::parse(text_of(course / ("out/reports/" + student + "/score.json")));
  }
  SmallCourse course;
};

const std::string header = "student,step0,step1,score,max_score,status,late\r\n";

TEST_F(GradebookClass, RunGradesAClassAndLeavesStoreGradesAndReports) {
  course.hand_in("good", "one");
  course.hand_in("partly", "one");  // the same files as good's
  course.write("class/partly/step1_coalesced.cu", "this is no CUDA");
  std::filesystem::create_directories(course / "class/nothing");
  const CommandResult r = run();
  EXPECT_EQ(r.status, 0) << r.output;
  EXPECT_EQ(
      grades(),
      header + "good,40,50,90,100,graded,\r\nnothing,0,0,0,100,missing,\r\npartly,40,0,40,100,graded,\r\n");
  EXPECT_THAT(r.output, HasSubstr("3 students, 2 graded, 1 missing"));
  const nlohmann::json partly = report("partly");
  EXPECT_EQ(partly["score"], 40);
  EXPECT_EQ(partly["steps"][1]["verdict"], "build_error");
  EXPECT_EQ(partly["device"]["kind"], "sim");
  EXPECT_EQ(report("nothing")["steps"][0]["verdict"], "missing");
  EXPECT_EQ(report("good")["ungraded_points"], 10);  // no GPU
  EXPECT_TRUE(std::filesystem::is_regular_file(course / "out/gradebook.db"));
  const CommandResult again = run();
  EXPECT_EQ(again.status, 0);
  EXPECT_THAT(again.output, HasSubstr("3 of 3 files are graded already"));
}

/// All seeds of a student's cases.
std::set<std::uint64_t> seeds_of(const nlohmann::json &report) {
  std::set<std::uint64_t> seeds;
  for (const auto &step : report["steps"])
    for (const auto &one : step["cases"]) seeds.insert(one["seed"].get<std::uint64_t>());
  return seeds;
}

TEST_F(GradebookClass, DrawsASeedOfItsOwnThatNoStudentCanKnow) {
  course.hand_in("honest", "one");
  course.write("class/knows/step1_coalesced.cu",
               text_of(std::filesystem::path(place::root) /
                       "grader/tests/submissions/hw6/wrong_answer/knows_the_seed/step1_coalesced.cu"));
  const CommandResult r = run();
  EXPECT_EQ(r.status, 0) << r.output;
  EXPECT_THAT(grades(), HasSubstr("honest,40,50,90,100,graded"));
  EXPECT_THAT(grades(), HasSubstr("knows,0,0,0,100,graded"));
  EXPECT_EQ(report("knows")["steps"][1]["verdict"], "wrong_answer");
  // Each file has a separate seed, which reveals nothing about the class's.
  const std::set<std::uint64_t> seeds = seeds_of(report("honest"));
  EXPECT_EQ(seeds.size(), 2u);
  EXPECT_FALSE(seeds.contains(42));
  const std::string seed =
      std::to_string(batch::Store(course / "out", batch::Store::Access::read).info()->seed);
  EXPECT_THAT(r.output, HasSubstr("seed " + seed));
  EXPECT_EQ(text_of(course / "out/reports/honest/score.json").find(seed), std::string::npos);
  // The class keeps its seed, other classes have others, and --seed repeats one.
  course.hand_in("later", "one");
  ASSERT_EQ(run().status, 0);
  EXPECT_EQ(seeds_of(report("later")), seeds);  // the same bytes
  const auto class_in = [&](const std::string &out, const std::string &more) {
    EXPECT_EQ(gradebook("run class --assignment hw6 --device sim --out " + out + more).status, 0);
    return seeds_of(nlohmann::json::parse(text_of(course / (out + "/reports/honest/score.json"))));
  };
  EXPECT_NE(class_in("other", ""), seeds);
  EXPECT_EQ(class_in("again", " --seed " + seed), seeds);
}

TEST_F(GradebookClass, RunRepeatsGradesThatAMachineFailedOn) {
  course.hand_in("good", "one");
  ASSERT_EQ(run().status, 0);
  const std::string before = grades();
  {
    batch::Store store(course / "out", batch::Store::Access::change);
    const std::string hash = *store.student("good").hash_of("step1_coalesced.cu");
    grading::StepRecord failed = *store.result({"step1", hash});
    failed.verdict = judge::Verdict::grader_error;
    failed.reason = "the disk was full";
    failed.try_again = true;
    store.keep({"step1", hash}, failed, 1);
  }
  EXPECT_THAT(gradebook("status out").output, HasSubstr("the disk was full"));
  const CommandResult r = run();
  EXPECT_EQ(r.status, 0) << r.output;
  EXPECT_THAT(r.output, HasSubstr("1 file that a machine had failed on is graded again"));
  EXPECT_EQ(grades(), before);
  EXPECT_THAT(run().output, HasSubstr("2 of 2 files are graded already"));
}

TEST_F(GradebookClass, RunSaysWhyTheGraderFailed) {
  course.hand_in("good", "one");
  ASSERT_EQ(run().status, 0);
  {
    batch::Store store(course / "out", batch::Store::Access::change);
    const std::string hash = *store.student("good").hash_of("step1_coalesced.cu");
    grading::StepRecord failed = *store.result({"step1", hash});
    failed.verdict = judge::Verdict::grader_error;
    failed.reason = "the compiler could not be started";
    store.keep({"step1", hash}, failed, 1);
  }
  const CommandResult r = run();
  EXPECT_EQ(r.status, 3) << r.output;
  EXPECT_THAT(r.output, HasSubstr("The grader failed on 1 file, which costs no points:\n"
                                  "  step1 of good: the compiler could not be started\n"
                                  "'gradebook regrade out --failed' tries again.\n"));
}

TEST_F(GradebookClass, RunIncludesNewHandins) {
  course.hand_in("a", "first");
  ASSERT_EQ(run().status, 0);
  course.write("class/a/step0_naive.cu", "no longer CUDA");
  course.hand_in("b", "first");
  const CommandResult r = run();
  EXPECT_EQ(r.status, 0) << r.output;
  EXPECT_EQ(grades(), header + "a,0,50,50,100,graded,\r\nb,40,50,90,100,graded,\r\n");
  EXPECT_THAT(r.output, HasSubstr("2 of 3 files are graded already")) << "all but a's step0";
  EXPECT_THAT(gradebook("status out").output, HasSubstr("1 handin was superseded"));
}

TEST_F(GradebookClass, RescoreAppliesChangedPointsToStoredResultsAndListsTheChanges) {
  course.hand_in("good", "one");
  std::filesystem::create_directories(course / "class/nothing");
  ASSERT_EQ(run().status, 0);
  course.replace("assignments/hw6/assignment.yaml", "points: {correct: 40}", "points: {correct: 35.5}");
  course.replace("assignments/hw6/assignment.yaml", "points: {correct: 50, fast: 10}",
                 "points: {correct: 54.5, fast: 10}");
  const std::string before = grades();
  const CommandResult dry = gradebook("rescore out --dry-run");
  EXPECT_EQ(dry.status, 0) << dry.output;
  EXPECT_THAT(dry.output, HasSubstr("step0 40 -> 35.5, step1 50 -> 54.5"));
  EXPECT_THAT(dry.output, HasSubstr("Nothing was written."));
  EXPECT_EQ(grades(), before);
  course.replace("assignments/hw6/assignment.yaml", "points: {correct: 54.5, fast: 10}",
                 "points: {correct: 64.5}");
  course.write("assignments/hw6/thresholds/default.yaml", "gpu: {match: \"*\"}\nsteps: {}\n");
  const CommandResult r = gradebook("rescore out");
  EXPECT_EQ(r.status, 0) << r.output;
  EXPECT_THAT(r.output, HasSubstr("90 -> 100"));
  EXPECT_THAT(r.output, HasSubstr("+10   step0 40 -> 35.5, step1 50 -> 64.5"));
  EXPECT_THAT(r.output, HasSubstr("2 students: 1 up, 0 down, 1 as before; +10 points in all"));
  EXPECT_EQ(grades(), header + "good,35.5,64.5,100,100,graded,\r\nnothing,0,0,0,100,missing,\r\n");
  EXPECT_EQ(report("good")["score"], 100);
}

TEST_F(GradebookClass, RescoreNamesChangesThatNeedARun) {
  course.hand_in("good", "one");
  ASSERT_EQ(run().status, 0);
  course.replace("assignments/hw6/assignment.yaml", "{m: 33, n: 33, k: 33}", "{m: 34, n: 34, k: 34}");
  EXPECT_THAT(gradebook("rescore out").output,
              HasSubstr("step1: cases changed since 1 student was graded; that shows"));
  const CommandResult r = run();
  EXPECT_THAT(r.output, HasSubstr("step1: cases changed since 1 student was graded, so it is graded again"));
  EXPECT_THAT(gradebook("rescore out").output, Not(HasSubstr("changed since")));
}

TEST_F(GradebookClass, RegradeAfterAnEditOfTheYamlChangesOneStudentAndNamesWhatStays) {
  for (const char *student : {"s1", "s2", "s3"}) course.hand_in(student, student);
  ASSERT_EQ(run().status, 0);
  course.replace("assignments/hw6/assignment.yaml", "{m: 33, n: 33, k: 33}", "{m: 34, n: 34, k: 34}");
  course.replace("assignments/hw6/assignment.yaml", "points: {correct: 40}", "points: {correct: 20}");
  course.replace("assignments/hw6/assignment.yaml", "points: {correct: 50, fast: 10}",
                 "points: {correct: 70, fast: 10}");
  const std::string before = grades();
  const std::string stays =
      "step1: cases changed since 2 other students were graded. Their results stay until 'gradebook run' "
      "grades them again\n"
      "The points of 2 other students are from earlier YAML files: 'gradebook rescore out' computes";
  const CommandResult dry = gradebook("regrade out s1 --device sim --dry-run");
  EXPECT_EQ(dry.status, 0) << dry.output;
  EXPECT_THAT(dry.output,
              HasSubstr("Would be graded again:\n  s1: step0 (cases changed), step1 (cases changed); "
                        "90/100 now, 90/100 with the current YAML files\n"));
  EXPECT_THAT(dry.output, HasSubstr(stays));
  EXPECT_THAT(dry.output, HasSubstr("Nothing was graded or written."));
  EXPECT_EQ(grades(), before);
  const std::string report_before = text_of(course / "out/reports/s2/score.json");
  const CommandResult r = gradebook("regrade out s1 --device sim");
  EXPECT_EQ(r.status, 0) << r.output;
  EXPECT_THAT(r.output, HasSubstr("s1: 90/100 before, now:"));
  EXPECT_THAT(r.output, HasSubstr(stays));
  const std::string s1 = "s1,20,70,90,100,graded,\r\n";
  EXPECT_EQ(grades(), header + s1 + "s2,40,50,90,100,graded,\r\ns3,40,50,90,100,graded,\r\n");
  EXPECT_EQ(text_of(course / "out/reports/s2/score.json"), report_before);
  EXPECT_EQ(report("s1")["steps"][1]["cases"][1]["m"], 34);
  EXPECT_THAT(gradebook("status out").output, HasSubstr("2 of 6 different files are graded"));
  ASSERT_EQ(gradebook("rescore out").status, 0);
  EXPECT_THAT(grades(), HasSubstr("s2,20,70,90,100,graded"));
  const CommandResult all = run();
  EXPECT_THAT(all.output,
              HasSubstr("step1: cases changed since 2 students were graded, so these are graded"));
  EXPECT_THAT(all.output, HasSubstr("2 of 6 files are graded already"));
  EXPECT_EQ(report("s2")["steps"][1]["cases"][1]["m"], 34);
}

TEST_F(GradebookClass, RegradeLeavesStudentsWithTheSameFileAndRefusesAnotherDeviceForOne) {
  course.hand_in("s1", "one");
  course.hand_in("s2", "two");
  course.write("class/s2/step1_coalesced.cu", text_of(course / "class/s1/step1_coalesced.cu"));
  ASSERT_EQ(run().status, 0);
  EXPECT_THAT(gradebook("regrade out s1 --device sim --dry-run").output,
              HasSubstr("Students who handed in the same file keep their results: s2 (step1)"));
  EXPECT_THAT(gradebook("regrade out s1 --device sim").output,
              HasSubstr("Students who handed in the same file keep their results: s2 (step1)"));
  const std::string before = grades();
  batch::Database(course / "out/gradebook.db", batch::Database::Mode::write)
      .execute("UPDATE grading SET device = json_set(device, '$.name', 'another device')");
  const CommandResult elsewhere = gradebook("regrade out s1 --device sim");
  EXPECT_EQ(elsewhere.status, 2);
  EXPECT_THAT(elsewhere.output, HasSubstr("this class was graded on another device, and here it would be "));
  EXPECT_THAT(elsewhere.output, HasSubstr("regrade --all, without --preview, grades everybody here"));
  EXPECT_EQ(grades(), before);
}

TEST_F(GradebookClass, PointsByHandSurviveRegradingAndRescoringAndAreShown) {
  course.hand_in("good", "one");
  ASSERT_EQ(run().status, 0);
  const CommandResult r = gradebook("override out good step1 12.5 --reason 'copied, says =cmd()'");
  EXPECT_EQ(r.status, 0) << r.output;
  EXPECT_THAT(r.output, HasSubstr("good: 90 -> 52.5"));
  for (const char *command :
       {"regrade out good --device sim", "rescore out", "regrade out --all --device sim"}) {
    EXPECT_EQ(gradebook(command).status, 0) << command;
    EXPECT_EQ(grades(), header + "good,40,12.5,52.5,100,overridden,\r\n") << command;
  }
  EXPECT_EQ(report("good")["steps"][1]["by_hand"]["reason"], "copied, says =cmd()");
  EXPECT_EQ(report("good")["steps"][1]["by_hand"]["computed_points"], 50);
  EXPECT_THAT(gradebook("status out").output,
              HasSubstr("by hand: good step1: 12.5 points: copied, says =cmd()"));
  EXPECT_EQ(gradebook("override out good step1 --withdraw").status, 0);
  EXPECT_EQ(grades(), header + "good,40,50,90,100,graded,\r\n");
}

TEST_F(GradebookClass, PointsOfATableAreGivenTogetherOrNotAtAll) {
  course.hand_in("good", "one");
  course.hand_in("other", "one");
  ASSERT_EQ(run().status, 0);
  const std::string before = grades();
  course.write("oral.csv",
               "student,step,points,reason\ngood,step1,12.5,\"said why, and how\"\nnobody,step1,3,x\n");
  const CommandResult wrong = gradebook("override out --from oral.csv");
  EXPECT_EQ(wrong.status, 2);
  EXPECT_THAT(wrong.output, HasSubstr("oral.csv:3: there is no student 'nobody' in out"));
  EXPECT_EQ(grades(), before);
  course.write("oral.csv", "id;points;step\r\nother;50;step1\r\n\r\ngood;12.5;step1\r\n");
  EXPECT_THAT(gradebook("override out --from oral.csv").output, HasSubstr("oral.csv:2: say why"));
  EXPECT_EQ(gradebook("override out --from oral.csv --reason 'oral exam'").status, 0);
  EXPECT_EQ(grades(), header + "good,40,12.5,52.5,100,overridden,\r\nother,40,50,90,100,overridden,\r\n");
  EXPECT_EQ(report("good")["steps"][1]["by_hand"]["reason"], "oral exam");
  for (const char *text :
       {"student,points\ngood,1\n", "student,step,points\ngood,step1,many\n", "student,step,points\n",
        "student,step,points\ngood,step1,1\ngood,step1,2\n", "student,step,points\ngood,step1,61\n"}) {
    course.write("oral.csv", text);
    EXPECT_EQ(gradebook("override out --from oral.csv --reason x").status, 2) << text;
  }
}

TEST_F(GradebookClass, AMistakeOnTheCommandLineIsNamedAndChangesNothing) {
  course.hand_in("good", "one");
  EXPECT_EQ(gradebook("status out").status, 2);
  EXPECT_EQ(gradebook("rescore nowhere").status, 2);
  EXPECT_THAT(gradebook("run class --assignment hw7 --out out").output,
              HasSubstr("there is no assignment 'hw7'"));
  EXPECT_THAT(gradebook("run nowhere --assignment hw6 --out out").output, HasSubstr("there is no 'nowhere'"));
  EXPECT_THAT(gradebook("run class --assignment hw6 --out class/out").output,
              HasSubstr("it must not be inside class"));
  ASSERT_EQ(run().status, 0);
  const std::string before = grades();
  for (const char *words : {"override out nobody step1 1 --reason x", "override out good step9 1 --reason x",
                            "override out good step1 61 --reason x", "override out good step1 nan --reason x",
                            "override out good step1 1", "override out good step1 --reason x", "regrade out",
                            "regrade out nobody", "override out good step1 --withdraw", "status out nobody",
                            "run class --assignment hw6 --out out --device gpu --jobs 0"}) {
    const CommandResult r = gradebook(words);
    EXPECT_EQ(r.status, 2) << words << "\n" << r.output;
  }
  EXPECT_EQ(grades(), before);
}

TEST_F(GradebookClass, RunRefusesToStartWithoutASandboxByDefault) {
  course.hand_in("good", "one");
  const std::string without = "/usr/bin/bwrap --dev-bind / / --ro-bind /dev/null /usr/bin/bwrap";
  const CommandResult r = run("", without);
  EXPECT_EQ(r.status, 2) << r.output;
  EXPECT_THAT(r.output, HasSubstr("grading a class needs a sandbox, and none works here"));
  EXPECT_THAT(r.output, HasSubstr("--no-sandbox grades anyway"));
  EXPECT_FALSE(std::filesystem::exists(course / "out/grades.csv"));
  EXPECT_EQ(run("--no-sandbox", without).status, 0);
  EXPECT_THAT(grades(), HasSubstr("good,40,50,90"));
}

TEST_F(GradebookClass, AFullDiskIsNamedAndTheSameCommandContinues) {
  for (int i = 0; i < 6; ++i) course.hand_in("s" + std::to_string(i), std::to_string(i));
  std::filesystem::create_directories(course / "out");
  const std::string gradebook_run =
      std::string("'") + place::gradebook + "' run class --assignment hw6 --out out --device sim";
  const CommandResult r = shell(
      "/usr/bin/bwrap --dev-bind / / --size 8000000 --tmpfs '" + (course / "out").string() +
          "' sh -c \"dd if=/dev/zero of=out/filler bs=1000 count=7700 2>/dev/null; " + gradebook_run +
          "; echo status \\$?; rm out/filler; " + gradebook_run + "; echo status \\$?; cat out/grades.csv\"",
      course.root());
  EXPECT_THAT(r.output, HasSubstr("status 3"));
  EXPECT_THAT(r.output, ::testing::AnyOf(HasSubstr("the disk is full"), HasSubstr("No space left")));
  EXPECT_THAT(r.output, HasSubstr("status 0\n"));
  for (int i = 0; i < 6; ++i)
    EXPECT_THAT(r.output, HasSubstr("s" + std::to_string(i) + ",40,50,90,100,graded")) << r.output;
}

TEST_F(GradebookClass, AnInterruptStopsWith130AndTheSameCommandContinues) {
  for (int i = 0; i < 4; ++i) course.hand_in("s" + std::to_string(i), std::to_string(i));
  // Interrupted when the first student is done; --jobs 1, so that others are not.
  const CommandResult r =
      shell(std::string("'") + place::gradebook +
                "' run class --assignment hw6 --out out --device sim --jobs 1 2>log & pid=$!; "
                "until grep -q '^s0:' log; do sleep 0.05; kill -0 $pid || exit 99; done; "
                "kill -INT $pid; wait $pid",
            course.root());
  EXPECT_EQ(r.status, 130) << r.output << text_of(course / "log");
  EXPECT_THAT(text_of(course / "log"), HasSubstr("the same command continues"));
  EXPECT_THAT(grades(), HasSubstr("s0,40,50,90,100,graded"));
  EXPECT_THAT(grades(), HasSubstr("s3,,,,,pending"));
  const CommandResult again = run();
  EXPECT_EQ(again.status, 0) << again.output;
  EXPECT_THAT(again.output, Not(HasSubstr("s0:")));
  EXPECT_THAT(grades(), Not(HasSubstr("pending")));
}

TEST_F(GradebookClass, AClassBegunElsewhereIsNotGradedHereByAccident) {
  course.hand_in("good", "one");
  ASSERT_EQ(run().status, 0);
  batch::Database(course / "out/gradebook.db", batch::Database::Mode::write)
      .execute(
          "UPDATE grading SET device = json_set(device, '$.name', 'NVIDIA H200', '$.gpu', json('true'))");
  const CommandResult elsewhere = gradebook("run class --assignment hw6 --out out");
  EXPECT_EQ(elsewhere.status, 2) << elsewhere.output;
  EXPECT_THAT(elsewhere.output, HasSubstr("this class was started on NVIDIA H200"));
}

TEST_F(GradebookClass, AnotherAssignmentsFolderIsLeftAlone) {
  course.hand_in("good", "one");
  ASSERT_EQ(run().status, 0);
  std::filesystem::copy(course / "assignments/hw6", course / "assignments/hw7",
                        std::filesystem::copy_options::recursive);
  std::filesystem::copy(course / "starter/hw6", course / "starter/hw7");
  course.replace("assignments/hw7/assignment.yaml", "assignment: hw6", "assignment: hw7");
  const CommandResult r = gradebook("run class --assignment hw7 --out out --device sim");
  EXPECT_EQ(r.status, 2);
  EXPECT_THAT(r.output, HasSubstr("out contains a class of hw6"));
}

}  // namespace
}  // namespace warpgrade::tests
