// What students do besides grading: handing in, asking the doctor, the Tab key, grading on every save.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <string>
#include <thread>

#include "base/zip.hpp"
#include "tests/end_to_end/small_course.hpp"
#include "tests/places.hpp"

namespace warpgrade::tests {
namespace {

namespace fs = std::filesystem;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;

class Student : public ::testing::Test {
 protected:
  Student() {
    course.replace("assignments/hw6/thresholds/default.yaml", "match: \"*\"",
                   "match: \"*\", peak_gflops: 60000, memory_gb_per_s: 4000");
    for (const char *file : {"step0_naive.cu", "step1_coalesced.cu"})
      course.write(std::string("mine/") + file, course.solution(file));
  }
  CommandResult grade(const std::string &words) const {
    return shell(std::string("'") + place::grade + "' " + words, course / "mine");
  }
  CommandResult package(const std::string &words) const {
    return grade("package " + words + " --device sim --assignment hw6 --submission .");
  }
  SmallCourse course;
};

TEST_F(Student, PacksWhatTheGradebookGradesWithTheSamePoints) {
  const CommandResult r = package("20261234");
  EXPECT_EQ(r.status, 0) << r.output;
  EXPECT_THAT(r.output, HasSubstr("20261234_HW6.zip"));
  EXPECT_THAT(r.output, HasSubstr("there is no GPU here")) << "says what is left out";
  fs::create_directories(course / "class");
  fs::copy(course / "mine/20261234_HW6.zip", course / "class");
  const CommandResult run =
      shell(std::string("'") + place::gradebook + "' run class --assignment hw6 --out out --device sim",
            course.root());
  EXPECT_EQ(run.status, 0) << run.output;
  EXPECT_EQ(text_of(course / "out/grades.csv"),
            "student,step0,step1,score,max_score,status,late\r\n20261234,40,50,90,100,graded,\r\n");
  EXPECT_THAT(grade("--device sim --assignment hw6 --submission .").output, HasSubstr("Score: 90/100"));
  EXPECT_THAT(text_of(course / "out/reports/20261234/score.json"), Not(HasSubstr("is not used")))
      << "the analysis is not a surplus";
}

TEST_F(Student, FindsTheNameOfTheFolderInReportsAndNoDot) {
  const CommandResult r =
      grade("step0 --device sim --assignment hw6 --submission . --json s.json --html s.html");
  EXPECT_EQ(r.status, 0) << r.output;
  EXPECT_THAT(r.output, HasSubstr("mine on "));
  EXPECT_THAT(text_of(course / "mine/s.json"), HasSubstr("\"submission\": \"mine\""));
  EXPECT_THAT(text_of(course / "mine/s.html"), HasSubstr("<title>hw6 mine: "));
  grade("step0 --device sim --assignment hw6 --submission ../mine --json s.json");
  EXPECT_THAT(text_of(course / "mine/s.json"), HasSubstr("\"submission\": \"../mine\""))
      << "a name that is one";
}

TEST_F(Student, PacksTheTableTheRooflineAndTheSameBytesAgain) {
  package("20261234");
  const std::string first = text_of(course / "mine/20261234_HW6.zip");
  for (const char *name : {"step0_naive.cu", "step1_coalesced.cu", "benchmark.txt", "benchmark.csv",
                           "roofline.txt", "roofline.svg"})
    EXPECT_THAT(first, HasSubstr(name));
  EXPECT_THAT(first, HasSubstr("<svg"));
  const auto entries = stored_entries(first);  // as a service reads it
  ASSERT_TRUE(entries);
  EXPECT_EQ(entries->at(0).path, "step0_naive.cu");
  EXPECT_EQ(entries->at(0).content, text_of(course / "mine/step0_naive.cu"));
  package("20261234 --out ..");
  EXPECT_EQ(text_of(course / "20261234_HW6.zip"), first);
}

TEST_F(Student, SeesEveryMistakeBeforeAnythingIsPacked) {
  course.write("mine/step0_naive.cu", "#include \"gemm.h\"\nthis is no CUDA\n");
  fs::remove(course / "mine/step1_coalesced.cu");
  const CommandResult r = package("20261234");
  EXPECT_EQ(r.status, 1) << r.output;
  EXPECT_THAT(r.output, HasSubstr("step0_naive.cu does not compile"));
  EXPECT_THAT(r.output, ::testing::AnyOf(HasSubstr("| step0_naive.cu(2): error"),     // nvcc
                                         HasSubstr("| step0_naive.cu:2:1: error")));  // clang
  EXPECT_THAT(r.output, HasSubstr("step1_coalesced.cu is missing"));
  EXPECT_FALSE(fs::exists(course / "mine/20261234_HW6.zip"));
}

TEST_F(Student, SeesTheScoreOfThePackedFiles) {
  course.write("mine/step1_coalesced.cu", R"(#include "gemm.h"
__global__ void in_one_word(float *C) { C[0] = threadIdx.x; }
void step1(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
  in_one_word<<<1, 64>>>(C);
}
)");
  const CommandResult r = package("20261234");
  EXPECT_EQ(r.status, 1) << r.output;
  EXPECT_THAT(r.output, HasSubstr("  ok   step0_naive.cu           accepted\n"));
  EXPECT_THAT(r.output, HasSubstr("  --   step1_coalesced.cu       race; './grade step1' explains it\n"));
  EXPECT_THAT(r.output, HasSubstr("Graded here, it gets 40 of 100 points.\n"))
      << "those of step0, as PacksWhatTheGradebookGradesWithTheSamePoints has them";
  EXPECT_TRUE(fs::exists(course / "mine/20261234_HW6.zip"));
}

TEST_F(Student, PacksIncompleteWorkAnyway) {
  fs::remove(course / "mine/step1_coalesced.cu");
  const CommandResult r = package("20261234 --anyway");
  EXPECT_EQ(r.status, 1) << r.output;
  EXPECT_TRUE(fs::exists(course / "mine/20261234_HW6.zip"));
}

TEST_F(Student, PacksAFileOfAnswersThatCanBeRead) {
  const fs::path repository = place::root;
  fs::copy(repository / "solutions/banks", course / "banks", fs::copy_options::recursive);
  const auto pack = [&] {
    return shell(std::string("'") + place::grade +
                     "' package 20261234 --device sim --assignment banks --submission '" +
                     (course / "banks").string() + "' --out '" + course.root().string() + "'",
                 repository);
  };
  const fs::path archive = course / "20261234_BANKS.zip";
  const CommandResult right = pack();
  EXPECT_EQ(right.status, 0) << right.output;
  EXPECT_THAT(text_of(archive), HasSubstr("predictions.yaml"));
  fs::remove(archive);
  course.write("banks/predictions.yaml", "way1_block16_read: coalesced\n: [\n");
  const CommandResult wrong = pack();
  EXPECT_EQ(wrong.status, 1) << wrong.output;
  EXPECT_THAT(wrong.output, HasSubstr("predictions.yaml:3: not valid YAML"));
  EXPECT_FALSE(fs::exists(archive));
}

TEST_F(Student, NeedsANameOfAsciiLetters) {
  for (const char *id : {"''", "../x", "'a b'", "20261234_HW6.zip"}) EXPECT_EQ(package(id).status, 2) << id;
  EXPECT_EQ(grade("package --device sim").status, 2);
  EXPECT_THAT(package("홍길동").output, HasSubstr("the letters a to z and A to Z (ASCII)"));
}

TEST_F(Student, AsksTheDoctor) {
  const CommandResult r = grade("doctor");
  EXPECT_EQ(r.status, 0) << r.output;
  for (const char *what : {"nvcc", "a kernel compiles, links and is", "sandbox", "Ready to grade"})
    EXPECT_THAT(r.output, HasSubstr(what));
  const CommandResult none =
      shell(std::string("TMPDIR=/proc '") + place::grade + "' doctor", course / "mine");
  EXPECT_EQ(none.status, 1) << none.output;
  EXPECT_THAT(none.output, HasSubstr("export TMPDIR=")) << "nothing can be written below /proc";
}

/// What bash completes, with the cursor after the last word.
std::string completed(const fs::path &folder, const std::string &words) {
  const std::string script =
      "PATH=\"$PATH:" + fs::path(place::grade).parent_path().string() +
      "\"; eval \"$(grade completion bash)\"; COMP_WORDS=(grade " + words +
      "); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _warpgrade_grade; echo \"${COMPREPLY[*]}\"";
  return shell("bash -c '" + script + "'", folder).output;
}

TEST_F(Student, CompletesStepsCommandsOptionsAndTheirValuesInBash) {
  EXPECT_EQ(completed(course / "mine", "st"), "step0 step1\n");
  EXPECT_EQ(completed(course / "mine", "pack"), "package\n");
  EXPECT_EQ(completed(course / "mine", "--wat"), "--watch\n");
  EXPECT_EQ(completed(course / "mine", "--device g"), "gpu\n");
  EXPECT_EQ(completed(course / "mine", "bench --prof"), "--profile\n");
  EXPECT_EQ(completed(course / "mine", "bench step1 st"), "step0 step1\n");
  EXPECT_EQ(completed(course / "mine", "package --any"), "--anyway\n");
  EXPECT_EQ(completed(course / "mine", "completion z"), "zsh\n");
  EXPECT_EQ(completed("/", "--dev"), "--device\n") << "also where there is no course";
}

/// ./grade --watch with a pipe as output.
class Watching {
 public:
  Watching(const fs::path &folder, const std::vector<std::string> &words) {
    int ends[2];
    if (::pipe(ends) != 0) throw std::runtime_error("no pipe");
    child_ = ::fork();
    if (child_ == 0) {
      ::dup2(ends[1], 1);
      ::dup2(ends[1], 2);
      ::close(ends[0]);
      ::close(ends[1]);
      if (::chdir(folder.c_str()) != 0) ::_exit(126);
      std::vector<char *> arguments;
      std::vector<std::string> all = words;
      all.insert(all.begin(), "grade");
      for (std::string &word : all) arguments.push_back(word.data());
      arguments.push_back(nullptr);
      ::execv(place::grade, arguments.data());
      ::_exit(127);
    }
    ::close(ends[1]);
    output_ = ends[0];
  }
  ~Watching() {
    if (child_ > 0) end(SIGKILL);
    ::close(output_);
  }
  /// Reads on until the text has come, and gives what came; all there was when it never does.
  std::string until(const std::string &text) {
    std::string read;
    while (read.find(text) == std::string::npos) {
      char c = 0;
      if (::read(output_, &c, 1) != 1) break;
      read += c;
    }
    return read;
  }
  int end(int signal) {
    int status = 0;
    ::kill(child_, signal);
    ::waitpid(std::exchange(child_, -1), &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }

 private:
  pid_t child_ = -1;
  int output_ = -1;
};

TEST_F(Student, SeesAStepGradedAgainWheneverItIsSavedAndOnlyThatStep) {
  const std::string right = course.solution("step0_naive.cu");
  Watching grade(course / "mine", {"--watch", "--device", "sim", "--assignment", "hw6"});
  EXPECT_THAT(grade.until("Ctrl-C ends."), HasSubstr("Score: 90/100"));

  course.write("mine/step0_naive.cu", right + "\nthis is no CUDA\n");  // in place
  const std::string broken = grade.until("Ctrl-C ends.");
  EXPECT_THAT(broken, HasSubstr("Saved: step0_naive.cu"));
  EXPECT_THAT(broken, HasSubstr("build_error"));
  EXPECT_THAT(broken, HasSubstr("Score: 0/40"));
  EXPECT_THAT(broken, Not(HasSubstr("step1")));
  EXPECT_THAT(broken, Not(HasSubstr("\x1b"))) << "nothing is cleared in a pipe";

  course.write("mine/step0_naive.cu~", right);  // as an editor that renames
  fs::rename(course / "mine/step0_naive.cu~", course / "mine/step0_naive.cu");
  EXPECT_THAT(grade.until("Ctrl-C ends."), HasSubstr("Score: 40/40"));
  EXPECT_EQ(grade.end(SIGINT), 0) << "the status of the last report";
}

TEST_F(Student, WatchesOnlyTheStepsThatAreNamed) {
  Watching grade(course / "mine", {"step1", "--watch", "--device", "sim", "--assignment", "hw6", "--quiet"});
  EXPECT_THAT(grade.until("Ctrl-C ends."), HasSubstr("Waiting until step1_coalesced.cu is saved"));
  course.write("mine/step0_naive.cu", "// not watched");
  course.write("mine/step1_coalesced.cu", "no CUDA");
  EXPECT_THAT(grade.until("Ctrl-C ends."), Not(HasSubstr("step0")));
  EXPECT_EQ(grade.end(SIGTERM), 1) << "the status of the last report";
}

}  // namespace
}  // namespace warpgrade::tests
