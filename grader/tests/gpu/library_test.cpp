// CUB, cuSPARSE and copies on a GPU: they compute what the problems ask for, at the speed of memory.
#include <gtest/gtest.h>

#include <cstdio>
#include <numeric>

#include "tests/gpu/library_cases.hpp"
#include "tests/gpu/plans.hpp"

namespace warpgrade::gpu {
namespace {

TEST(Libraries, ComputeWhatTheProblemsAskFor) {
  Referee referee(machine().device, machine().options);
  for (const LibraryCase &one : library_cases())
    EXPECT_EQ(difference(referee, one), "") << one.problem << " at " << one.size;
}

TEST(Libraries, AreFastOnLargeInputs) {
  Referee referee(machine().device, machine().options);
  for (const LibraryCase &one :
       {LibraryCase{"sum", "16777216"}, LibraryCase{"argmin", "16777216"}, LibraryCase{"scan", "16777216"},
        LibraryCase{"compact", "16777216"}, LibraryCase{"sort", "16777216"},
        LibraryCase{"histogram", "n=16777216 bins=256"},
        LibraryCase{"spmv_csr", "rows=65536 columns=65536 entries=2097152"}}) {
    LibraryTime time;
    ASSERT_EQ(difference(referee, one, &time), "") << one.problem;
    const problem::Problem &p = *problem::find_problem(one.problem);
    const double rate = p.work(problem::parse_case(p, one.size)) / time.sample.seconds / 1e9;
    std::printf("  %s: %s at %s: %.1f us, %.0f GB/s\n", referee.routine_version().c_str(),
                one.problem.c_str(), one.size.c_str(), time.sample.seconds * 1e6, rate);
    EXPECT_GT(rate, 20);
  }
}

TEST(Libraries, ACopyIsOneAndMovesAtTheSpeedOfMemory) {
  Referee referee(machine().device, machine().options);
  constexpr std::uint64_t bytes = std::uint64_t{256} << 20;
  ASSERT_EQ(referee.take(problem::Routine::copy, {bytes, bytes}), "");
  std::vector<run::HostBuffer> operands(2, {"x", run::Role::in_out, std::vector<std::byte>(bytes), 1});
  for (std::size_t i = 0; i < bytes; ++i) operands[0].bytes[i] = static_cast<std::byte>(i * 31 >> 3);
  auto left = operands;
  const LibraryTime time = referee.compute(&operands, &left);
  ASSERT_EQ(time.why, "");
  EXPECT_EQ(left[0].bytes, operands[0].bytes);
  EXPECT_EQ(left[1].bytes, operands[0].bytes);
  const double rate = 2.0 * bytes / time.sample.seconds / 1e9;
  std::printf("  a copy of 256 MiB: %.1f us, %.0f GB/s\n", time.sample.seconds * 1e6, rate);
  EXPECT_GT(rate, 100);
}

TEST(Libraries, ProductsGoOnAfterARoutine) {
  Referee referee(machine().device, machine().options);
  ASSERT_EQ(difference(referee, {"sum", "1000"}), "");
  const Sgemm problem{64, 64, 64, 1, 0};
  ASSERT_EQ(referee.take(product_of(problem), 2e-6), "");
  ASSERT_EQ(referee.deal(1), "");
  EXPECT_EQ(referee.multiply().why, "");
}

}  // namespace
}  // namespace warpgrade::gpu
