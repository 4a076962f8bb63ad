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
          {{"step0", 0.25, 32, 20.0, ""}, {"step1", 0, 0, {}, "nothing is launched"}}};
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

}  // namespace
}  // namespace warpgrade::report
