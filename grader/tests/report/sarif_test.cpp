// SARIF 2.1.0: the properties that its schema requires, with their types.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "tests/report/sample.hpp"

namespace warpgrade::report {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

json sarif_run_of(const Sample &s) {
  const json log = json::parse(to_sarif(s.report()));
  EXPECT_EQ(log.at("version"), "2.1.0");
  EXPECT_TRUE(log.at("$schema").is_string());
  EXPECT_EQ(log.at("runs").size(), 1u);
  return log.at("runs").at(0);
}

TEST(Sarif, HasWhatItsSchemaRequires) {
  const json run = sarif_run_of(Sample());
  EXPECT_TRUE(run.at("tool").at("driver").at("name").is_string());
  EXPECT_TRUE(run.at("invocations").at(0).at("executionSuccessful").is_boolean());
  std::set<std::string> rules;
  for (const json &rule : run.at("tool").at("driver").at("rules"))
    EXPECT_TRUE(rules.insert(rule.at("id")).second) << "ids of rules are unique";
  EXPECT_GE(run.at("results").size(), 2u);
  for (const json &result : run.at("results")) {
    EXPECT_TRUE(rules.contains(result.at("ruleId"))) << result;
    EXPECT_TRUE((std::set<std::string>{"none", "note", "warning", "error"}).contains(result.at("level")));
    EXPECT_FALSE(std::string(result.at("message").at("text")).empty());
    const json &place = result.at("locations").at(0).at("physicalLocation");
    EXPECT_TRUE(place.at("artifactLocation").at("uri").is_string());
    if (place.contains("region")) {
      EXPECT_GE(place.at("region").at("startLine").get<int>(), 1);
    }
  }
}

TEST(Sarif, NamesTheFaultyLineOnceAndNothingOfAnAcceptedStep) {
  Sample s;
  judge::Finding race;
  race.code = "race";
  race.severity = "error";
  race.file = "step2.cu";
  race.line = 31;
  race.message = "Two threads write one word.";
  s.record.steps[1].findings = {race};
  std::set<std::string> files;
  int of_step2 = 0;
  const json run = sarif_run_of(s);
  for (const json &result : run.at("results")) {
    const json &place = result.at("locations").at(0).at("physicalLocation");
    const std::string file = place.at("artifactLocation").at("uri");
    files.insert(file);
    if (file != "step2.cu") continue;
    ++of_step2;
    EXPECT_EQ(result.at("ruleId"), "race");
    EXPECT_EQ(result.at("message").at("text"), "Two threads write one word.");
    EXPECT_EQ(place.at("region").at("startLine"), 31);
  }
  EXPECT_EQ(of_step2, 1);
  EXPECT_EQ(files, (std::set<std::string>{"step2.cu", "step3.cu"})) << "step1 is accepted";
}

TEST(Sarif, OurOwnFailureIsAnInvocationsAndNoResult) {
  Sample s;
  s.record.steps[1].verdict = judge::Verdict::grader_error;
  s.record.steps[1].reason = "the disk is full";
  const json run = sarif_run_of(s);
  for (const json &result : run.at("results"))
    EXPECT_THAT(result.dump(), testing::Not(HasSubstr("step2.cu")));
  EXPECT_EQ(run.at("invocations").at(0).at("executionSuccessful"), false);
  EXPECT_THAT(run.at("invocations").at(0).at("toolExecutionNotifications").dump(),
              HasSubstr("the disk is full"));
}

TEST(Sarif, PathsAreUriReferencesAndTextsValidUtf8) {
  Sample s;
  s.record.steps[1].file = "a b/\xc3\xbc%.cu";
  s.record.steps[1].findings.clear();
  s.record.steps[1].reason = "\xff\x1b[2J";
  EXPECT_THAT(to_sarif(s.report()), HasSubstr("\"uri\": \"a%20b/%C3%BC%25.cu\""));
  EXPECT_THAT(to_sarif(s.report()), HasSubstr("\\\\xff"));
}

TEST(Annotations, NameFileLineAndTitleAndNoTextOfAStudentStartsACommand) {
  Sample s;
  judge::Finding race;
  race.code = "race";
  race.severity = "warning";
  race.line = 31;
  race.message = "100 % wrong:\n::error::not ours\r";
  s.record.steps[1].verdict = judge::Verdict::accepted;
  s.record.steps[1].file = "a,b:c.cu";
  s.record.steps[1].findings = {race};
  const std::string text = to_annotations(s.report(), "hw6");
  EXPECT_THAT(text,
              HasSubstr("::warning file=hw6/a%2Cb%3Ac.cu,line=31,title=race::100 %25 wrong:%0A::error::not "
                        "ours"));
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);)
    EXPECT_TRUE(line.starts_with("::warning file=hw6/") || line.starts_with("::error file=hw6/")) << line;
  EXPECT_THAT(to_annotations(s.report(), "."), HasSubstr("file=a%2Cb"));
}

}  // namespace
}  // namespace warpgrade::report
