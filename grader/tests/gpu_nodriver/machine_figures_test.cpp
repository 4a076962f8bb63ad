// What the times of microbenchmarks say about a GPU, from times that were made up.
#include "gpu/machine_figures.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace warpgrade::gpu {
namespace {

TEST(Slope, IsWhatAStepCostsWithoutTheCostOfStarting) {
  EXPECT_DOUBLE_EQ(slope({1, 2, 3, 4}, {107, 114, 121, 128}), 7);
  EXPECT_NEAR(slope({0, 1, 2, 3}, {0, 1.1, 1.9, 3}), 0.98, 1e-12);  // by hand: 4.9 / 5
  EXPECT_TRUE(std::isnan(slope({2, 2}, {1, 3})));
}

/// A GPU with clocks of its own: 100 steps of a probe take `cycles` hundred cycles and, on the whole GPU,
/// `seconds`.
struct MadeUp {
  double cycles = 4, hertz = 1.5e9, start = 700;
  double jitter = 0;        ///< every other repeat takes this share longer
  bool one_is_slow = true;  ///< and one takes ten times as long
  ProbeTimes operator()(const Probe &probe) const {
    ProbeTimes times(probe.repeats);
    for (std::uint32_t r = 0; r < probe.repeats; ++r)
      for (std::uint32_t i = 1; i <= probe_lengths; ++i) {
        const double slower = (one_is_slow && r == 3 ? 10 : 1) * (r % 2 == 1 ? 1 + jitter : 1);
        const double took = start + slower * cycles * i * probe.length;
        times[r].push_back({took, took / hertz * 1e9, took / hertz + 3e-6});
      }
    return times;
  }
};

DeviceInfo made_up_gpu() {
  DeviceInfo gpu;
  gpu.name = "Made Up";
  gpu.major = 9;
  gpu.multiprocessors = 10;
  gpu.memory = std::uint64_t{8} << 30;
  gpu.properties.l2_bytes = 32 << 20;
  return gpu;
}

Figure only(const std::string &key, const MadeUp &machine, const DeviceInfo &gpu = made_up_gpu()) {
  const std::vector<Figure> figures = measure_figures(gpu, machine, [](const std::string &) {}, {key});
  EXPECT_EQ(figures.size(), 1u) << key;
  return figures.empty() ? Figure{} : figures.front();
}

TEST(MachineFigures, AreThoseOfTheMachineWhateverOneRunDid) {
  const Figure latency = only("shared_latency", {.cycles = 29});
  EXPECT_NEAR(latency.value, 29, 1e-9);
  EXPECT_NEAR(latency.clock_mhz, 1500, 1e-6);
  EXPECT_NEAR(latency.spread, 0, 1e-9) << "one of nine repeats is not between the quartiles";
  EXPECT_NEAR(only("clock_mhz", {.hertz = 1.755e9}).value, 1755, 1e-6);
  // 1024 threads with eight results each are 256 warp instructions a step.
  EXPECT_NEAR(only("fp32", {.cycles = 64}).value, 4, 1e-9);
  EXPECT_NEAR(only("integer_latency", {.cycles = 9}).value, 4.5, 1e-9) << "a step has two operations";
}

TEST(MachineFigures, OfBandwidthsAreBytesPerTime) {
  // 2 GiB in 1.5e9 cycles at 1.5 GHz: in one second.
  EXPECT_NEAR(only("dram_read_gb_per_s", {.cycles = 1.5e9}).value, 2.147483648, 1e-9);
  // Ten multiprocessors read 8 MiB in 8192 cycles.
  EXPECT_NEAR(only("l2_bytes", {.cycles = 8192}).value, 102.4, 1e-9);
  DeviceInfo small = made_up_gpu();
  small.properties.l2_bytes = 4 << 20;
  EXPECT_NEAR(only("l2_bytes", {.cycles = 8192}, small).value, 12.8, 1e-9)
      << "only a quarter of a small cache is read";
}

TEST(MachineFigures, OfLaunchesAreMicroseconds) {
  EXPECT_NEAR(only("launch_us", {.cycles = 3000}).value, 2, 1e-9);
  EXPECT_NEAR(only("first_launch_us", {.cycles = 3000, .start = 1500}).value, 6, 1e-9) << "3 + 1 + 2";
}

TEST(MachineFigures, HaveNoClockWhereTheTimerIsTooCoarse) {
  EXPECT_EQ(only("launch_us", {.cycles = 0.1}).clock_mhz, 0);
}

TEST(MachineFigures, ThatVaryAreDoubted) {
  const Figure steady = only("l2_latency", {.cycles = 280, .jitter = 0.01});
  const Figure shaky = only("l2_latency", {.cycles = 280, .jitter = 0.2, .one_is_slow = false});
  EXPECT_EQ(doubts({steady}), std::vector<std::string>{});
  EXPECT_EQ(doubts({steady, shaky}),
            std::vector<std::string>{"l2_latency varies by 20 % from one run to the next"});
}

TEST(MachineFigures, CoverWhatTheGpuHasAndEachIsAnnounced) {
  std::vector<std::string> announced;
  const auto take = [&](const std::string &what) { announced.push_back(what); };
  const std::vector<Figure> all = measure_figures(made_up_gpu(), MadeUp{}, take);
  ASSERT_EQ(all.size(), announced.size());
  for (std::size_t i = 0; i < all.size(); ++i) EXPECT_EQ(announced[i], all[i].key + ": " + all[i].how);
  DeviceInfo pascal = made_up_gpu();
  pascal.major = 6;
  const std::vector<Figure> without_tensor_cores = measure_figures(pascal, MadeUp{}, take);
  EXPECT_EQ(without_tensor_cores.size() + 2, all.size());
}

TEST(MachineFigures, AskForNoMoreMemoryThanTheGpuHas) {
  DeviceInfo small = made_up_gpu();
  small.memory = std::uint64_t{1} << 30;
  measure_figures(
      small,
      [](const Probe &p) {
        EXPECT_LE(p.bytes, std::uint64_t{256} << 20);
        EXPECT_EQ(p.length % (p.kernel == ProbeKernel::chain_fp32 ? 128 : 1), 0u);
        return MadeUp{}(p);
      },
      [](const std::string &) {});
}

}  // namespace
}  // namespace warpgrade::gpu
