// Thresholds of speed, in files of their own.
#include <gtest/gtest.h>

#include "course/assignment.hpp"
#include "course/gpu.hpp"
#include "edited.hpp"
#include "tests/places.hpp"

namespace warpgrade::course {
namespace {

TEST_F(Edited, AStepWithPointsForSpeedNeedsAThreshold) {
  replace("thresholds/default.yaml", "  step1: {size: 2048, pass: 0.05 cublas, full: 0.09 cublas}\n", "");
  EXPECT_NE(error().find("step 'step1' gives 6 points for speed and has no threshold here"),
            std::string::npos)
      << error();
}

TEST(Thresholds, MayBeSharesOfTheMemoryBandwidthOfAGpuThatIsKnown) {
  const fs::path from = fs::path(place::assignments) / "histogram";
  const Assignment a = read_assignment(from);
  const fs::path folder = fs::temp_directory_path() / ("thresholds-" + std::to_string(::getpid()));
  const auto read = [&](const std::string &gpu) -> std::string {
    fs::create_directories(folder / "thresholds");
    const std::string rates = "{size: 4096, pass: 0.25 bandwidth, full: 600}";
    std::ofstream(folder / "thresholds/default.yaml")
        << "gpu: " << gpu << "\nsteps:\n  coarsened: " << rates << "\n  crowded: " << rates << "\n";
    std::string said;
    try {
      const StepThresholds t = *read_all_thresholds(folder, a).back().find("coarsened");
      said = std::to_string(t.pass.value) + " to " + std::to_string(t.full.value);
    } catch (const ConfigError &e) {
      said = e.what();
    }
    fs::remove_all(folder);
    return said;
  };
  EXPECT_EQ(read("{match: \"*\", memory_gb_per_s: 1000}"), "250.000000 to 600.000000");
  EXPECT_NE(read("{match: \"*\"}").find("no memory bandwidth is known for this GPU"), std::string::npos);
}

TEST(Thresholds, AreRatesOrSharesOfTheLibraryThatTheProblemIsComparedWith) {
  const fs::path from = fs::path(place::assignments) / "histogram";
  const Assignment a = read_assignment(from);
  const Thresholds known = read_thresholds(from, a, "any");
  EXPECT_EQ(known.find("coarsened")->size, (problem::Case{{16777216, 256, 0}, {}}));
  const fs::path folder = fs::temp_directory_path() / ("thresholds-" + std::to_string(::getpid()));
  const auto read = [&](const std::string &full) -> std::string {
    fs::create_directories(folder / "thresholds");
    const std::string values = "{size: 4096, pass: 0.1 cub, full: " + full + "}";
    std::ofstream(folder / "thresholds/default.yaml")
        << "gpu: {match: \"*\"}\nsteps:\n  coarsened: " << values << "\n  crowded: " << values << "\n";
    std::string said = "accepted";
    try {
      const StepThresholds t = *read_all_thresholds(folder, a).back().find("coarsened");
      EXPECT_EQ(t.full, (Threshold{0.2, true}));
    } catch (const ConfigError &e) {
      said = e.what();
      said.erase(0, said.find(": ") + 2);
    }
    fs::remove_all(folder);
    return said;
  };
  EXPECT_EQ(read("0.2 cub"), "accepted");
  const std::string wanted = "accepted: GB/s such as 3000, or a share such as 0.25 cub";
  for (const std::string other : {"cublas", "cusparse", "copy"})
    EXPECT_EQ(read("0.2 " + other),
              "histogram is not compared with '" + other + "', so there is no share of it; " + wanted);
  for (const std::string text : {"0.2 CUB", "0.2cub", "0.2  cub", "0.2 cub ", "0.2 thrust"})
    EXPECT_EQ(read("\"" + text + "\""), "'" + text + "' is not a threshold; " + wanted);
  EXPECT_EQ(read("600"), "'pass' and 'full' must both be GB/s or both be shares of cub");
}

TEST_F(Edited, ThresholdsInTwoUnitsOrOutOfOrderAreFound) {
  replace("thresholds/nvidia-h200.yaml", "full: 5000", "full: 0.5 cublas");
  EXPECT_EQ(error(), place("thresholds/nvidia-h200.yaml") +
                         "'pass' and 'full' must both be GFLOPS or both be shares of cublas");
  SetUp();
  replace("thresholds/nvidia-h200.yaml", "full: 5000", "full: 1500");
  EXPECT_EQ(error(), place("thresholds/nvidia-h200.yaml") + "'full' must be more than 'pass'");
}

}  // namespace
}  // namespace warpgrade::course
