// Grades as CSV, for Gradescope, Classroom 50, PrairieLearn, Submitty and Autolab, as JUnit XML.
#include "report/grades.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <regex>
#include <set>

#include "base/base64.hpp"
#include "base/csv.hpp"
#include "tests/report/a_class.hpp"
#include "tests/report/sample.hpp"

namespace warpgrade::report {
namespace {

using nlohmann::json;

std::set<std::string> keys_of(const json &object) {
  std::set<std::string> keys;
  for (const auto &[key, value] : object.items()) keys.insert(key);
  return keys;
}

const StudentGrades &student(const ClassGrades &c, const std::string &id) {
  for (const StudentGrades &s : c.students)
    if (s.student == id) return s;
  throw std::out_of_range(id);
}

TEST(GradesCsv, HasARowForEveryStudentAndReadsBackWhole) {
  const ClassGrades c = a_class();
  const CsvTable table(grades_to_csv(c));
  ASSERT_EQ(table.rows(), 1 + c.students.size());
  EXPECT_EQ(table.cell(0, 0), "student");
  for (std::size_t row = 0; row < table.rows(); ++row) EXPECT_EQ(table.columns(row), table.columns(0)) << row;
  for (std::size_t i = 0; i < c.students.size(); ++i) {
    EXPECT_EQ(table.cell(i + 1, 0), c.students[i].student);
    EXPECT_EQ(table.cell(i + 1, 1), name_of(c.students[i].standing));
  }
  EXPECT_EQ(table.cell(1, 2), "93.5");
  EXPECT_EQ(table.cell(1, 6), "2026-01-31T23:59:59Z");
  EXPECT_EQ(table.cell(5, 2), "");  // pending: no number that someone could copy
}

TEST(GradesCsv, NoCellBeginsAFormulaAndNoByteIsAControlCharacter) {
  ClassGrades c = a_class();
  for (const char *id : {"=1+1", "@x", "-2", "+3", "\t=4", "Zoë Straße", "O'Neill; \"Jo\""}) {
    c.students.push_back(c.students[1]);
    c.students.back().student = id;
  }
  const std::string text = grades_to_csv(c);
  for (const char byte : text)
    EXPECT_TRUE(static_cast<unsigned char>(byte) >= 0x20 || byte == '\r' || byte == '\n' || byte == '\t');
  const CsvTable table(text);
  for (std::size_t row = 0; row < table.rows(); ++row)
    for (std::size_t column = 0; column < table.columns(row); ++column) {
      const std::string cell = table.cell(row, column);
      EXPECT_TRUE(cell.empty() || std::string_view("=+-@\t\r").find(cell.front()) == std::string_view::npos)
          << cell;
    }
  EXPECT_EQ(table.cell(7, 0), "'=1+1");
  EXPECT_EQ(table.cell(12, 0), "Zoë Straße");
  EXPECT_EQ(table.cell(13, 0), "O'Neill; \"Jo\"");
}

TEST(Gradescope, HasTheDocumentedFieldsAndDeclaresEveryTextAsPlain) {
  const std::set<std::string> top = {"score",         "execution_time",     "output",
                                     "output_format", "test_output_format", "test_name_format",
                                     "visibility",    "stdout_visibility",  "extra_data",
                                     "tests",         "leaderboard"};
  const std::set<std::string> of_test = {"score",       "max_score",  "status",    "name",
                                         "name_format", "number",     "output",    "output_format",
                                         "tags",        "visibility", "extra_data"};
  for (const StudentGrades &s : a_class().students) {
    const json j = json::parse(to_gradescope(s));
    for (const std::string &key : keys_of(j)) EXPECT_TRUE(top.contains(key)) << key;
    for (const char *format : {"output_format", "test_output_format", "test_name_format"})
      EXPECT_EQ(j[format], "text");
    EXPECT_EQ(j["score"], s.points);
    ASSERT_EQ(j["tests"].size(), s.steps.size());
    for (const json &test : j["tests"]) {
      for (const std::string &key : keys_of(test)) EXPECT_TRUE(of_test.contains(key)) << key;
      EXPECT_EQ(test["output_format"], "text");
      EXPECT_EQ(test["name_format"], "text");
      EXPECT_TRUE(test["number"].is_string());
      EXPECT_TRUE(test["status"] == "passed" || test["status"] == "failed");
    }
  }
}

TEST(Gradescope, SaysWhatHappenedWithoutControlCharacters) {
  const ClassGrades c = a_class();
  const json j = json::parse(to_gradescope(student(c, "hostile")));
  EXPECT_EQ(j["tests"][0]["status"], "passed");
  EXPECT_EQ(j["tests"][1]["status"], "failed");
  const std::string output = j["tests"][1]["output"];
  EXPECT_TRUE(output.starts_with("wrong_answer: =cmd("));
  EXPECT_EQ(output.find('\x1b'), std::string::npos);
  EXPECT_NE(std::string(json::parse(to_gradescope(student(c, "bomb")))["output"]).find("more than 64 MiB"),
            std::string::npos);
  EXPECT_NE(std::string(json::parse(to_gradescope(student(c, "ours")))["tests"][1]["output"])
                .find("costs no points"),
            std::string::npos);
  EXPECT_EQ(json::parse(to_gradescope(student(c, "absent")))["output"], "Nothing was handed in.");
}

TEST(Classroom50, ScoresAreWholeNumbersThatKeepPartOfTheCredit) {
  const ClassGrades c = a_class();
  const json right = json::parse(to_classroom50(student(c, "right")));
  EXPECT_EQ(right["score"], 94);  // 40 + 53.5
  EXPECT_EQ(right["max-score"], 100);
  EXPECT_EQ(right["tests"][1]["score"], 54);
  EXPECT_EQ(right["tests"][1]["passed"], true);
  EXPECT_EQ(json::parse(to_classroom50(student(c, "hostile")))["score"], 40);
  StudentGrades more = student(c, "right");
  more.steps.push_back(step_grade("beyond", "accepted", 20, 20));
  more.steps.back().extra_credit = true;
  EXPECT_EQ(json::parse(to_classroom50(more))["score"], 100) << "a score above max-score is refused there";
}

TEST(Classroom50, NoTextCanBeginALineThatTheRunnerWouldObey) {
  const json j = json::parse(to_classroom50(student(a_class(), "hostile")));
  const std::string message = j["tests"][1]["message"];
  EXPECT_NE(message.find("::set-output"), std::string::npos);  // shown, inert
  EXPECT_EQ(message.find_first_of("\n\r\x1b"), std::string::npos) << message;
  EXPECT_TRUE(message.starts_with("wrong_answer: "));
}

TEST(Prairielearn, AFailureOfTheGraderCostsNoAttempt) {
  const auto results = [](const StudentGrades &s) {
    return json::parse(platforms::prairielearn.exports.of_student(s));
  };
  const ClassGrades c = a_class();
  EXPECT_EQ(results(student(c, "ours"))["gradable"], false);
  EXPECT_FALSE(results(student(c, "ours")).contains("score"));
  EXPECT_EQ(results(student(c, "right"))["gradable"], true);
  EXPECT_DOUBLE_EQ(results(student(c, "right"))["score"], 0.935);
  StudentGrades more = student(c, "right");
  more.points = 120;
  EXPECT_EQ(results(more)["score"], 1.0);
  more.max_points = 0;
  EXPECT_EQ(results(more)["score"], 0.0);
}

TEST(Submitty, AFailureOfTheGraderIsNoGrade) {
  const auto printed = [](const StudentGrades &s) {
    return json::parse(platforms::submitty.exports.of_student(s));
  };
  const ClassGrades c = a_class();
  EXPECT_EQ(printed(student(c, "ours"))["status"], "failure");
  EXPECT_FALSE(printed(student(c, "ours")).contains("data"));
  EXPECT_EQ(printed(student(c, "right"))["data"]["status"], "failure");  // 93.5 of 100
  EXPECT_DOUBLE_EQ(printed(student(c, "right"))["data"]["score"], 0.935);
}

TEST(Autolab, TheLastLineIsJsonThatItsQuotingOfWordsLeavesAlone) {
  const ClassGrades c = a_class();
  for (const StudentGrades &s : c.students) {
    const std::string text = platforms::autolab.exports.of_student(s);
    ASSERT_TRUE(text.ends_with("\n"));
    const std::size_t before = text.rfind('\n', text.size() - 2);
    const std::string last = text.substr(before + 1, text.size() - before - 2);
    const json j = json::parse(last);
    ASSERT_TRUE(j.at("scores").is_object());
    for (const auto &[problem, score] : j.at("scores").items()) {
      EXPECT_TRUE(problem == "step0" || problem == "step1") << problem;
      EXPECT_TRUE(score.is_number());
    }
    // Autolab's own rewriting of the line before it parses it.
    const std::string quoted = std::regex_replace(last, std::regex(R"re(([a-zA-Z0-9]+):)re"), "\"$1\":");
    EXPECT_EQ(quoted, last);
  }
  EXPECT_THAT(platforms::autolab.exports.of_student(student(c, "ours")),
              ::testing::EndsWith("{\"scores\":{\"step0\":40.0}}\n"));
}

TEST(ClassJunit, HasASuiteAStudentWithCountsThatAddUp) {
  const std::string xml = grades_to_junit(a_class());
  EXPECT_NE(xml.find(R"(<testsuites name="hw6" tests="12" failures="5" errors="1" time="0">)"),
            std::string::npos)
      << xml;
  EXPECT_NE(
      xml.find(
          R"(<testsuite name="hw6.ours" tests="2" failures="0" errors="1" skipped="0" time="0" timestamp=")"),
      std::string::npos);
  EXPECT_NE(xml.find(R"(<error type="grader_error" message="the simulator crashed"/>)"), std::string::npos);
  EXPECT_NE(xml.find(R"(<skipped message="not graded yet"/>)"), std::string::npos);
  EXPECT_NE(xml.find(R"(<property name="points" value="93.5"/>)"), std::string::npos);
  for (const char byte : xml) EXPECT_TRUE(static_cast<unsigned char>(byte) >= 0x20 || byte == '\n');
  EXPECT_EQ(xml.find("<script>"), std::string::npos);
  EXPECT_EQ(xml.find("]]>"), std::string::npos);
}

TEST(Prairielearn, GetsAPictureOfWhereElementsAreWrongUnlessTheCaseIsHidden) {
  Sample s;
  judge::CaseVerdict &failed = s.record.steps[1].cases.at(0);
  failed.verdict = judge::Verdict::wrong_answer;
  failed.comparison.emplace();
  failed.comparison->checked = 4;
  failed.comparison->wrong = 1;
  failed.comparison->map = {2, 2, 2, 2, {0, 0, 0, 1}};
  const auto tests = [&] {
    const std::string text = platforms::prairielearn.exports.of_student(grades_of(s.report(), ""));
    return json::parse(text).at("tests");
  };
  const json images = tests().at(1).at("images");
  ASSERT_EQ(images.size(), 1u);
  EXPECT_TRUE(std::string(images[0].at("label")).starts_with(failed.name + ": ")) << images[0].at("label");
  const std::string url = images[0].at("url"), kind = "data:image/svg+xml;base64,";
  ASSERT_TRUE(url.starts_with(kind));
  const std::string svg = from_base64(url.substr(kind.size())).value();
  EXPECT_TRUE(svg.starts_with("<svg xmlns=\"http://www.w3.org/2000/svg\"")) << "a file by itself";
  EXPECT_NE(svg.find("row 1, column 1: 1 of 1 wrong"), std::string::npos);
  EXPECT_NE(svg.find(".h4{fill:"), std::string::npos);
  EXPECT_FALSE(tests().at(0).contains("images")) << "this step is right";
  failed.visibility = course::Visibility::hidden;
  EXPECT_FALSE(tests().at(1).contains("images"));
}

TEST(Grades, PointsByHandDecideWhetherAStepIsPassed) {
  StepGrade step = step_grade("step0", "race", 40, 40, "a race");
  EXPECT_FALSE(step.passed());
  step.by_hand = "a TA read it";
  EXPECT_TRUE(step.passed());
  step.points = 20;
  EXPECT_FALSE(step.passed());
}

}  // namespace
}  // namespace warpgrade::report
