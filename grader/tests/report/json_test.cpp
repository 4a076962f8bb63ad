#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>

#include "tests/report/sample.hpp"

namespace warpgrade::report {
namespace {

using Json = nlohmann::json;

TEST(ScoreJson, HasTheKeysOfItsSchema) {
  const Json j = Json::parse(to_json(Sample().report()));
  EXPECT_EQ(j["schema"], "warpgrade.score/1");
  for (const char *key : {"assignment", "submission", "seed", "device", "steps", "score", "max_score",
                          "ungraded_points", "extra_credit"})
    EXPECT_TRUE(j.contains(key)) << key;
  for (const char *key : {"kind", "name", "arch"}) EXPECT_TRUE(j["device"].contains(key)) << key;
  for (const char *key : {"id", "title", "verdict", "points", "max_points", "ungraded_points", "build",
                          "cases", "counters", "performance", "diagnostics"})
    EXPECT_TRUE(j["steps"][0].contains(key)) << key;
  for (const char *key : {"ok", "seconds", "registers", "static_shared_bytes", "spill_bytes", "log"})
    EXPECT_TRUE(j["steps"][0]["build"].contains(key)) << key;
  for (const char *key :
       {"name", "m", "n", "k", "visibility", "verdict", "max_error", "tolerance", "mismatches"})
    EXPECT_TRUE(j["steps"][0]["cases"][0].contains(key)) << key;
}

TEST(ScoreJson, HoldsTheScoresAndVerdicts) {
  const Json j = Json::parse(to_json(Sample().report()));
  EXPECT_EQ(j["score"], 14);
  EXPECT_EQ(j["max_score"], 90);
  EXPECT_EQ(j["ungraded_points"], 6);
  EXPECT_EQ(j["steps"][1]["verdict"], "out_of_bounds");
  EXPECT_EQ(j["steps"][1]["diagnostics"][0]["line"], 23);
  EXPECT_EQ(j["steps"][1]["cases"][1]["mismatches"][0]["element"], "C[32, 0]");
}

TEST(ScoreJson, APartThatWasNotMeasuredIsNullWithAReason) {
  const Json step = Json::parse(to_json(Sample().report()))["steps"][0];
  EXPECT_TRUE(step["performance"].is_null());
  EXPECT_EQ(step["performance_reason"], "there is no GPU here");
  EXPECT_TRUE(step["counters"].is_null());
  EXPECT_EQ(step["counters_reason"], "the simulator was not asked");
  EXPECT_TRUE(step["build"]["registers"].is_null());
  EXPECT_TRUE(step["cases"][2]["verdict"].is_null());
  EXPECT_EQ(step["cases"][2]["reason"], "waits for a GPU");
}

TEST(ScoreJson, OfAPartOfTheCasesHasNoPointsAndSaysWhy) {
  const Sample s;
  Report r = s.report();
  r.not_graded = "2 of 23 cases run";
  const Json j = Json::parse(to_json(r));
  for (const char *key : {"score", "ungraded_points", "extra_credit"}) EXPECT_TRUE(j[key].is_null()) << key;
  EXPECT_EQ(j["score_reason"], "2 of 23 cases run");
  EXPECT_EQ(j["max_score"], 90);
  for (const Json &step : j["steps"]) {
    EXPECT_TRUE(step["points"].is_null());
    EXPECT_EQ(step["points_reason"], "2 of 23 cases run");
  }
  EXPECT_EQ(j["steps"][1]["verdict"], "out_of_bounds");
}

TEST(ScoreJson, AnAdvisoryCaseIsMarked) {
  Sample s;
  judge::CaseVerdict &c = s.record.steps[0].cases[1];
  c.advisory = true;
  c.verdict = judge::Verdict::wrong_answer;
  const Json step = Json::parse(to_json(s.report()))["steps"][0];
  EXPECT_EQ(step["cases"][1]["advisory"], true);
  EXPECT_EQ(step["cases"][1]["verdict"], "wrong_answer");
  EXPECT_FALSE(step["cases"][0].contains("advisory"));
}

TEST(ScoreJson, HiddenCasesShowOnlyTheirVerdict) {
  const Json step = Json::parse(to_json(Sample().report()))["steps"][1];
  EXPECT_EQ(step["hidden_cases"], (Json{{"passed", 0}, {"cases", 1}}));
  const Json hidden = step["cases"][2];
  EXPECT_EQ(hidden, (Json{{"name", "hidden case 1"}, {"visibility", "hidden"}, {"verdict", "wrong_answer"}}));
}

TEST(ScoreJson, AnInfiniteErrorAndInvalidUtf8StillMakeValidJson) {
  Sample s;
  s.record.steps[1].cases[1].comparison->max_error = std::numeric_limits<double>::infinity();
  s.record.steps[2].build.log = "\xff\xfe broken \xc3";
  const Json j = Json::parse(to_json(s.report()));
  EXPECT_TRUE(j["steps"][1]["cases"][1]["max_error"].is_null());
  EXPECT_EQ(j["steps"][2]["build"]["log"], "\\xff\\xfe broken \\xc3");
}

}  // namespace
}  // namespace warpgrade::report
