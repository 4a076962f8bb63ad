// Classroom 50's autograder.py: it runs in a checkout as Classroom 50 runs it, and leaves a result of the
// schema classroom50/result/v1.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>
#include <regex>

#include "tests/end_to_end/small_course.hpp"
#include "tests/places.hpp"

namespace warpgrade::tests {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using ::testing::HasSubstr;

class Classroom50 : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(shell("python3 -c 'import tarfile'", "/").status, 0)
        << "autograder.py needs python3: run 'make setup'";
    const CommandResult packed =
        shell(std::string("'") + place::gradebook + "' kit hw6 --out autograders/hw6", course.root());
    ASSERT_EQ(packed.status, 0) << packed.output;
    fs::copy_file(fs::path(place::root) / "templates/classroom50/autograder.py",
                  course / "autograders/hw6/autograder.py");
    course.hand_in("checkout", "one");
    const CommandResult committed = shell(
        "git init -q . && git add . && GIT_COMMITTER_DATE='2026-06-01T14:32:01Z' git -c user.name=student "
        "-c user.email=student@example.edu commit -qm work",
        course / "class/checkout");
    ASSERT_EQ(committed.status, 0) << committed.output;
  }
  CommandResult run() const {
    return shell(
        "CLASSROOM=gpu ASSIGNMENT=hw6 ASSIGNMENT_TYPE=individual OWNER=student USERNAME=student "
        "SUBMISSION_TAG=submit/2026-06-01T14-32-05Z-a1b2c3d COMMIT_URL=https://example.edu/commit "
        "RELEASE_URL=https://example.edu/release REVIEW_URL=https://example.edu/review python3 "
        "../../autograders/hw6/autograder.py",
        course / "class/checkout");
  }
  SmallCourse course;
};

TEST_F(Classroom50, AutograderWritesAResultOfItsSchemaAndAReport) {
  const CommandResult r = run();
  ASSERT_EQ(r.status, 0) << r.output;
  const json result = json::parse(text_of(course / "class/checkout/result.json"));
  const std::map<std::string, std::string> required = {
      {"schema", "classroom50/result/v1"},
      {"classroom", "gpu"},
      {"assignment", "hw6"},
      {"assignment_type", "individual"},
      {"owner", "student"},
      {"submission", "submit/2026-06-01T14-32-05Z-a1b2c3d"},
      {"commit", "https://example.edu/commit"},
      {"release", "https://example.edu/release"},
      {"review", "https://example.edu/review"},
      {"datetime", "2026-06-01T14:32:01Z"},
  };
  for (const auto &[name, value] : required) EXPECT_EQ(result.at(name), value);
  EXPECT_TRUE(std::regex_match(std::string(result.at("graded_at")),
                               std::regex(R"(\d{4}-\d{2}-\d{2}T([01]\d|2[0-3]):[0-5]\d:[0-5]\dZ)")));
  EXPECT_EQ(result.size(), required.size() + 4)
      << "unknown fields are refused: " << result;  // graded_at, scores, tests
  EXPECT_TRUE(result.at("score").is_number_integer());
  EXPECT_GT(result.at("score"), 0);
  EXPECT_LE(result.at("score"), result.at("max-score"));
  EXPECT_EQ(result.at("tests").size(), 2u);
  EXPECT_THAT(text_of(course / "class/checkout/report.html"), HasSubstr("<html"));
}

TEST_F(Classroom50, AutograderThatCannotGradeFailsInsteadOfGivingAScore) {
  course.write("autograders/hw6/other.tar.gz", "");
  const CommandResult r = run();
  EXPECT_NE(r.status, 0);
  EXPECT_THAT(r.output, HasSubstr("expected one kit"));
  EXPECT_FALSE(fs::exists(course / "class/checkout/result.json"));
}

}  // namespace
}  // namespace warpgrade::tests
