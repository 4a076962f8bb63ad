// ./gradebook autograder: the zip is unpacked as Gradescope unpacks it, and its run_autograder grades there.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "setup/course_root.hpp"
#include "tests/end_to_end/small_course.hpp"
#include "tests/places.hpp"

namespace warpgrade::tests {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::Not;

const fs::path repository = place::root;

/// An /autograder as Gradescope lays it out, somewhere else.
class Autograder : public ::testing::Test {
 protected:
  Autograder() {
    course.write("assignments/hw6/hidden.yaml",
                 "assignment: hw6\ncase_sets:\n  square:\n    - {m: 7, n: 7, k: 7, alpha: 0.75, beta: 1}\n");
    made =
        shell(std::string("'") + place::gradebook + "' autograder hw6 --out autograder.zip", course.root());
    for (const char *folder : {"autograder/source", "autograder/submission", "autograder/results"})
      fs::create_directories(course / folder);
    unpacked = shell("cmake -E tar xf ../../autograder.zip", course / "autograder/source");
    course.write("autograder/submission_metadata.json", metadata);
  }
  void hand_in(const std::string &file, const std::string &text) const {
    course.write("autograder/submission/" + file, text);
  }
  CommandResult run(const std::string &environment = "") const {
    return shell("WARPGRADE_AUTOGRADER_ROOT='" + (course / "autograder").string() + "' " + environment +
                     " bash ./autograder/source/run_autograder",
                 course.root());
  }
  json results() const {
    const json all = json::parse(text_of(course / "autograder/results/results.json"), nullptr, false);
    EXPECT_TRUE(all.is_object());
    return all;
  }
  static inline const std::string metadata = R"({"id": 777, "created_at": "2026-03-01T12:00:00.0-08:00",
    "assignment": {"id": 1, "course_id": 2, "title": "HW6", "due_date": "2026-03-02T12:00:00.0-08:00",
                   "late_due_date": null, "group_submission": false, "group_size": null, "total_points": "100.0"},
    "submission_method": "upload", "users": [{"id": 3, "email": "student@example.edu", "name": "A Student"}],
    "previous_submissions": [{"submission_time": "2026-02-01T12:00:00.0-08:00", "score": 45.0,
                              "autograder_error": false, "results": {}}]})";
  SmallCourse course;
  CommandResult made, unpacked;
};

/// The names that Gradescope documents; no other is there.
void expect_documented(const json &results) {
  const std::set<std::string> top = {"score",
                                     "execution_time",
                                     "output",
                                     "output_format",
                                     "visibility",
                                     "test_output_format",
                                     "test_name_format",
                                     "stdout_visibility",
                                     "extra_data",
                                     "tests",
                                     "leaderboard"};
  const std::set<std::string> of_test = {"score",       "max_score",  "status",       "name",
                                         "name_format", "number",     "output",       "tags",
                                         "visibility",  "extra_data", "output_format"};
  for (const auto &[key, value] : results.items()) EXPECT_TRUE(top.contains(key)) << key;
  EXPECT_TRUE(results["score"].is_number());
  EXPECT_EQ(results["output_format"], "text");
  for (const json &test : results["tests"]) {
    for (const auto &[key, value] : test.items()) EXPECT_TRUE(of_test.contains(key)) << key;
    for (const char *needed : {"score", "max_score", "name", "number", "output", "status"})
      EXPECT_TRUE(test.contains(needed)) << needed;
  }
}

