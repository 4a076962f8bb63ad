// The file of a GPU, written from measurements that were made up, and read again.
#include <gtest/gtest.h>

#include "authoring/calibrate.hpp"
#include "base/files.hpp"
#include "course/gpu.hpp"
#include "predict/machine.hpp"
#include "sandbox/sandbox.hpp"

namespace warpgrade::authoring {
namespace {

gpu::DeviceInfo device(const std::string &name) {
  gpu::DeviceInfo gpu;
  gpu.name = name;
  gpu.major = 9;
  gpu.multiprocessors = 132;
  gpu.driver_version = "580.1, CUDA 13.0";
  gpu.properties.max_threads_per_multiprocessor = 2048;
  gpu.properties.shared_bytes_per_multiprocessor = 228 << 10;
  gpu.properties.l2_bytes = 50 << 20;
  gpu.properties.clock_khz = 1'980'000;
  gpu.properties.memory_clock_khz = 3'201'000;
  gpu.properties.memory_bus_bits = 6144;
  return gpu;
}

std::vector<gpu::Figure> made_up() {
  return {{"clock_mhz", 1755.04, "MHz under load", 0.001, 1755.04},
          {"fp32", 3.98, "warp instructions", 0, 1980},
          {"mma_flops", 2534.6, "operations", 0, 1980},
          {"l2_latency", 288.31, "cycles: a chain", 0.0123, 1980.2},
          {"dram_read_gb_per_s", 4499.4, "GB/s", 0, 0},
          {"atomics_one_word", 0.0034567, "lanes", 0, 0}};
}

class GpuFile : public ::testing::Test {
 protected:
  course::Gpu read(const std::string &text) {
    write_whole(folder_.path() / "mine.yaml", text);
    return course::read_gpu(folder_.path() / "mine.yaml");
  }
  Scratch folder_;
};

TEST_F(GpuFile, OfAKnownGpuHasItsDataSheetAndWhatWasMeasured) {
  const auto known = course::read_gpus("");
  const course::Gpu *h200 = course::find_gpu(known, "NVIDIA H200");
  ASSERT_NE(h200, nullptr);
  course::Gpu expected = *h200;
  expected.id = "mine";
  expected.measured = {{"clock_mhz", 1755}, {"fp32", 3.98},
                       {"mma_flops", 2535}, {"l2_latency", 288.3},
                       {"warps", 64},       {"dram_read_gb_per_s", 4499},
                       {"blocks", 32},      {"l2_mib", 50},
                       {"shared_kib", 228}, {"atomics_one_word", 0.003457}};
  const std::string text = machine_yaml(h200, device("NVIDIA H200"), 32, made_up(), "2026-11-23");
  EXPECT_EQ(read(text), expected) << text;
  EXPECT_NE(text.find("  l2_latency: 288.3  # cycles: a chain; at 1980 MHz, varies by 1.2 %\n"),
            std::string::npos)
      << text;
  EXPECT_NE(
      text.find(
          "  source: \"measured by gradebook calibrate --machine, 2026-11-23, driver 580.1, CUDA 13.0\"\n"),
      std::string::npos)
      << text;
  const auto machine = predict::machine_of(read(text));
  ASSERT_TRUE(machine);
  EXPECT_EQ(machine->architecture.l2_latency, 288.3);
  EXPECT_EQ(machine->clock_mhz, 1755);
}

TEST_F(GpuFile, OfAnUnknownGpuHasAPeakThatFollowsFromItsDriver) {
  const std::string text = machine_yaml(nullptr, device("NVIDIA \"Next\": 1"), 32, made_up(), "2026-11-23");
  const course::Gpu gpu = read(text);
  EXPECT_EQ(gpu.name, "NVIDIA \"Next\": 1");
  EXPECT_EQ(gpu.match, gpu.name);
  EXPECT_EQ(gpu.compute_capability, "9.0");
  EXPECT_NEAR(gpu.peak_gflops, 132 * 128 * 2 * 1.98, 1);  // 3.98 is 4 warp instructions: 128 lanes
  EXPECT_NEAR(gpu.memory_gb_per_s, 2 * 3.201 * 6144 / 8, 1);
  EXPECT_NE(gpu.source.find("driver 580.1"), std::string::npos) << gpu.source;
}

TEST_F(GpuFile, TakesTheMeasuredBandwidthWhereTheDriverHasNoMemoryClock) {
  gpu::DeviceInfo gpu = device("Next");
  gpu.properties.memory_clock_khz = 0;
  EXPECT_EQ(read(machine_yaml(nullptr, gpu, 32, made_up(), "2026-11-23")).memory_gb_per_s, 4500);
}

}  // namespace
}  // namespace warpgrade::authoring
