// Formats of other systems, name by name as they document them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>
#include <sstream>

#include "report/report.hpp"
#include "tests/report/a_class.hpp"
#include "tests/report/sample.hpp"

namespace warpgrade::report {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using Names = std::set<std::string>;

ClassGrades one(const std::string &student, double points = 93.456) {
  ClassGrades c = a_class();
  c.students.resize(1);
  c.students[0].student = student;
  c.students[0].points = points;
  return c;
}

// Canvas: the columns that its export has before those of assignments, and how it finds a student.
const std::string canvas_header =
    "Student,ID,SIS User ID,SIS Login ID,Integration ID,Root Account,Section,HW (7),Current Score\r\n";

TEST(Documented, CanvasFindsAStudentByEachOfItsIds) {
  for (const char *id : {"501", "sis9", "login9", "int9"}) {
    const Filled f = fill_canvas(canvas_header + "\"A, B\",501,sis9,login9,int9,canvas.example.edu,S,,1\r\n",
                                 one(id), {"HW", ""});
    EXPECT_THAT(f.text, HasSubstr("canvas.example.edu,S,93.46,1\r\n")) << id;  // two decimals
  }
  EXPECT_EQ(fill_canvas(canvas_header + "A,501,s,l,i,root,S,,1\r\n", one("root"), {"HW", ""}).grades, 0u);
}

TEST(Documented, CanvasNeedsTheColumnsThatItsImporterNeeds) {
  EXPECT_NO_THROW(fill_canvas("Student,ID,Section,HW (7)\nA,501,S,\n", one("501"), {"HW", ""}));
  EXPECT_NO_THROW(fill_canvas("LastName,FirstName,ID,Section,HW (7)\nA,B,501,S,\n", one("501"), {"HW", ""}));
  for (const char *header :
       {"Name,ID,Section,HW (7)", "Student,Number,Section,HW (7)", "Student,ID,Group,HW (7)"})
    EXPECT_THROW(fill_canvas(std::string(header) + "\nA,501,S,\n", one("501"), {"HW", ""}), CsvError)
        << header;
  for (const char *computed : {"Current Score", "Final Score", "Override Score", "Current Grade",
                               "Final Grade", "Override Grade", "Current Points", "Final Points"})
    EXPECT_THROW(fill_canvas(std::string("Student,ID,Section,") + computed + "\nA,501,S,\n", one("501"),
                             {computed, ""}),
                 CsvError)
        << computed;
}

// Moodle: the worksheet of its offline grading, of which three columns are needed for the import.
const std::vector<std::string> moodle_columns = {"Identifier",
                                                 "Full name",
                                                 "Email address",
                                                 "Status",
                                                 "Grade",
                                                 "Maximum Grade",
                                                 "Grade can be changed",
                                                 "Last modified (submission)",
                                                 "Last modified (grade)",
                                                 "Feedback comments"};

std::string moodle_without(const std::string &left_out) {
  const std::map<std::string, std::string> row = {
      {"Identifier", "Participant 3071"}, {"Maximum Grade", "100.00"}, {"Grade can be changed", "Yes"},
      {"Last modified (grade)", "-"},     {"Full name", "A Student"},  {"Email address", "a@x"}};
  std::string header, cells;
  for (const std::string &column : moodle_columns) {
    if (column == left_out) continue;
    header += (header.empty() ? "" : ",") + column;
    const auto cell = row.find(column);
    cells += (column == "Identifier" ? "" : ",") + (cell == row.end() ? "" : cell->second);
  }
  return header + "\n" + cells + "\n";
}

TEST(Documented, MoodleNeedsThreeColumnsAndTakesAllOfItsWorksheet) {
  const Filled f = fill_moodle(moodle_without(""), one("3071"), {});
  EXPECT_EQ(f.grades, 1u);
  EXPECT_THAT(f.text, HasSubstr("Participant 3071,A Student,a@x,,93.46,100.00,Yes,,-,step0"));
  for (const std::string &column : moodle_columns) {
    const bool needed = column == "Identifier" || column == "Grade" || column == "Last modified (grade)";
    if (!needed) {
      EXPECT_EQ(fill_moodle(moodle_without(column), one("3071"), {}).grades, 1u) << column;
      continue;
    }
    try {
      fill_moodle(moodle_without(column), one("3071"), {});
      ADD_FAILURE() << column;
    } catch (const CsvError &e) {
      EXPECT_THAT(e.what(), HasSubstr("'" + column + "'"));
    }
  }
}

TEST(Documented, GradescopeGetsTheNamesThatItNeedsWithTheirTypes) {
  for (const StudentGrades &s : a_class().students) {
    const json all = json::parse(to_gradescope(s));
    for (const char *text : {"output", "output_format", "test_output_format", "test_name_format",
                             "visibility", "stdout_visibility"})
      EXPECT_TRUE(all.at(text).is_string()) << text;
    EXPECT_TRUE(all.at("score").is_number());
    for (const json &test : all.at("tests")) {
      for (const char *text :
           {"name", "name_format", "number", "status", "output", "output_format", "visibility"})
        EXPECT_TRUE(test.at(text).is_string()) << text;
      for (const char *number : {"score", "max_score"}) EXPECT_TRUE(test.at(number).is_number()) << number;
    }
  }
}

// schemas/result-v1.schema.json of Classroom 50, without the fields that name the repository and the commit:
// autograder.py adds those.
TEST(Documented, Classroom50GetsTheResultOfItsSchema) {
  for (const StudentGrades &s : a_class().students) {
    const json all = json::parse(to_classroom50(s));
    EXPECT_EQ(all.at("schema"), "classroom50/result/v1");
    EXPECT_EQ(all.size(), 4u) << "unknown fields are refused: " << all;
    for (const char *number : {"score", "max-score"}) {
      ASSERT_TRUE(all.at(number).is_number_integer()) << number;
      EXPECT_GE(all.at(number), 0);
    }
    EXPECT_LE(all.at("score"), all.at("max-score"));
    ASSERT_EQ(all.at("tests").size(), s.steps.size());
    for (const json &test : all.at("tests")) {
      EXPECT_FALSE(std::string(test.at("test-name")).empty());
      EXPECT_TRUE(test.at("passed").is_boolean());
      ASSERT_TRUE(test.at("score").is_number_integer() && test.at("max-score").is_number_integer());
      EXPECT_GE(test.at("score"), 0);
      EXPECT_LE(test.at("score"), test.at("max-score"));
    }
  }
}

// Score, of Learning Tools Interoperability Assignment and Grade Services 2.0, section 3.4.
TEST(Documented, LtiGetsTheScoreMessageOfItsSpecification) {
  const Names known = {"activityProgress", "gradingProgress", "scoreGiven", "scoreMaximum",
                       "comment",          "timestamp",       "userId",     "submission"};
  const Names activity = {"Initialized", "Started", "InProgress", "Submitted", "Completed"};
  const Names grading = {"FullyGraded", "Pending", "PendingManual", "Failed", "NotReady"};
  const std::regex time("\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d([.]\\d{3})?Z");
  for (const StudentGrades &s : a_class().students) {
    const json all = json::parse(platforms::lti.exports.of_student(s));
    for (const auto &[name, value] : all.items()) EXPECT_TRUE(known.contains(name)) << name;
    EXPECT_TRUE(activity.contains(all.at("activityProgress")));
    EXPECT_TRUE(grading.contains(all.at("gradingProgress")));
    EXPECT_EQ(all.at("userId"), s.student);
    EXPECT_TRUE(all.at("comment").is_string());
    const std::string written = all.at("timestamp");
    EXPECT_TRUE(std::regex_match(written, time)) << written;
    EXPECT_NE(written.find('.'), std::string::npos) << "with fractions of seconds";
    EXPECT_EQ(all.contains("scoreGiven"), s.grade().has_value());
    EXPECT_EQ(all.contains("scoreGiven"), all.contains("scoreMaximum")) << "one needs the other";
    if (all.contains("scoreGiven")) {
      EXPECT_EQ(all.at("scoreGiven"), *s.grade());
      EXPECT_GT(all.at("scoreMaximum"), 0);
    } else {
      EXPECT_NE(all.at("gradingProgress"), "FullyGraded") << "nothing is kept that is not a grade";
    }
    if (s.standing == Standing::grader_error) {
      EXPECT_EQ(all.at("gradingProgress"), "Failed");
    }
    if (all.contains("submission")) {
      EXPECT_TRUE(std::regex_match(std::string(all.at("submission").at("submittedAt")), time));
    }
  }
}

// docs/externalGrading.md of PrairieLearn.
TEST(Documented, PrairielearnGetsTheResultsOfAnExternalGrader) {
  const Names top = {"gradable", "score", "message", "output", "images", "tests", "format_errors"};
  const Names of_test = {"name", "description", "points", "max_points", "message", "output", "images"};
  for (const StudentGrades &s : a_class().students) {
    const json all = json::parse(platforms::prairielearn.exports.of_student(s));
    for (const auto &[name, value] : all.items()) EXPECT_TRUE(top.contains(name)) << name;
    ASSERT_TRUE(all.at("gradable").is_boolean());
    EXPECT_EQ(all.contains("score"), all.at("gradable").get<bool>());
    if (all.contains("score")) {
      EXPECT_GE(all.at("score").get<double>(), 0.0);
      EXPECT_LE(all.at("score").get<double>(), 1.0);
    }
    for (const char *text : {"message", "output"}) EXPECT_TRUE(all.at(text).is_string()) << text;
    for (const json &test : all.at("tests")) {
      for (const auto &[name, value] : test.items()) EXPECT_TRUE(of_test.contains(name)) << name;
      for (const char *text : {"name", "output"}) EXPECT_TRUE(test.at(text).is_string()) << text;
      for (const char *number : {"points", "max_points"}) EXPECT_TRUE(test.at(number).is_number()) << number;
    }
  }
}

// submitty.org, "Python Custom Validation".
TEST(Documented, SubmittyGetsWhatACustomValidatorWrites) {
  for (const StudentGrades &s : a_class().students) {
    const json all = json::parse(platforms::submitty.exports.of_student(s));
    if (all.at("status") == "failure") {
      EXPECT_TRUE(all.at("message").is_string());
      continue;
    }
    EXPECT_EQ(all.at("status"), "success");
    const json &data = all.at("data");
    EXPECT_GE(data.at("score").get<double>(), 0.0);
    EXPECT_LE(data.at("score").get<double>(), 1.0);
    EXPECT_TRUE(data.at("message").is_string());
    EXPECT_TRUE(Names({"information", "failure", "warning", "success"}).contains(data.at("status"))) << data;
  }
}

// trampgeek.github.io/moodle-qtype_coderunner, "Combinator-template grading".
TEST(Documented, CodeRunnerGetsAFractionAndATableUnlessTheGraderFailed) {
  for (const StudentGrades &s : a_class().students) {
    const json all = json::parse(platforms::coderunner.exports.of_student(s));
    if (!s.grade()) {
      EXPECT_FALSE(all.contains("fraction"));
      continue;
    }
    EXPECT_GE(all.at("fraction").get<double>(), 0.0);
    EXPECT_LE(all.at("fraction").get<double>(), 1.0);
    EXPECT_TRUE(all.at("prologuehtml").is_string());
    const json &rows = all.at("testresults");
    EXPECT_EQ(rows.at(0).at(0), "iscorrect");
    EXPECT_EQ(rows.size(), s.steps.size() + 1);
    for (const json &row : rows) EXPECT_EQ(row.size(), rows.at(0).size());
  }
}

// vpl.dis.ulpgc.es, "VPL automatic grading": each line is a comment, or the grade.
TEST(Documented, VplGetsCommentsAndOneGradeThatNoTextOfAStudentCanSet) {
  ClassGrades all = a_class();
  all.students[0].notes = {"hello\nGrade :=>>100\r\nGrade :=>>100"};
  for (const StudentGrades &s : all.students) {
    const std::string text = platforms::vpl.exports.of_student(s);
    EXPECT_TRUE(text.ends_with('\n'));
    int grades = 0;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
      if (line.starts_with("Grade :=>>"))
        ++grades;
      else
        EXPECT_TRUE(line.starts_with("Comment :=>>")) << line;
    }
    EXPECT_EQ(grades, s.grade() ? 1 : 0) << text;
  }
}

