// The microbenchmarks as compiled, run by the simulator: they do what their figures are named after.
#include "gpu/probe_kernels.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <set>
#include <sstream>

#include "machine/device.hpp"

namespace warpgrade::gpu {
namespace {

class ProbeKernels : public ::testing::Test {
 protected:
  ProbeKernels() {
    std::stringstream text;
    text << std::ifstream(WARPGRADE_PROBE_PTX).rdbuf();
    device_.load(std::make_shared<const ptx::Module>(ptx::parse(text.str())));
    reading_ = device_.allocate(sizeof(ProbeReading), "reading");
    const ProbeReading none;
    device_.write(reading_, std::as_bytes(std::span(&none, 1)));
  }

  void launch(const char *kernel, std::uint32_t blocks, std::uint32_t threads, ProbeArguments arguments) {
    arguments.reading = reading_;
    simt::Launch launch;
    launch.kernel = kernel;
    launch.grid = {blocks, 1, 1};
    launch.block = {threads, 1, 1};
    const auto bytes = std::as_bytes(std::span(&arguments, 1));
    launch.arguments.assign(bytes.begin(), bytes.end());
    const auto result = device_.launch(launch);
    ASSERT_EQ(result.status, simt::Status::completed) << simt::to_text(result.diagnostics.back());
    counters_ = result.counters;
  }
  template <typename T>
  T read(simt::Address at) {
    T value;
    device_.read(at, std::as_writable_bytes(std::span(&value, 1)));
    return value;
  }

  simt::Device device_;
  simt::Address reading_ = 0;
  simt::Counters counters_;
};

TEST_F(ProbeKernels, LinkAllLinesToOneCycleThatJumpsAbout) {
  constexpr std::uint64_t lines = 1024, bytes = lines * probe_line;
  const simt::Address from = device_.allocate(bytes, "chain");
  launch("probe_link", 4, 64, {.from = from, .bytes = bytes});
  EXPECT_EQ(read<ProbeReading>(reading_).at, from);
  std::set<std::uint64_t> seen;
  int neighbours = 0;
  for (std::uint64_t at = from; seen.insert(at).second;) {
    const auto next = read<std::uint64_t>(at);
    neighbours += next == at + probe_line;
    at = next;
  }
  EXPECT_EQ(seen.size(), lines) << "the chain comes back to a line before it has seen all";
  EXPECT_LT(neighbours, 10);
}

TEST_F(ProbeKernels, AChainOfLoadsGoesOnWhereTheLastOneEnded) {
  constexpr std::uint64_t bytes = 256 * probe_line;
  const simt::Address from = device_.allocate(bytes, "chain");
  launch("probe_link", 1, 64, {.from = from, .bytes = bytes});
  std::uint64_t at = from;
  for (int i = 0; i < 16 + 3; ++i) at = read<std::uint64_t>(at);
  launch("probe_chain_l2", 1, 1, {.from = from, .bytes = bytes, .steps = 16, .warm = 3});
  EXPECT_EQ(read<ProbeReading>(reading_).at, at);
  EXPECT_EQ(counters_.global_load.requests, 16u + 3 + 1) << "with the one of where it begins";
}

TEST_F(ProbeKernels, ReadAllOfTheMemoryInEachStep) {
  constexpr std::uint64_t bytes = 1 << 16;
  const simt::Address from = device_.allocate(bytes, "from");
  device_.write(from, std::vector<std::byte>(bytes));
  launch("probe_read", 4, 64, {.from = from, .bytes = bytes, .steps = 3});
  EXPECT_EQ(counters_.global_load.bytes, 3 * bytes);
}

TEST_F(ProbeKernels, ComputeAsManyWarpInstructionsAsTheHostCounts) {
  launch("probe_many_fp32", 1, 64, {.steps = 32});
  EXPECT_EQ(counters_.fp32_fma, 64u * 32 * 8);
  launch("probe_chain_fp32", 1, 32, {.steps = 128});
  EXPECT_EQ(counters_.fp32_fma, 32u * 128);
  launch("probe_many_shared", 1, 64, {.steps = 16});
  EXPECT_EQ(counters_.shared_load.requests, 2u * 16 * 8);
  EXPECT_EQ(counters_.shared_load.wavefronts, 2u * 16 * 8) << "there are bank conflicts";
  launch("probe_barrier", 1, 256, {.steps = 16});
  launch("probe_many_tensor", 1, 64, {.steps = 16});
  EXPECT_EQ(counters_.tensor_flops, 2u * 16 * 4 * 2 * 16 * 16 * 16);
}

TEST_F(ProbeKernels, CopyAllAndAddToEveryWord) {
  constexpr std::uint64_t bytes = 1 << 14;
  const simt::Address from = device_.allocate(bytes, "from"), to = device_.allocate(bytes, "to");
  device_.write(from, std::vector<std::byte>(bytes, std::byte{7}));
  launch("probe_copy", 2, 64, {.from = from, .to = to, .bytes = bytes, .steps = 1});
  EXPECT_EQ(read<std::uint32_t>(to + bytes - 4), 0x07070707u);
  device_.write(from, std::vector<std::byte>(bytes));
  launch("probe_atomics", 2, 64, {.from = from, .bytes = 4 * 128, .steps = 16});
  EXPECT_EQ(read<std::uint32_t>(from + 4 * 127), 16u);
  launch("probe_atomics", 2, 64, {.from = from, .bytes = 4, .steps = 16});
  EXPECT_EQ(read<std::uint32_t>(from), 16u + 128 * 16);
}

}  // namespace
}  // namespace warpgrade::gpu
