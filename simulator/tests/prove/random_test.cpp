// Random kernels: what is proved of them, compared with runs at every size up to 70.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <map>

#include "cases/cases.hpp"
#include "generator.hpp"
#include "ptx/module.hpp"

namespace warpgrade::prove {
namespace {

constexpr std::array<const char *, 3> seen_properties{"bounds", "races", "barriers"};

/// Runs no size that only overflow needs, which takes most of the time and is not compared here.
Runner of_small_sizes(const Problem &problem, std::uint64_t data_seed = 0) {
  constexpr std::int64_t most_compared = 2000;
  return [run = cases::on_simulator(problem, {.instructions_astray = 100'000, .data_seed = data_seed})](
             const Sizes &sizes) { return sizes.at("n") > most_compared ? std::nullopt : run(sizes); };
}

/// Compares what is proved with every size up to `most`, in steps, on data that are drawn.
/// share  of kernels that are to be decided, in percent
void compare_with_runs(Generated (*generator)(std::uint64_t), std::uint64_t first_seed, int kernels, int most,
                       int step, int share) {
  std::map<std::string, int> proved, refuted;
  for (int k = 0; k < kernels; ++k) {
    const std::uint64_t seed = first_seed + static_cast<std::uint64_t>(k);
    Generated made = generator(seed);
    const ptx::Module module = ptx::parse(made.ptx);
    made.problem.module = &module;
    const Runner runner = of_small_sizes(made.problem, seed);
    const auto all = decided(made.problem, runner);
    for (const char *name : seen_properties) {
      proved[name] += all.at(name).result == Result::proved ? 1 : 0;
      refuted[name] += all.at(name).result == Result::fails ? 1 : 0;
    }
    for (int n = 1; n <= most; n += step) {
      const auto seen = runner({{"n", n}});
      if (!seen) continue;
      const std::map<std::string, bool> failed{
          {"bounds", seen->outside}, {"races", seen->race}, {"barriers", seen->barrier}};
      for (const auto &[name, fails] : failed)
        ASSERT_FALSE(fails && all.at(name).result == Result::proved)
            << name << " proved, but n = " << n << " fails: " << seen->text << "\nseed " << seed << "\n"
            << made.ptx;
    }
  }
  for (const char *name : seen_properties)
    fmt::print("{}: {} of {} kernels proved, {} refuted by a case, from seed {} on\n", name, proved[name],
               kernels, refuted[name], first_seed);
  for (const char *name : seen_properties)
    EXPECT_GT(proved[name] + refuted[name], kernels * share / 100) << name;
}

TEST(Prove, NothingThatARunRefutesIsProved) {
  compare_with_runs(generate, 1, 200, 70, 5, 50);
}

TEST(Prove, NothingThatARunRefutesIsProvedOfLoopsWithSeveralWaysOut) {
  compare_with_runs(generate_ways_out, 1, 200, 70, 5, 40);
}

TEST(Prove, NothingThatARunRefutesIsProvedOfBuffersThatTakeTurns) {
  compare_with_runs(generate_turns, 1, 200, 12, 1, 50);
}

/// Whether every element is written once; and how often this is proved of kernels that do it.
void compare_writing_with_runs(std::uint64_t first_seed, int kernels) {
  int proved = 0, right = 0;
  for (int k = 0; k < kernels; ++k) {
    const std::uint64_t seed = first_seed + static_cast<std::uint64_t>(k);
    Generated made = generate_writing(seed);
    const ptx::Module module = ptx::parse(made.ptx);
    made.problem.module = &module;
    const Runner runner = of_small_sizes(made.problem);
    const auto all = decided(made.problem, runner);
    bool fails = false;
    for (int n = 1; n <= made.most; ++n) {
      const auto seen = runner({{"n", n}});
      ASSERT_FALSE(seen && ((seen->outside && all.at("bounds").result == Result::proved) ||
                            (seen->race && all.at("races").result == Result::proved)))
          << seen->text << "\nn = " << n << ", seed " << seed << "\n"
          << made.ptx;
      // Beside an access outside, what is not written is not looked at.
      fails = fails || (seen && seen->outside);
      if (!seen || !(seen->unwritten || seen->race)) continue;
      fails = true;
      ASSERT_NE(all.at("written").result, Result::proved)
          << "n = " << n << (seen->race ? " is written twice" : " is not written") << "\nseed " << seed
          << "\n"
          << made.ptx;
    }
    right += fails ? 0 : 1;
    proved += !fails && all.at("written").result == Result::proved ? 1 : 0;
  }
  fmt::print("written: {} of {} kernels proved, of {} that no size refutes, from seed {} on\n", proved,
             kernels, right, first_seed);
  EXPECT_GT(proved, right * 3 / 4);
}

TEST(Prove, NoOutputThatARunLeavesUnwrittenIsProvedWritten) {
  compare_writing_with_runs(1, 24);
}

/// Parts of 10,000 kernels of the first two kinds, of 2,000 with buffers in turn and of 1,000 outputs: the first three are run
/// at every size up to 70. WARPGRADE_PROVE_SEED chooses others.
class LongProve : public testing::TestWithParam<int> {
 protected:
  static constexpr int parts = 10;
  /// The first seed of this part, of so many kernels in all.
  static std::uint64_t first_of(int kernels) {
    const char *const text = std::getenv("WARPGRADE_PROVE_SEED");
    const std::uint64_t seed = text != nullptr ? std::strtoull(text, nullptr, 10) : 100'000;
    return seed + static_cast<std::uint64_t>(GetParam() * (kernels / parts));
  }
};

TEST_P(LongProve, NothingThatARunRefutesIsProved) {
  compare_with_runs(generate, first_of(10'000), 10'000 / parts, 70, 1, 50);
}
TEST_P(LongProve, NothingThatARunRefutesIsProvedOfLoopsWithSeveralWaysOut) {
  compare_with_runs(generate_ways_out, first_of(10'000), 10'000 / parts, 70, 1, 40);
}
TEST_P(LongProve, NothingThatARunRefutesIsProvedOfBuffersThatTakeTurns) {
  compare_with_runs(generate_turns, first_of(2000), 2000 / parts, 70, 1, 50);
}
TEST_P(LongProve, NoOutputThatARunLeavesUnwrittenIsProvedWritten) {
  compare_writing_with_runs(first_of(1000), 1000 / parts);
}
INSTANTIATE_TEST_SUITE_P(Parts, LongProve, testing::Range(0, 10));

}  // namespace
}  // namespace warpgrade::prove
