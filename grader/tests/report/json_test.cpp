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

TEST(ScoreJson, HiddenCasesShowTheirVerdictAlone) {
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
