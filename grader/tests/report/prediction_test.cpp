// A step's prediction in every report: marked as one, never among what was measured.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "report/html.hpp"
#include "tests/report/gpu_sample.hpp"
#include "tests/report/predicted.hpp"
#include "tests/report/sample.hpp"

namespace warpgrade::report {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using Parsed = nlohmann::json;

/// The text as one line with single blanks.
std::string unwrapped(const std::string &text) {
  std::string words;
  for (const char c : text)
    if (c != ' ' && c != '\n')
      words += c;
    else if (!words.ends_with(' '))
      words += ' ';
  return words;
}

struct Predicted {
  Sample sample;
  Predictions all = predictions();
  Report report() const {
    Report r = sample.report();
    r.predictions = &all;
    return r;
  }
};

TEST(PredictionInReports, IsShownWhereNothingWasMeasuredAndSaysThatItGivesNoPoints) {
  const std::string text = unwrapped(to_terminal(Predicted().report(), {}));
  EXPECT_THAT(text,
              HasSubstr("predicted for NVIDIA H200 at m=n=k=2048: 6000 to 9000 GFLOPS (about 14 % of "
                        "cuBLAS), limited by shared-memory and L1 wavefronts (line 10: 58 % of the time, "
                        "line helper\\x1b.h:3: 20 %). A prediction gives no points."));
  EXPECT_THAT(text, HasSubstr("./grade explain step1 --submission homework --gpu nvidia-h200"));
  EXPECT_THAT(text, Not(HasSubstr("local memory"))) << "caveats are for --verbose";
  EXPECT_THAT(unwrapped(to_terminal(Predicted().report(), {.verbose = true})),
              HasSubstr("arrays in local memory"));
  EXPECT_THAT(to_terminal(Predicted().report(), {.quiet = true}), Not(HasSubstr("predicted")));
}

TEST(PredictionInReports, ChangesNothingElse) {
  const auto without = [](std::string text) {
    const std::size_t from = text.find("  speed    predicted"), to = text.find("  build ", from);
    return text.erase(from, to - from);
  };
  EXPECT_EQ(without(to_terminal(Predicted().report(), {})), to_terminal(Sample().report(), {}));
  Parsed json = Parsed::parse(to_json(Predicted().report()));
  ASSERT_EQ(json["steps"][0].erase("prediction"), 1u);
  EXPECT_EQ(json, Parsed::parse(to_json(Sample().report())));
}

TEST(PredictionInReports, SaysWhatCuredLinesWouldGainAndWhatCameOfEarlierPromises) {
  Predicted p;
  predict::StepPrediction &step = p.all.at("step1");
  const double now = step.prediction.seconds;
  step.prediction.promises = {{{{"step1.cu", 10}}, "coalesced", now / 2, now / 2.5, now}};
  step.kept = {{"line 9 coalesced", 3600, 8000}};
  const std::string text = unwrapped(to_terminal(p.report(), {}));
  EXPECT_THAT(text,
              HasSubstr("what if with line 10 coalesced: 7200 → 14400 GFLOPS predicted (7200 to 18000)"));
  EXPECT_THAT(text, HasSubstr("line 9 coalesced: 8000 GFLOPS (from 3600); predicted now 7200"));
  const std::string page = to_html(p.report(), {});
  EXPECT_THAT(page, HasSubstr("What if: with line 10 coalesced: 7200 → 14400 GFLOPS predicted"));
  EXPECT_THAT(page, HasSubstr("Promised: line 9 coalesced: 8000 GFLOPS (from 3600); predicted now 7200."));
  const Parsed json = Parsed::parse(to_json(p.report())).at("steps");
  for (const Parsed &s : json)
    if (s.at("id") == "step1") {
      EXPECT_EQ(s.at("prediction").at("what_if").at(0).at("lines").at(0).at("line"), 10);
      EXPECT_EQ(s.at("prediction").at("kept").at(0).at("promised"), 8000);
    }
}

TEST(PredictionInReports, ThatFailedIsOneSentence) {
  Predicted p;
  p.all = predictions(not_predicted("its blocks wait for each other"));
  const std::string text = to_terminal(p.report(), {});
  EXPECT_THAT(unwrapped(text),
              HasSubstr("cannot predict the time on NVIDIA H200: its blocks wait for each other"));
  EXPECT_THAT(text, Not(HasSubstr("--gpu")));
  p.all = predictions(not_predicted("a few of its blocks take too long to simulate while you wait", true));
  EXPECT_THAT(unwrapped(to_terminal(p.report(), {})),
              HasSubstr("./grade explain step1 --submission homework --gpu nvidia-h200"));
  const Parsed json = Parsed::parse(to_json(p.report()))["steps"][0]["prediction"];
  EXPECT_EQ(json["why_not"], "a few of its blocks take too long to simulate while you wait");
  EXPECT_FALSE(json.contains("likely"));
}

TEST(PredictionInReports, HasAFieldOfItsOwnInScoreJson) {
  const Parsed j = Parsed::parse(to_json(Predicted().report()));
  const Parsed &step = j["steps"][0], &p = step["prediction"];
  EXPECT_EQ(p["gives_points"], false);
  EXPECT_EQ(p["gpu"], "NVIDIA H200");
  EXPECT_EQ(p["m"], 2048);
  EXPECT_EQ(p["unit"], "GFLOPS");
  EXPECT_NEAR(p["low"], 6000, 0.01);
  EXPECT_NEAR(p["likely"], 7200, 0.01);
  EXPECT_NEAR(p["high"], 9000, 0.01);
  EXPECT_NEAR(p["of_cublas"], 0.144, 0.001);
  EXPECT_EQ(p["limited_by"], "shared-memory and L1 wavefronts");
  EXPECT_EQ(p["lines"][0]["line"], 10);
  EXPECT_NEAR(p["lines"][0]["share"], 0.58, 0.001);
  EXPECT_EQ(p["caveats"].size(), 1u);
  EXPECT_FALSE(p.contains("measured_over_likely"));
  EXPECT_TRUE(step["performance"].is_null());
  EXPECT_EQ(step["ungraded_points"], 6);
  for (const Parsed &other : {j["steps"][1], j["steps"][2]}) EXPECT_FALSE(other.contains("prediction"));
}

TEST(PredictionInReports, IsShownBesideTheMeasuredRateWithTheirRatio) {
  const GpuSample sample;
  const Predictions all = predictions();
  Report r = sample.report();
  r.predictions = &all;
  std::size_t at = 0;
  while (r.score.steps.at(at).id != "step1") ++at;
  ASSERT_TRUE(r.score.steps[at].performance);
  const double measured = r.score.steps[at].performance->gflops;
  EXPECT_THAT(unwrapped(to_terminal(r, {})),
              HasSubstr(fmt::format("predicted 7200 GFLOPS (6000 to 9000), limited by shared-memory and L1 "
                                    "wavefronts (line 10: 58 % of the time, line helper\\x1b.h:3: 20 %); "
                                    "measured: {:.2f} times as fast",
                                    measured / 7200)));
  EXPECT_THAT(to_terminal(r, {}), Not(HasSubstr("predicted for")));
  const Parsed with = Parsed::parse(to_json(r))["steps"][at],
               without = Parsed::parse(to_json(sample.report()))["steps"][at];
  EXPECT_NEAR(with["prediction"]["measured_over_likely"], measured / 7200, 1e-6);
  EXPECT_EQ(with["performance"], without["performance"]);
  EXPECT_EQ(with["points"], without["points"]);
}

/// What the scripts of a page draw.
Parsed data_of(const std::string &page) {
  const std::string mark = "id=\"data\">";
  const std::size_t begin = page.find(mark) + mark.size();
  return Parsed::parse(page.substr(begin, page.find("</script>", begin) - begin));
}

TEST(PredictionInReports, IsOnThePageInWordsAndInItsCharts) {
  GpuSample sample;
  sample.record.device = {false, "Warpgrade simulator", "compute_80", "no NVIDIA driver is installed"};
  for (grading::StepRecord &s : sample.record.steps) s.performance.reset();
  sample.score = score::score(sample.assignment, sample.thresholds, sample.record);
  const Predictions all = predictions();
  Report r = sample.report();
  const Extras extras = {{}, {}, Roof{"NVIDIA H200", 66900, 4800, false}};
  const Parsed none = data_of(to_html(r, extras));
  EXPECT_TRUE(none["ladder"].is_null());
  r.predictions = &all;
  const std::string page = to_html(r, extras);
  EXPECT_THAT(page, HasSubstr("Predicted for NVIDIA H200 at m=n=k=2048: 6000 to 9000 GFLOPS"));
  EXPECT_THAT(page, HasSubstr("A prediction gives no points."));
  EXPECT_THAT(page, HasSubstr("arrays in local memory"));
  EXPECT_THAT(page, Not(HasSubstr("helper\x1b")));
  EXPECT_THAT(page, HasSubstr("7200 predicted"));
  const Parsed data = data_of(page), rung = data["ladder"][0];
  EXPECT_EQ(data["ladder"].size(), 2u) << "and cuBLAS";
  EXPECT_EQ(rung["step"], "step1");
  EXPECT_TRUE(rung["gflops"].is_null());
  EXPECT_NEAR(rung["predicted"], 7200, 0.01);
  EXPECT_NEAR(rung["low"], 6000, 0.01);
  EXPECT_NEAR(rung["high"], 9000, 0.01);
  int predicted = 0;
  for (const Parsed &point : data["roofline"]["points"]) {
    predicted += point.contains("predicted");
    EXPECT_TRUE(point["gflops"].is_null());
    EXPECT_EQ(point.contains("predicted"), point["step"] == "step1");
  }
  EXPECT_EQ(predicted, 1);
  const Parsed elsewhere = data_of(to_html(r, {{}, {}, Roof{"Another GPU", 66900, 4800, false}}));
  for (const Parsed &point : elsewhere["roofline"]["points"]) EXPECT_FALSE(point.contains("predicted"));
}

TEST(PredictionInReports, IsShownBesideTheMeasuredRateOnThePageToo) {
  const GpuSample sample;
  const Predictions all = predictions();
  Report r = sample.report();
  const Extras extras = {sample.sources, sample.bench, Roof{"NVIDIA H200", 66900, 4800, true}};
  const Parsed before = data_of(to_html(r, extras));
  r.predictions = &all;
  const std::string page = to_html(r, extras);
  EXPECT_THAT(page, HasSubstr("Predicted 7200 GFLOPS (6000 to 9000), limited by"));
  EXPECT_THAT(page, HasSubstr("times as fast"));
  Parsed after = data_of(page);
  EXPECT_NEAR(after["ladder"][0]["predicted"], 7200, 0.01);
  for (const char *key : {"predicted", "low", "high"}) after["ladder"][0].erase(key);
  EXPECT_EQ(after, before) << "a measured point is where it was measured";
}

}  // namespace
}  // namespace warpgrade::report
