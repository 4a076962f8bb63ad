// The microbenchmarks on a real GPU: their results are physically possible.
#include <gtest/gtest.h>

#include <cstdio>
#include <map>

#include "gpu/machine_figures.hpp"
#include "tests/gpu/plans.hpp"

namespace warpgrade::gpu {
namespace {

TEST(Microbenchmarks, SayWhatIsPhysicallyPossible) {
  const DeviceInfo &gpu = machine().device;
  Prober prober(gpu, machine().options);
  EXPECT_GE(prober.blocks_per_multiprocessor(), 16);
  std::map<std::string, double> value;
  for (const Figure &f : measure_figures(
           gpu, [&](const Probe &p) { return prober.run(p); }, [](const std::string &) {},
           {"clock_mhz", "issue", "fp32", "wavefronts", "l2_bytes", "l2_bytes_alone", "dram_read_gb_per_s",
            "fp32_latency", "shared_latency", "l1_latency", "l2_latency", "dram_latency", "barrier_256",
            "launch_us"})) {
    std::printf("  %-20s %9.3f  %s, varies by %.1f %%, at %.0f MHz\n", f.key.c_str(), f.value, f.how.c_str(),
                100 * f.spread, f.clock_mhz);
    value[f.key] = f.value;
  }
  EXPECT_LE(value["clock_mhz"], gpu.properties.clock_khz * 1.02e-3);
  EXPECT_GT(value["clock_mhz"], gpu.properties.clock_khz * 0.4e-3);
  EXPECT_GT(value["fp32_latency"], 2);
  EXPECT_LT(value["fp32_latency"], value["shared_latency"]);
  EXPECT_LT(value["shared_latency"], value["l2_latency"]);
  EXPECT_LT(value["l1_latency"], value["l2_latency"]);
  EXPECT_LT(value["l2_latency"], value["dram_latency"]);
  EXPECT_LT(value["fp32"], 4.02);  // no generation issues more than four warp instructions
  EXPECT_LT(value["issue"], 4.02);
  EXPECT_GE(value["issue"], value["fp32"]);
  EXPECT_NEAR(value["wavefronts"], 1, 0.05);
  EXPECT_GT(value["l2_bytes"], 4);
  EXPECT_LT(value["l2_bytes"], 1.05 * value["l2_bytes_alone"]);
  // Two bits of each pin in a cycle of the memory's clock.
  const double pins = 2e3 * gpu.properties.memory_clock_khz * gpu.properties.memory_bus_bits / 8 / 1e9;
  if (pins > 0) {
    EXPECT_LT(value["dram_read_gb_per_s"], 1.05 * pins);
  }
  EXPECT_GT(value["dram_read_gb_per_s"], 0.5 * pins);
  EXPECT_GT(value["barrier_256"], 5);
  EXPECT_LT(value["launch_us"], 50);
}

}  // namespace
}  // namespace warpgrade::gpu