TEST_F(Autograder, GradesASolutionAWrongOneAndNothingAndAlwaysAnswers) {
  ASSERT_EQ(made.status, 0) << made.output;
  ASSERT_EQ(unpacked.status, 0) << unpacked.output;
  const fs::path source = course / "autograder/source";
  EXPECT_TRUE(fs::exists(source / "setup.sh"));
  EXPECT_NE(fs::status(source / "run_autograder").permissions() & fs::perms::owner_exec, fs::perms::none);
  {
    SCOPED_TRACE("a solution, in a folder, beside clutter");
    for (const char *file : {"step0_naive.cu", "step1_coalesced.cu"})
      hand_in(std::string("hw6/") + file, course.solution(file));
    hand_in("__MACOSX/step0_naive.cu", "clutter");
    const CommandResult r = run();
    EXPECT_EQ(r.status, 0) << r.output;
    const json all = results();
    expect_documented(all);
    EXPECT_EQ(all["score"], 90) << r.output;  // 10 points wait for a GPU
    ASSERT_EQ(all["tests"].size(), 2u);
    EXPECT_EQ(all["tests"][0]["status"], "passed");
    EXPECT_EQ(all["tests"][1]["max_score"], 60);
    EXPECT_THAT(all["output"].get<std::string>(), HasSubstr("submission 777 of A Student"));
    EXPECT_THAT(all["output"].get<std::string>(), HasSubstr("10 points are not yet decided"));
  }
  {
    SCOPED_TRACE("a wrong one, twice with different text; the hidden case stays hidden");
    hand_in("hw6/step0_naive.cu", text_of(repository / "starter/hw6/step0_naive.cu"));
    hand_in("old/step1_coalesced.cu", "// another");
    const CommandResult r = run();
    const json all = results();
    expect_documented(all);
    EXPECT_EQ(all["score"], 0) << r.output;
    EXPECT_EQ(all["tests"][0]["status"], "failed");
    EXPECT_THAT(all["tests"][0]["output"].get<std::string>(), HasSubstr("not_implemented"));
    EXPECT_THAT(all["output"].get<std::string>(),
                HasSubstr("step1_coalesced.cu is there 2 times with different text"));
    EXPECT_THAT(all.dump(), Not(HasSubstr("m=n=k=7")));
  }
  {
    SCOPED_TRACE("no step file, but a link to one of ours");
    fs::remove_all(course / "autograder/submission");
    hand_in("step0_naiv.cu", "x");
    fs::create_symlink(course / "assignments/hw6/hidden.yaml",
                       course / "autograder/submission/step0_naive.cu");
    const CommandResult r = run();
    const json all = results();
    EXPECT_EQ(all["score"], 0) << r.output;
    EXPECT_THAT(all["output"].get<std::string>(), HasSubstr("Expected: step0_naive.cu, step1_coalesced.cu."));
    EXPECT_THAT(all["output"].get<std::string>(), HasSubstr("step0_naiv.cu is not a step file"));
  }
}

TEST_F(Autograder, AGraderThatFailsLeavesAResultThatSaysSo) {
  ASSERT_EQ(unpacked.status, 0) << unpacked.output;
  hand_in("step0_naive.cu", course.solution("step0_naive.cu"));
  const auto expect_our_failure = [&](const CommandResult &r, const char *reason) {
    EXPECT_EQ(r.status, 0) << r.output;
    EXPECT_THAT(r.output, HasSubstr(reason));  // for instructors
    const json all = results();
    expect_documented(all);
    EXPECT_EQ(all["score"], 0);
    EXPECT_THAT(all["output"].get<std::string>(), HasSubstr("grader_error: the grader itself failed"));
    EXPECT_THAT(all["output"].get<std::string>(), Not(HasSubstr(reason)));
    fs::remove(course / "autograder/results/results.json");
  };
  course.replace("autograder/source/course/assignments/hw6/assignment.yaml", "points: 100", "ponits: 100");
  expect_our_failure(run(), "ponits");
  course.replace("autograder/source/course/assignments/hw6/assignment.yaml", "ponits: 100", "points: 100");
  expect_our_failure(run("PATH=/usr/bin:/bin CUDA_HOME=/nowhere WARPGRADE_AUTOGRADER_SECONDS=0.01"),
                     "status 124");
  fs::permissions(course / "autograder/source/bin/grade", fs::perms(0600));
  expect_our_failure(run(), "status 126");
}

#ifdef WARPGRADE_AS_ROOT  // as Gradescope starts it: only root can lay that out
TEST_F(Autograder, CannotBeReadByStudentCodeEvenWithoutASandbox) {
  ASSERT_EQ(unpacked.status, 0) << unpacked.output;
  const fs::path hidden = course / "autograder/source/course/assignments/hw6/hidden.yaml";
  ASSERT_TRUE(fs::exists(hidden));
  // The compiler is what sees files; its words reach the instructor.
  hand_in("step0_naive.cu", "#include \"" + hidden.string() + "\"\n#include \"" +
                                (course / "autograder/submission_metadata.json").string() +
                                "\"\n#if __has_include(\"" + hidden.string() +
                                "\")\n#error it can be read\n#endif\n");
  for (const char *without : {"", "/usr/bin/bwrap --dev-bind / / --ro-bind /dev/null /usr/bin/bwrap"}) {
    SCOPED_TRACE(without);
    const CommandResult r = run(without[0] == '\0' ? "" : std::string("env ") + without);
    const json all = results();
    EXPECT_THAT(all["tests"][0]["output"].get<std::string>(), HasSubstr("build_error")) << r.output;
    for (const std::string &said : {r.output, all.dump()}) {
      EXPECT_THAT(said, Not(HasSubstr("alpha: 0.75")));
      EXPECT_THAT(said, Not(HasSubstr("student@example.edu")));
      EXPECT_THAT(said, Not(HasSubstr("it can be read")));
    }
  }
}
#endif

