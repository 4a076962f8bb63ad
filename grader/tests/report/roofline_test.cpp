#include "report/roofline.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace warpgrade::report {
namespace {

TEST(Roof, IsBandwidthTimesIntensityUpToThePeak) {
  EXPECT_DOUBLE_EQ(attainable(1000, 100, 2), 200);
  EXPECT_DOUBLE_EQ(attainable(1000, 100, 10), 1000);
  EXPECT_DOUBLE_EQ(attainable(1000, 100, 50), 1000);
  EXPECT_DOUBLE_EQ(ridge(1000, 100), 10);
}

Roofline sample() {
  return {"hw6 at m=n=k=256",
          "a <GPU>",
          1000,
          {100, 200},
          {{"step0", 0.25, 32, 20.0, "", {}, {}}, {"step1", 0, 0, {}, "nothing is launched", {}, {}}},
          "",
          ""};
}

/// With a profiler: step0 as counted, step1 too large for the simulator.
Roofline profiled() {
  Roofline r = sample();
  r.points[0].dram = 16, r.points[0].l2 = 2;
  r.points[1] = {"step1", 0, 0, 500.0, "too large", 8.5, 4.0};
  return r;
}

TEST(RooflineReport, ShowsEachBandwidthAndWhatWasMeasured) {
  const std::string text = roofline_to_terminal(sample(), {});
  EXPECT_NE(text.find("1000 GFLOPS, 100 GB/s: arithmetic is the limit from 10 flops per byte on"),
            std::string::npos)
      << text;
  // 0.25 flops a byte at 100 and 200 GB/s; 32 flops a byte are above both ridges.
  EXPECT_NE(
      text.find(
          "step0            0.25          32          25        1000          50        1000        20\n"),
      std::string::npos)
      << text;
  EXPECT_NE(text.find("step1      nothing is launched"), std::string::npos) << text;
}

TEST(RooflineReport, JsonHasRoofsAndPoints) {
  const auto j = nlohmann::json::parse(roofline_to_json(sample()));
  EXPECT_EQ(j["schema"], "warpgrade.roofline/1");
  EXPECT_EQ(j["roofs"][1]["ridge"], 5.0);
  EXPECT_EQ(j["points"][0]["gflops"], 20.0);
  EXPECT_EQ(j["points"][1]["reason"], "nothing is launched");
}

TEST(RooflineReport, ThePictureHasTwoMarksForEachStepAndEscapesNames) {
  const std::string svg = roofline_to_svg(sample());
  std::size_t marks = 0;
  for (std::size_t at = 0; (at = svg.find("<circle", at)) != std::string::npos; ++at) ++marks;
  EXPECT_EQ(marks, 2u);
  EXPECT_EQ(svg.find("<GPU>"), std::string::npos);
}

TEST(RooflineReport, DrawsAPredictedRateHollowAndDashedAndSaysThatItIsOne) {
  Roofline r = sample();
  r.points[0].gflops.reset();
  r.points[0].predicted = {15, 18, 22};
  const std::string text = roofline_to_terminal(r, {});
  EXPECT_NE(text.find("1000        15 to 22\n"), std::string::npos) << text;
  EXPECT_EQ(text.find("measured"), std::string::npos) << text;
  EXPECT_NE(text.find("A\nprediction gives no points."), std::string::npos) << text;
  const std::string narrow = roofline_to_terminal(r, {.columns = 60});
  EXPECT_NE(narrow.find("predicted"), std::string::npos) << narrow;
  EXPECT_NE(narrow.find("15 to 22"), std::string::npos) << narrow;
  const auto point = nlohmann::json::parse(roofline_to_json(r))["points"][0];
  EXPECT_TRUE(point["gflops"].is_null());
  EXPECT_EQ(point["predicted_gflops"]["likely"], 18.0);
  const std::string svg = roofline_to_svg(r), measured = roofline_to_svg(sample());
  const auto count = [](const std::string &in, const std::string &what) {
    std::size_t n = 0;
    for (std::size_t at = 0; (at = in.find(what, at)) != std::string::npos; ++at) ++n;
    return n;
  };
  EXPECT_EQ(count(svg, "stroke-dasharray=\"3 2\""), 2u);
  EXPECT_EQ(count(svg, "r=\"5\" fill=\"white\""), 2u) << "both are hollow";
  EXPECT_NE(svg.find("hollow and dashed: predicted"), std::string::npos);
  EXPECT_EQ(count(measured, "stroke-dasharray=\"3 2\""), 0u);
}

TEST(RooflineReport, ShowsProfiledBesideCountedBytes) {
  const std::string text = roofline_to_terminal(profiled(), {});
  EXPECT_NE(text.find("        20          16           2\n"), std::string::npos) << text;
  EXPECT_NE(
      text.find("step1               -           -           -           -           -           -       500"
                "         8.5           4\n           not counted: too large\n"),
      std::string::npos)
      << text;
  const auto j = nlohmann::json::parse(roofline_to_json(profiled()));
  EXPECT_EQ(j["points"][0]["profiled"]["dram"], 16.0);
  EXPECT_EQ(j["points"][1]["profiled"]["l2"], 4.0);
  EXPECT_EQ(j["points"][1]["gflops"], 500.0);
  EXPECT_EQ(j["points"][1]["reason"], "too large");
}

TEST(RooflineReport, ThePictureHasASquareForEachMemoryThatAProfilerLookedAt) {
  const std::string svg = roofline_to_svg(profiled());
  std::size_t squares = 0;
  for (std::size_t at = 0; (at = svg.find("rotate(", at)) != std::string::npos; ++at) ++squares;
  EXPECT_EQ(squares, 4u);
  EXPECT_NE(svg.find("diamond: L2 bytes"), std::string::npos);
  EXPECT_EQ(roofline_to_svg(sample()).find("diamond"), std::string::npos);
}

TEST(RooflineReport, SaysWhyNothingWasProfiled) {
  Roofline r = sample();
  r.why_not_profiled = "--profile: no GPU";
  EXPECT_NE(roofline_to_terminal(r, {}).find("\n--profile: no GPU\n"), std::string::npos);
  EXPECT_EQ(nlohmann::json::parse(roofline_to_json(r))["why_not_profiled"], "--profile: no GPU");
  EXPECT_FALSE(nlohmann::json::parse(roofline_to_json(sample())).contains("why_not_profiled"));
}

}  // namespace
}  // namespace warpgrade::report