// docs.dodona.be, "Judge API": commands that nest, and a status of a fixed list for each test.
TEST(Documented, DodonaGetsCommandsThatNest) {
  const Names known = {"correct",           "wrong",          "runtime error",
                       "compilation error", "internal error", "time limit exceeded"};
  for (const StudentGrades &s : a_class().students) {
    std::vector<std::string> open;
    std::istringstream lines(platforms::dodona.exports.of_student(s));
    std::size_t tests = 0;
    for (std::string line; std::getline(lines, line);) {
      const json one = json::parse(line);
      const std::string command = one.at("command");
      if (command.starts_with("start-")) open.push_back(command.substr(6));
      if (command == "start-tab") {
        EXPECT_TRUE(one.at("title").is_string());
      }
      if (command == "start-test") {
        EXPECT_TRUE(one.at("expected").is_string());
      }
      if (command == "append-message") {
        EXPECT_EQ(one.at("message").at("format"), "plain");
      }
      if (!command.starts_with("close-")) continue;
      ASSERT_FALSE(open.empty());
      EXPECT_EQ(open.back(), command.substr(6));
      open.pop_back();
      if (command != "close-test") continue;
      ++tests;
      EXPECT_TRUE(known.contains(one.at("status").at("enum"))) << line;
      EXPECT_TRUE(one.at("generated").is_string());
    }
    EXPECT_TRUE(open.empty());
    EXPECT_EQ(tests, s.steps.size());
  }
}

