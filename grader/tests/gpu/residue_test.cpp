// What one run leaves in the caches must not make the next one faster. A single thread that goes from line to
// line of a buffer sees it best: a line that is still in the L2 cache comes in less than half the time.
#include <gtest/gtest.h>

#include <cstdio>

#include "base/statistics.hpp"
#include "tests/gpu/device_code.hpp"
#include "tests/gpu/plans.hpp"

namespace warpgrade::gpu {
namespace {

using run::End;

constexpr std::uint32_t line_floats = 32,
                        lines = 1 << 14;  // 2 MiB: less than the L2 cache of any GPU of these years
constexpr std::int32_t steps = 8192;      // every second line

/// A chain through lines that are far from each other, so that no prefetcher guesses the next.
std::vector<float> chain() {
  std::vector<float> next(line_floats * lines, 0.0f);
  std::uint32_t line = 0;
  for (std::int32_t i = 0; i < steps; ++i) {
    const std::uint32_t after = (line + 40503) % lines;  // odd: no line twice before all were there
    next[line * line_floats] = static_cast<float>(after * line_floats);
    line = after;
  }
  return next;
}

std::vector<run::HostBuffer> chain_and_result() {
  return {run::host_buffer("A", run::Role::input, chain()), host_buffer("C", {7.0f})};
}

plan::LaunchPlan plan_of(const std::vector<std::string> &kernels) {
  plan::LaunchPlan plan;
  plan.buffers = {judge_buffer("A", line_floats * lines), judge_buffer("C", 1)};
  for (const std::string &kernel : kernels) {
    const bool one_thread = kernel == "chase";
    auto launch = launch_of(kernel, {one_thread ? 1u : 1024u, 1, 1}, {one_thread ? 1u : 256u, 1, 1});
    ArgumentBuilder(launch)
        .pointer(0)
        .value(one_thread ? steps : static_cast<std::int32_t>(line_floats * lines))
        .pointer(1);
    plan.operations.push_back(launch);
  }
  return plan;
}

class Residue : public ::testing::Test {
 protected:
  Replay replay{machine().device, test_fat_binary(), {}, machine().options};
  std::vector<run::HostBuffer> inputs = chain_and_result();

  double seconds(const std::vector<std::string> &kernels) {
    const Timed timed = replay.time_once(plan_of(kernels), inputs);
    EXPECT_EQ(timed.run.end, End::completed) << timed.run.message;
    return timed.sample.seconds;
  }
};

TEST_F(Residue, AChaseDistinguishesAWarmCacheFromAColdOne) {
  std::vector<double> once, twice;
  for (int i = 0; i < 9; ++i) {
    once.push_back(seconds({"chase"}));
    twice.push_back(seconds({"chase", "chase"}));
  }
  const double cold = quantile(once, 0.5), warm = quantile(twice, 0.5) - cold;
  std::printf("  %d lines: cold %.0f us, warm %.0f us\n", steps, cold * 1e6, warm * 1e6);
  EXPECT_LT(warm, 0.7 * cold);
}

TEST_F(Residue, LinesThatAKernelAskedToKeepAreGoneInTheNextRun) {
  std::vector<double> before, after;
  for (int i = 0; i < 9; ++i) {
    before.push_back(seconds({"chase"}));
    seconds({"keep"});
    after.push_back(seconds({"chase"}));
  }
  const double plain = quantile(before, 0.5), kept = quantile(after, 0.5);
  std::printf("  a chase takes %.0f us, %.0f us after a run that asked for its lines to be kept\n",
              plain * 1e6, kept * 1e6);
  EXPECT_GT(kept, 0.95 * plain);
}

TEST_F(Residue, LinesThatAKernelAskedToKeepStayInItsOwnRun) {
  std::vector<double> cold, reread;
  for (int i = 0; i < 9; ++i) {
    cold.push_back(seconds({"chase"}));
    reread.push_back(seconds({"keep", "chase"}) - seconds({"keep"}));
  }
  EXPECT_LT(quantile(reread, 0.5), 0.7 * quantile(cold, 0.5));
}

}  // namespace
}  // namespace warpgrade::gpu
