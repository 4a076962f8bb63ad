// A class in which most submissions attack the grader: each is one row, nothing of any reaches another, and
// honest work has the grades that it has when it is graded alone.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "setup/fixtures.hpp"
#include "tests/end_to_end/small_course.hpp"
#include "tests/places.hpp"
#include "tests/take_in/make_archive.hpp"

namespace warpgrade::tests {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::Not;

const fs::path repository = place::root;
const std::vector<std::string> honest = {"an_honest_one", "honest", "the_last_honest_one"};
#ifdef WARPGRADE_CLANG
const std::string compiler = " --toolchain clang";  // takes a third of nvcc's time for some 400 files
#else
const std::string compiler;
#endif

/// An attack that is a submission of hw6, with the verdicts that it may get.
struct Horror {
  std::string name;
  fs::path folder;
};

std::vector<Horror> horrors() {
  std::vector<Horror> all;
  std::ifstream list(repository / "grader/tests/submissions/threats.txt");
  for (std::string line; std::getline(list, line);) {
    std::istringstream words(line);
    std::string name, verdicts, place;
    if (!(words >> name >> verdicts >> place) || name.front() == '#' || place != "hw6") continue;
    for (const auto &verdict : fs::directory_iterator(repository / "grader/tests/submissions/hw6"))
      if (fs::is_directory(verdict.path() / name)) all.push_back({name, verdict.path() / name});
  }
  return all;
}

nlohmann::json without_times(nlohmann::json report) {
  for (auto &step : report["steps"])
    if (step["build"].is_object()) step["build"].erase("seconds");
  return report;
}

/// hw6 with few and small cases, so that what takes time is what was handed in.
class HorrorsBatch : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    course = std::make_unique<SmallCourse>();
    std::string yaml = text_of(repository / "assignments/hw6/assignment.yaml");
    const std::size_t from = yaml.find("case_sets:"), to = yaml.find("# A step's `counters`");
    yaml.replace(
        from, to - from,
        "case_sets:\n  square:\n    - {m: 1, n: 1, k: 1}\n    - {m: 33, n: 33, k: 33, alpha: 0.5, beta: "
        "2}\n  nonsquare:\n    - {m: 3, n: 33, k: 17}\n\n");
    for (const auto &[is, shorter] : std::map<std::string, std::string>{
             {"variants: variants.yaml", "# no variants"},
             {"record: {wall_seconds: 5, cpu_seconds: 2", "record: {wall_seconds: 2, cpu_seconds: 1"},
             {"counters: {m: 256, n: 256, k: 256}", "counters: {m: 32, n: 32, k: 32}"},
             {"simulate: {warp_instructions: 1.0e+8", "simulate: {warp_instructions: 1.0e+6"},
             {"on: {m: 512, n: 512, k: 512}", "on: {m: 128, n: 128, k: 128}"}}) {
      const std::size_t at = yaml.find(is);
      ASSERT_NE(at, std::string::npos) << is;
      yaml.replace(at, is.size(), shorter);
    }
    course->write("assignments/hw6/assignment.yaml", yaml);
    course->write(
        "assignments/hw6/hidden.yaml",
        "assignment: hw6\ncase_sets:\n  square:\n    - {m: 97, n: 97, k: 97, alpha: 0.75, beta: 1}\n");
    for (const char *gpu : {"default", "nvidia-h200"})
      course->write("assignments/hw6/thresholds/" + std::string(gpu) + ".yaml",
                    text_of(repository / "assignments/hw6/thresholds" / (std::string(gpu) + ".yaml")));
    hand_in();
    ran = gradebook("class", "out");
    // A machine that is busy with other tests may fail on a file that takes the compiler long; another run grades that again.
    for (int more = 3; more > 0 && ran.output.find(": this machine ") != std::string::npos; --more)
      ran = gradebook("class", "out");
    ran_alone = gradebook("alone", "out-alone");
    std::istringstream lines(text_of(*course / "out/grades.csv"));
    for (std::string line; std::getline(lines, line);) rows[line.substr(0, line.find(','))].push_back(line);
  }
  static void TearDownTestSuite() { course.reset(); }

  static void hand_in() {
    fs::create_directories(*course / "class");
    WholeFixtures fixtures(repository);
    for (const Horror &h : horrors())
      fs::copy(fixtures.whole(h.folder), *course / ("class/" + h.name), fs::copy_options::recursive);
    for (const std::string &student : honest)
      for (const char *where : {"class/", "alone/"})
        for (const auto &file : fs::directory_iterator(repository / "solutions/hw6"))
          if (file.path().extension() == ".cu")
            course->write(where + student + "/" + file.path().filename().string(),
                          text_of(file.path()) + "// by " + student + "\n");
    const auto zip = [&](const std::string &student, const std::function<void(batch::ZipBytes &)> &more) {
      batch::ZipBytes bytes;
      for (const char *file : {"step0_naive.cu", "step1_coalesced.cu"})
        bytes.add(file, course->solution(file));
      more(bytes);
      course->write("class/" + student + ".zip", bytes.bytes());
    };
    zip("zip_slip", [](auto &z) { z.add("../../outside", "x"); });
    zip("zip_symlink", [](auto &z) { z.add("step2_shared.cu", "/etc/passwd", {.mode = 0120777}); });
    zip("zip_fifo", [](auto &z) { z.add("pipe", "", {.mode = 0010644}); });
    zip("zip_bomb", [](auto &z) { z.add_nested("a", "b", true); });
    zip("zip_many", [](auto &z) {
      for (int i = 0; i < 3000; ++i) z.add(std::to_string(i), "");
    });
    zip("zip_names", [](auto &z) { z.add("-rf\n", "x"); });
    course->write("class/empty_zip.zip", batch::ZipBytes().bytes());
    fs::create_directories(*course / "class/empty_folder");
    // A wrong kernel, and everything that the student's own grader believed.
    fs::copy(fixtures.whole(repository / "grader/tests/submissions/hw6/wrong_answer/noop_kernel"),
             *course / "class/tampered_local");
    for (const auto &[file, text] : std::map<std::string, std::string>{
             {"grade", "#!/bin/sh\necho 'Score: 100/100'\n"},
             {"Makefile", "all:\n\techo accepted\n"},
             {"gemm.h", "#define multiply something_else\n"},
             {"score.json", R"({"schema": "warpgrade.score/1", "score": 115, "max_score": 100})"},
             {"assignments/hw6/assignment.yaml", "tolerance: 1.0e+30\n"},
             {"assignments/hw6/hidden.yaml", "case_sets: {}\n"},
             {"starter/hw6/gemm.h", "#error ours\n"}})
      course->write("class/tampered_local/" + file, text);
  }
  static CommandResult gradebook(const std::string &submissions, const std::string &out) {
    const fs::path temporary = *course / "tmp";
    fs::create_directories(temporary);
    fs::permissions(temporary, fs::perms(01777));
    return shell("TMPDIR='" + temporary.string() + "' '" + place::gradebook + "' run " + submissions +
                     " --assignment hw6 --device sim" + compiler + " --layout plain --seed 42 --out " + out,
                 course->root());
  }
  static nlohmann::json report(const std::string &out, const std::string &student) {
    return nlohmann::json::parse(text_of(*course / (out + "/reports/" + student + "/score.json")));
  }
  /// The row of a student, empty if there is none.
  static std::string row(const std::string &student) {
    const std::vector<std::string> &found = rows[student];
    return found.empty() ? "" : found.front();
  }
  static inline std::unique_ptr<SmallCourse> course;
  static inline CommandResult ran, ran_alone;
  static inline std::map<std::string, std::vector<std::string>> rows;
};