// cs50.github.io/check50, "JSON specification".
TEST(Documented, Check50GetsAResultPerStep) {
  const Names of_result = {"name", "description", "passed", "log", "cause", "data", "dependency"};
  for (const StudentGrades &s : a_class().students) {
    const json all = json::parse(platforms::check50.exports.of_student(s));
    EXPECT_TRUE(all.at("slug").is_string());
    EXPECT_TRUE(all.at("version").is_string());
    EXPECT_EQ(all.contains("error"), !s.refused.empty());
    EXPECT_EQ(all.contains("results"), s.refused.empty()) << "an error takes their place";
    if (!s.refused.empty()) continue;
    EXPECT_EQ(all.at("results").size(), s.steps.size());
    for (const json &result : all.at("results")) {
      Names names;
      for (const auto &[name, value] : result.items()) names.insert(name);
      EXPECT_EQ(names, of_result);
      EXPECT_TRUE(result.at("passed").is_boolean() || result.at("passed").is_null());
      EXPECT_EQ(result.at("cause").is_null(), result.at("passed") == true) << result;
      if (!result.at("cause").is_null()) {
        EXPECT_TRUE(result.at("cause").at("rationale").is_string());
      }
    }
  }
}

/// Of each element the names of its attributes, and its place: "testsuites/testsuite".
std::map<std::string, std::set<Names>> elements_of(const std::string &xml) {
  std::map<std::string, std::set<Names>> found;
  std::vector<std::string> open;
  const std::regex tag(R"re(<(/?)([a-z]+)((?:\s+[a-z_]+="[^"<]*")*)\s*(/?)>)re"),
      attribute(R"re(([a-z_]+)=")re");
  for (std::sregex_iterator at(xml.begin(), xml.end(), tag), end; at != end; ++at) {
    if ((*at)[1].length() > 0) {
      EXPECT_FALSE(open.empty());
      if (!open.empty()) {
        EXPECT_EQ(open.back(), (*at)[2]);
        open.pop_back();
      }
      continue;
    }
    open.push_back((*at)[2]);
    std::string place;
    for (const std::string &name : open) place += (place.empty() ? "" : "/") + name;
    const std::string words = (*at)[3];
    Names names;
    for (std::sregex_iterator a(words.begin(), words.end(), attribute); a != end; ++a) names.insert((*a)[1]);
    found[place].insert(names);
    if ((*at)[4].length() > 0) open.pop_back();
  }
  EXPECT_TRUE(open.empty());
  return found;
}

