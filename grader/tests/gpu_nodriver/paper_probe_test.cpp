// The process that runs microbenchmarks, on a driver without a GPU.
#include <gtest/gtest.h>

#include "gpu/probe.hpp"
#include "tests/gpu_nodriver/paper.hpp"

namespace warpgrade::gpu {
namespace {

TEST(PaperProbe, GivesATimeForEachLengthOfEachRepeat) {
  Prober prober(paper_gpu(), paper());
  const ProbeTimes times = prober.run({ProbeKernel::chain_fp32, 1, 32, 0, 128, 3});
  ASSERT_EQ(times.size(), 3u);
  for (const auto &repeat : times) {
    ASSERT_EQ(repeat.size(), probe_lengths);
    for (std::uint32_t i = 0; i < probe_lengths; ++i) {
      EXPECT_EQ(repeat[i].cycles, 128.0 * (i + 1) * 5) << "a step takes five cycles on paper";
      EXPECT_EQ(repeat[i].nanoseconds, 128.0 * (i + 1) * 4);
    }
  }
  ASSERT_TRUE(prober.state());
  EXPECT_EQ(prober.state()->sm_mhz, 1980);
}

TEST(PaperProbe, WalksThroughCachedMemoryOnceBeforeItsLoopAndThroughOtherMemoryNever) {
  Prober prober(paper_gpu(), paper());
  // The paper GPU counts a cycle for each load before the loop.
  const Probe cached{ProbeKernel::chain_l2, 1, 1, 1 << 14, 128, 1},
      other{ProbeKernel::chain_l2, 1, 1, 1 << 14, 128, 1, 1};
  EXPECT_EQ(prober.run(cached)[0][0].cycles, 5 * 128 + (1 << 14) / 128);
  EXPECT_EQ(prober.run(other)[0][0].cycles, 5 * 128);
}

TEST(PaperProbe, SaysHowManyOthersUseTheGpu) {
  EXPECT_EQ(Prober(paper_gpu(), paper({"PAPER_PROCESSES=2"})).other_processes(), 2);
  EXPECT_EQ(Prober(paper_gpu(), paper()).other_processes(), 0);
  ChildOptions without_nvml = paper();
  without_nvml.nvml_library = "libnothing.so";
  EXPECT_EQ(Prober(paper_gpu(), without_nvml).other_processes(), std::nullopt);
}

TEST(PaperProbe, SaysWhatFailed) {
  ChildOptions nothing = paper();
  nothing.driver_library = "libnothing.so";
  try {
    Prober prober(paper_gpu(), nothing);
    FAIL() << "nothing was thrown";
  } catch (const ProbeError &error) {
    EXPECT_STREQ(error.what(), "no NVIDIA driver on this machine");
  }
}

}  // namespace
}  // namespace warpgrade::gpu