TEST(Autograders, ThatCannotBeMadeSayWhy) {
  const SmallCourse course;
  const auto refused = [&](const std::string &words) {
    return shell(std::string("'") + place::gradebook + "' autograder " + words, course.root());
  };
  EXPECT_THAT(refused("hw7 --out x.zip").output, HasSubstr("there is no assignment 'hw7' (there are: hw6)"));
  EXPECT_EQ(refused("hw6").status, 2);
  course.replace("assignments/hw6/assignment.yaml", "points: 100", "ponits: 100");
  const CommandResult r = refused("hw6 --out x.zip");
  EXPECT_EQ(r.status, 2);
  EXPECT_THAT(r.output, HasSubstr("assignments/hw6/assignment.yaml:4:"));
  EXPECT_FALSE(fs::exists(course / "x.zip"));
}

/// Lines between the markers of a solution or of a hunt's fix, or in a step beyond the course, and nowhere else.
std::set<std::string> lines_of_solutions(const std::string &assignment) {
  std::set<std::string> secret;
  std::string open;
  for (const auto &entry : fs::recursive_directory_iterator(repository / "solutions" / assignment)) {
    if (entry.path().extension() != ".cu" && entry.path().extension() != ".h") continue;
    const std::string all = text_of(entry.path());
    std::istringstream text(all);
    const std::size_t telling = all.find("BEGIN FIX") == std::string::npos ? 30 : 15;  // an answer is short
    bool inside = entry.path().parent_path().filename() == "beyond";
    for (std::string line; std::getline(text, line);) {
      if (line.find("END SOLUTION") != std::string::npos || line.find("END FIX") != std::string::npos)
        inside = false;
      if (line.find("// FAULT: ") != std::string::npos) continue;
      const std::size_t begin = line.find_first_not_of(' ');
      if (!inside) open += line + "\n";
      if (inside && begin != std::string::npos && line.size() - begin > telling)
        secret.insert(line.substr(begin));
      if (line.find("BEGIN SOLUTION") != std::string::npos || line.find("BEGIN FIX") != std::string::npos)
        inside = true;
    }
  }
  std::erase_if(secret, [&](const std::string &line) { return open.find(line) != std::string::npos; });
  return secret;
}

void expect_no_solution(const fs::path &folder, const std::string &assignment) {
  const std::set<std::string> secret = lines_of_solutions(assignment);
  ASSERT_GT(secret.size(), 10u) << assignment;
  std::size_t files = 0;
  for (const auto &entry : fs::recursive_directory_iterator(folder)) {
    if (!entry.is_regular_file()) continue;
    ++files;
    const std::string text = text_of(entry.path());
    for (const std::string &line : secret)
      EXPECT_EQ(text.find(line), std::string::npos) << entry.path() << ": " << line;
  }
  EXPECT_GT(files, 5u);
}

TEST(PackLeak, NoStarterHoldsALineOfASolution) {
  for (const std::string &assignment : assignment_names(repository))
    expect_no_solution(repository / "starter" / assignment, assignment);
}

TEST(PackLeak, AnAutograderHoldsWhatItNeedsAndNoLineOfASolution) {
  const SmallCourse course;
  const CommandResult r = shell("mkdir zip && cd '" + repository.string() + "' && '" + place::gradebook +
                                    "' autograder hw6 --out '" + (course / "a.zip").string() + "' && cd '" +
                                    (course / "zip").string() + "' && cmake -E tar xf ../a.zip",
                                course.root());
  ASSERT_EQ(r.status, 0) << r.output;
  EXPECT_THAT(r.output, HasSubstr("It contains the hidden cases of hw6"));
  std::set<std::string> names;
  for (const auto &entry : fs::recursive_directory_iterator(course / "zip"))
    if (entry.is_regular_file() && entry.path().parent_path().filename() != "lib")
      names.insert(entry.path().lexically_relative(course / "zip").string());
  std::set<std::string> expected = {"setup.sh", "run_autograder", "assignment", "steps", "bin/grade"};
  for (const auto &gpu : fs::directory_iterator(repository / "assignments/gpus"))
    expected.insert("course/assignments/hw6/thresholds/" + gpu.path().filename().string());
  for (const char *file : {"assignment.yaml", "hidden.yaml", "thresholds/default.yaml"})
    expected.insert(std::string("course/assignments/hw6/") + file);
  for (const char *file : {"Makefile", "gemm.h", "step0_naive.cu", "step1_coalesced.cu", "step2_shared.cu",
                           "step3_blocktile.cu", "step4_nonsquare.cu"})
    expected.insert(std::string("course/starter/hw6/") + file);
  for (const auto &measured :
       fs::directory_iterator(repository / "handouts/measured"))  // what predictions need
    if (const std::string name = measured.path().filename().string(); name.starts_with("hw6-"))
      expected.insert("course/assignments/hw6/library/" + name.substr(4));
  EXPECT_EQ(names, expected);
  expect_no_solution(course / "zip", "hw6");
}

}  // namespace
}  // namespace warpgrade::tests
