// Predicted rates of solutions, kept in prediction_golden.json: whoever changes the model sees here by how
// much, and keeps them anew with WARPGRADE_WRITE_GOLDEN=1 once docs/prediction.md says how far off the new
// model is.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;
const fs::path root = fs::path(WARPGRADE_ROOT).lexically_normal();
const fs::path golden = root / "grader/tests/end_to_end/prediction_golden.json";

TEST(Prediction, OfTheSolutionsOfHw6IsWhatItWas) {
  const fs::path out = fs::temp_directory_path() / ("warpgrade-prediction-" + std::to_string(getpid()));
  // With clang, so that the version of nvcc decides nothing.
  const std::string command =
      "cd '" + root.string() +
      "' && '" WARPGRADE_PROGRAM
      "' predict step1 step2 step3 beyond5 --assignment hw6 --submission solutions/hw6 "
      "--toolchain clang --gpu nvidia-h200,nvidia-t4 --sizes 512,2048 --json '" +
      out.string() + "' >'" + out.string() + ".txt' 2>&1 </dev/null";
  const int status = std::system(command.c_str());
  std::ifstream said(out.string() + ".txt");
  ASSERT_EQ(status, 0) << said.rdbuf();
  Json now = Json::object();
  const Json predicted = Json::parse(std::ifstream(out));
  for (const Json &point : predicted.at("points"))
    now[point.at("step").get<std::string>() + " at " + std::to_string(point.at("m").get<int>()) + " on " +
        point.at("gpu").get<std::string>()] = {{"gflops", point.at("gflops")}, {"limit", point.at("limit")}};
  fs::remove(out);
  fs::remove(out.string() + ".txt");
  if (std::getenv("WARPGRADE_WRITE_GOLDEN") != nullptr) std::ofstream(golden) << now.dump(1) << '\n';
  const Json kept = Json::parse(std::ifstream(golden));
  ASSERT_EQ(now.size(), kept.size());
  EXPECT_EQ(kept.size(), 16u);
  for (const auto &[name, point] : kept.items()) {
    SCOPED_TRACE(name);
    const double before = point.at("gflops");
    EXPECT_NEAR(now.at(name).at("gflops").get<double>() / before, 1, 0.005);
    EXPECT_EQ(now.at(name).at("limit"), point.at("limit"));
  }
}

}  // namespace
