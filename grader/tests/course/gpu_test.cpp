#include "course/gpu.hpp"

#include <fnmatch.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <map>

#include "course/assignment.hpp"
#include "tests/places.hpp"

namespace warpgrade::course {
namespace {

namespace fs = std::filesystem;

const fs::path shipped = place::assignments;

TEST(Thresholds, TheTableOfGpusSaysOfEachWhetherTheyWereMeasured) {
  std::ifstream file(shipped.parent_path() / "docs/ta.md");
  const std::string page(std::istreambuf_iterator<char>(file), {});
  const Assignment a = read_assignment(shipped / "hw6");
  for (const Thresholds &t : read_all_thresholds(shipped / "hw6", a)) {
    if (t.gpu_id.empty()) continue;
    const std::size_t at = page.find("\n| " + t.gpu_id + " |");
    ASSERT_NE(at, std::string::npos) << t.gpu_id;
    const std::string row = page.substr(at + 1, page.find('\n', at + 1) - at - 1);
    EXPECT_NE(row.find(t.predicted() ? "| predicted" : "| measured"), std::string::npos) << row;
  }
}

/// A folder of assignments that has hw6 and, of GPUs, what a test writes.
class Course : public ::testing::Test {
 protected:
  void SetUp() override {
    char name[] = "/tmp/warpgrade-gpus-XXXXXX";
    folder_ = mkdtemp(name);
    fs::copy(shipped / "hw6", folder_ / "hw6", fs::copy_options::recursive);
  }
  void TearDown() override { fs::remove_all(folder_); }
  void write(const std::string &id, const std::string &text) {
    fs::create_directories(folder_ / "gpus");
    std::ofstream(folder_ / "gpus" / (id + ".yaml")) << text;
  }
  std::string text_of(const std::string &id) const {
    return {std::istreambuf_iterator<char>(std::ifstream(shipped / "gpus" / (id + ".yaml")).rdbuf()), {}};
  }
  fs::path folder_;
};

TEST(Gpus, OfCoursesAreAllDescribed) {
  std::map<std::string, std::string> names;  // as CUDA reports them
  for (const char *name : {"NVIDIA GeForce GTX 1080",
                           "NVIDIA TITAN V",
                           "Tesla V100-SXM2-16GB",
                           "Tesla V100-PCIE-32GB",
                           "Tesla T4",
                           "NVIDIA GeForce RTX 2080",
                           "NVIDIA GeForce RTX 3070",
                           "NVIDIA GeForce RTX 3090",
                           "NVIDIA GeForce RTX 4070",
                           "NVIDIA GeForce RTX 4090",
                           "NVIDIA GeForce RTX 5070",
                           "NVIDIA GeForce RTX 5080",
                           "NVIDIA GeForce RTX 5090",
                           "NVIDIA RTX A6000",
                           "NVIDIA RTX 6000 Ada Generation",
                           "NVIDIA A10",
                           "NVIDIA L4",
                           "NVIDIA L40S",
                           "NVIDIA A100-SXM4-40GB",
                           "NVIDIA A100-PCIE-40GB",
                           "NVIDIA A100-SXM4-80GB",
                           "NVIDIA A100 80GB PCIe",
                           "NVIDIA H100 PCIe",
                           "NVIDIA H100 80GB HBM3",
                           "NVIDIA H200",
                           "NVIDIA B200",
                           "Orin"}) {
    const std::vector<Gpu> gpus = read_gpus(shipped);
    std::size_t fits = 0;
    for (const Gpu &gpu : gpus) fits += fnmatch(gpu.match.c_str(), name, 0) == 0;
    EXPECT_EQ(fits, 1u) << name;
  }
}

TEST(Gpus, ThatAreOtherProductsHaveNoDescription) {
  const std::vector<Gpu> gpus = read_gpus(shipped);
  for (const char *name : {"NVIDIA GeForce GTX 1080 Ti", "NVIDIA GeForce RTX 4070 SUPER", "NVIDIA A10G",
                           "NVIDIA GeForce RTX 3070 Laptop GPU", "NVIDIA L40"})
    EXPECT_EQ(find_gpu(gpus, name), nullptr) << name;
}

TEST(Gpus, PeaksAreTwoFlopsPerCoreAndClock) {
  for (const Gpu &gpu : read_gpus(shipped)) {
    const std::map<std::string, int> cores = {{"6.1", 128},  {"7.0", 64},  {"7.5", 64},  {"8.0", 64},
                                              {"8.6", 128},  {"8.7", 128}, {"8.9", 128}, {"9.0", 128},
                                              {"10.0", 128}, {"12.0", 128}};
    ASSERT_TRUE(cores.contains(gpu.compute_capability)) << gpu.id;
    const double peak = gpu.multiprocessors * cores.at(gpu.compute_capability) * 2e-3 * gpu.clock_mhz;
    EXPECT_NEAR(gpu.peak_gflops / peak, 1, 0.02) << gpu.id << ": " << peak;
    // Multiply-adds of halves per multiprocessor and clock. Cards for games run those with sums in single
    // precision at half the rate of the chip.
    const std::map<std::string, std::array<double, 2>> tensor = {
        {"7.0", {512, 512}}, {"7.5", {256, 512}},   {"8.0", {1024, 1024}},  {"8.6", {256, 512}},
        {"8.9", {256, 512}}, {"9.0", {1800, 2048}}, {"10.0", {3900, 4200}}, {"12.0", {256, 512}}};
    if (!gpu.tensor_gflops) continue;
    const double per_clock = *gpu.tensor_gflops / gpu.multiprocessors / 2e-3 / gpu.clock_mhz;
    EXPECT_GT(per_clock, 0.9 * tensor.at(gpu.compute_capability)[0]) << gpu.id;
    EXPECT_LT(per_clock, 1.1 * tensor.at(gpu.compute_capability)[1]) << gpu.id;
    EXPECT_FALSE(gpu.source.empty()) << gpu.id;
  }
}

TEST(Gpus, TensorCoresHaveOnePeakForHalves) {
  for (const Gpu &gpu : read_gpus(shipped)) {
    for (const char *type : {"f16", "bf16"}) {
      const auto peak = gpu.tensor.find(type);
      EXPECT_TRUE(peak == gpu.tensor.end() || peak->second == gpu.tensor_gflops) << gpu.id << ' ' << type;
    }
  }
  EXPECT_EQ(find_gpu(read_gpus(shipped), "nvidia-h200")->tensor.at("fp8"), 1978900);
}

TEST_F(Course, AMistakeInThePeaksOfTensorCoresNamesFileAndLine) {
  const std::string text = text_of("nvidia-h100-sxm");
  const auto with = [&](const std::string &tensor) -> std::string {
    std::string changed = text;
    const std::size_t at = changed.find("\ntensor: ") + 1;
    changed.replace(at, changed.find('\n', at) - at, "tensor: " + tensor);
    write("nvidia-new", changed);
    try {
      read_gpu(folder_ / "gpus/nvidia-new.yaml");
    } catch (const ConfigError &e) {
      return e.what();
    }
    return "accepted";
  };
  EXPECT_EQ(with("{f16: 65000, tf32: 30000}"), "accepted");
  for (const char *wrong : {"{fp16: 65000}", "{f16: fast}", "{f16: 0}"})
    EXPECT_NE(with(wrong).find("nvidia-new.yaml:10: "), std::string::npos) << with(wrong);
}

TEST_F(Course, WithoutAFolderOfGpusKnowsThoseOfTheBuild) {
  EXPECT_EQ(read_gpus(folder_), read_gpus(shipped));
  EXPECT_TRUE(own_gpu_files(folder_).empty());
  const Thresholds t = read_thresholds(folder_ / "hw6", read_assignment(folder_ / "hw6"), "NVIDIA H200");
  EXPECT_EQ(t.file, "nvidia-h200.yaml");
  EXPECT_EQ(t.gpu, "NVIDIA H200");
  EXPECT_EQ(t.peak_gflops, 66900);
  EXPECT_EQ(t.memory_gb_per_s, 4800);
}

TEST_F(Course, HasThePeakOfTensorCoresWhereFactorsAreHalves) {
  const Assignment a = read_assignment(shipped / "hw7");
  EXPECT_EQ(read_thresholds(shipped / "hw7", a, "NVIDIA H200").peak_gflops, 989400);
}

TEST_F(Course, MayDescribeAGpuDifferentlyAndAddOthers) {
  std::string slower = text_of("nvidia-h200");
  slower.replace(slower.find("66900"), 5, "50000");
  write("nvidia-h200", slower);
  write("nvidia-t4", text_of("nvidia-t4"));
  EXPECT_EQ(own_gpu_files(folder_), std::vector{folder_ / "gpus/nvidia-h200.yaml"});
  const Assignment a = read_assignment(folder_ / "hw6");
  EXPECT_EQ(read_thresholds(folder_ / "hw6", a, "NVIDIA H200").peak_gflops, 50000);
}

TEST_F(Course, GivesAGpuWithoutThresholdsOfItsOwnTheRoofOfItsDescription) {
  std::filesystem::remove(folder_ / "hw6/thresholds/nvidia-t4.yaml");
  const Thresholds t = read_thresholds(folder_ / "hw6", read_assignment(folder_ / "hw6"), "Tesla T4");
  EXPECT_EQ(t.file, "default.yaml");
  EXPECT_EQ(t.gpu, "NVIDIA T4");
  EXPECT_EQ(t.memory_gb_per_s, 320);
  EXPECT_EQ(t.peak("GB/s"), 320);
  EXPECT_EQ(t.highest_rate("GB/s"), 400) << "a card may run faster than the data sheet says";
}

TEST_F(Course, SaysWhatIsWrongInTheFileOfAGpu) {
  write("mine", "name: Mine\nmatch: Mine\ncompute_capability: \"9.0\"\nclock: 3\n");
  try {
    read_gpus(folder_);
    FAIL() << "nothing was thrown";
  } catch (const ConfigError &e) {
    EXPECT_EQ(
        std::string(e.what()).find((folder_ / "gpus/mine.yaml:4: unknown key 'clock' (known: ").string()), 0u)
        << e.what();
  }
}

TEST_F(Course, ReadsWhatWasMeasuredOnAGpu) {
  const std::string measured = "measured:\n  source: here\n  l2_latency: 288.3  # cycles\n  warps: 64\n";
  write("nvidia-h200", text_of("nvidia-h200") + measured);
  const Gpu gpu = read_gpu(folder_ / "gpus/nvidia-h200.yaml");
  EXPECT_EQ(gpu.measured, (std::map<std::string, double>{{"l2_latency", 288.3}, {"warps", 64}}));
  EXPECT_EQ(own_gpu_files(folder_), std::vector{folder_ / "gpus/nvidia-h200.yaml"})
      << "it must travel with a kit";
  EXPECT_TRUE(read_gpu(shipped / "gpus/nvidia-t4.yaml").measured.empty());
}

TEST_F(Course, SaysWhatIsWrongWithAMeasuredFigure) {
  const std::map<std::string, std::string> mistakes = {
      {"  source: here\n  l3_latency: 9\n", ":15: unknown key 'l3_latency' (known: "},
      {"  source: here\n  l2_latency: 0.5\n",
       ":15: 'l2_latency' is '0.5', should be a number from 1 to 100000"},
      {"  l2_latency: 288\n", ":14: "}};  // no figure without its source
  for (const auto &[lines, message] : mistakes) {
    write("nvidia-h200", text_of("nvidia-h200") + "measured:\n" + lines);
    try {
      read_gpus(folder_);
      ADD_FAILURE() << "nothing was thrown for " << lines;
    } catch (const ConfigError &e) {
      EXPECT_NE(std::string(e.what()).find("nvidia-h200.yaml" + message), std::string::npos) << e.what();
    }
  }
}

TEST_F(Course, NamesTheGpusWhereThresholdsAreForAnUnknownOne) {
  std::ofstream(folder_ / "hw6/thresholds/abacus.yaml") << "gpu: abacus\nsteps: {}\n";
  try {
    read_thresholds(folder_ / "hw6", read_assignment(folder_ / "hw6"), "any");
    FAIL() << "nothing was thrown";
  } catch (const ConfigError &e) {
    EXPECT_NE(std::string(e.what()).find(
                  "abacus.yaml:1: no GPU has the file assignments/gpus/abacus.yaml; accepted: "
                  "nvidia-a10, "),
              std::string::npos)
        << e.what();
  }
}

}  // namespace
}  // namespace warpgrade::course