TEST_F(HorrorsBatch, EachIsARowAndTheRunEndsNormally) {
  EXPECT_EQ(ran.status, 0) << ran.output;
  std::size_t students = 0;
  for (const auto &entry : fs::directory_iterator(*course / "class")) {
    const std::string student = entry.path().stem().string();
    ++students;
    ASSERT_EQ(rows[student].size(), 1u) << student;
    EXPECT_THAT(row(student), Not(HasSubstr("grader_error"))) << ran.output;
    EXPECT_THAT(row(student), Not(HasSubstr("pending")));
    EXPECT_TRUE(fs::exists(*course / ("out/reports/" + student + "/score.json"))) << student;
  }
  EXPECT_GT(students, 80u);
  EXPECT_EQ(rows.size(), students + 1);  // and the header
}

TEST_F(HorrorsBatch, HonestSubmissionsKeepTheGradesOfASeparateRun) {
  ASSERT_EQ(ran_alone.status, 0) << ran_alone.output;
  const std::string alone = text_of(*course / "out-alone/grades.csv");
  for (const std::string &student : honest) {
    ASSERT_EQ(rows[student].size(), 1u);
    EXPECT_THAT(alone, HasSubstr(row(student)));
    EXPECT_EQ(without_times(report("out", student)), without_times(report("out-alone", student))) << student;
    const nlohmann::json here = report("out", student);
    for (const auto &step : here["steps"]) EXPECT_EQ(step["verdict"], "accepted") << step;
  }
}