TEST(Documented, JunitHasTheElementsAndAttributesThatReadersKnow) {
  const std::map<std::string, std::pair<Names, Names>> known = {
      // needed, allowed besides
      {"testsuites", {{"name", "tests", "failures", "errors", "time"}, {}}},
      {"testsuites/testsuite", {{"name", "tests", "failures", "errors", "skipped", "time", "timestamp"}, {}}},
      {"testsuites/testsuite/properties", {{}, {}}},
      {"testsuites/testsuite/properties/property", {{"name", "value"}, {}}},
      {"testsuites/testsuite/testcase", {{"name", "classname", "time"}, {"file", "line"}}},
      {"testsuites/testsuite/testcase/failure", {{"message", "type"}, {}}},
      {"testsuites/testsuite/testcase/error", {{"message", "type"}, {}}},
      {"testsuites/testsuite/testcase/skipped", {{}, {"message"}}}};
  for (const std::string &xml : {grades_to_junit(a_class()), to_junit(Sample().report())}) {
    const auto elements = elements_of(xml);
    EXPECT_TRUE(elements.contains("testsuites/testsuite/testcase/failure"));
    EXPECT_TRUE(elements.contains("testsuites/testsuite/properties/property"));
    for (const auto &[place, all] : elements) {
      ASSERT_TRUE(known.contains(place)) << place;
      const auto &[needed, besides] = known.at(place);
      for (const Names &names : all) {
        for (const std::string &name : needed) EXPECT_TRUE(names.contains(name)) << place << " " << name;
        for (const std::string &name : names)
          EXPECT_TRUE(needed.contains(name) || besides.contains(name)) << place << " " << name;
      }
    }
  }
}

TEST(Documented, EveryStandingHasItsWordInEveryFormat) {
  ClassGrades c = a_class();
  c.students.push_back(student_grades("empty", Standing::missing, {step_grade("step0", "missing", 0, 40)}));
  const std::map<Standing, std::string> names = {{Standing::graded, "graded"},
                                                 {Standing::overridden, "overridden"},
                                                 {Standing::pending, "pending"},
                                                 {Standing::missing, "missing"},
                                                 {Standing::not_submitted, "not_submitted"},
                                                 {Standing::grader_error, "grader_error"},
                                                 {Standing::archive_refused, "archive_refused"}};
  const std::string csv = grades_to_csv(c), xml = grades_to_junit(c);
  for (const StudentGrades &s : c.students) {
    EXPECT_THAT(csv, HasSubstr("\r\n" + s.student + "," + names.at(s.standing) + ","));
    EXPECT_THAT(xml, HasSubstr("<property name=\"status\" value=\"" + names.at(s.standing) + "\"/>"));
  }
  EXPECT_THAT(csv, HasSubstr("archive_refused: it unpacks to more than 64 MiB"));
}

}  // namespace
}  // namespace warpgrade::report