TEST_F(HorrorsBatch, EachHasTheVerdictOfASeparateRun) {
  // Wrong at sizes that this course does not have.
  const std::set<std::string> of_shape = {"special_sizes", "tail_dropped", "square_only", "corner_only"};
  for (const Horror &h : horrors()) {
    if (of_shape.contains(h.name)) continue;
    std::set<std::string> may_be = {h.folder.parent_path().filename().string()};
    bool graded = false;
    const nlohmann::json here = report("out", h.name);
    const bool with_clang = here.dump().find("\"clang ") != std::string::npos;
    for (const char *file : {"or", with_clang ? "or-with-clang" : "or"}) {
      std::ifstream or_else(h.folder / file);
      for (std::string verdict; std::getline(or_else, verdict);) may_be.insert(verdict);
    }
    for (const auto &step : here["steps"]) {
      const std::string verdict = step["verdict"];
      if (verdict == "missing") continue;
      graded = true;
      EXPECT_TRUE(may_be.contains(verdict)) << h.name << ": " << verdict << ", " << step["reason"];
    }
    EXPECT_TRUE(graded) << h.name;
  }
}

TEST_F(HorrorsBatch, HostileArchivesAreRefusedAndEmptyOnesMissing) {
  for (const char *name : {"zip_slip", "zip_symlink", "zip_fifo", "zip_bomb", "zip_many", "zip_names"}) {
    EXPECT_TRUE(row(name).ends_with(",0,0,0,0,0,0,100,archive_refused,\r")) << row(name);
    EXPECT_EQ(report("out", name)["verdict"], "archive_refused");
  }
  for (const char *name : {"empty_zip", "empty_folder"}) {
    EXPECT_TRUE(row(name).ends_with(",0,0,0,0,0,0,100,missing,\r")) << row(name);
    EXPECT_THAT(report("out", name)["notes"][0].get<std::string>(), HasSubstr("Expected: step0_naive.cu, "));
  }
}

TEST_F(HorrorsBatch, AGraderThatTheStudentChangedSaysNothingInTheOfficialRun) {
  const auto tampered = report("out", "tampered_local");
  EXPECT_EQ(tampered["score"], 0);
  EXPECT_EQ(tampered["max_score"], 100);
  std::size_t wrong = 0;
  for (const auto &step : tampered["steps"]) wrong += step["verdict"] == "wrong_answer";
  EXPECT_EQ(wrong, 1u) << tampered;
  EXPECT_THAT(tampered["notes"].dump(), HasSubstr("is not used, since only the step files"));
}

TEST_F(HorrorsBatch, NothingIsLeftBehindAndNothingWasWrittenElsewhere) {
  EXPECT_TRUE(fs::is_empty(*course / "tmp"));
  std::set<std::string> there;
  for (const auto &entry : fs::directory_iterator(course->root()))
    there.insert(entry.path().filename().string());
  EXPECT_EQ(there,
            (std::set<std::string>{"alone", "assignments", "class", "out", "out-alone", "starter", "tmp"}));
  for (const auto &process : fs::directory_iterator("/proc")) {
    const std::string command = text_of(process.path() / "cmdline");
    EXPECT_EQ(command.find(course->root().string()), std::string::npos) << process.path() << ": " << command;
  }
}

}  // namespace
}  // namespace warpgrade::tests
