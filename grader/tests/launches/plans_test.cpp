// Launches with formulas, from plans.
#include "launches/plans.hpp"

#include <gmock/gmock.h>

#include <cstring>

namespace warpgrade::launches {
namespace {

using ::testing::HasSubstr;

/// k(int n, float a, float *x), launched with blocks of 64 threads that cover n.
Recorded at(std::int64_t n, int launches = 1) {
  Recorded made;
  made.sizes = {n};
  made.reals = {0.5 + 0.001 * static_cast<double>(n)};
  made.plan.buffers = {{plan::Owner::judge, "x", static_cast<std::uint64_t>(4 * n)}};
  for (int l = 0; l < launches; ++l) {
    plan::Launch launch;
    launch.kernel = "k";
    launch.grid = {static_cast<std::uint32_t>((n + 63) / 64), 1, 1};
    launch.block = {64, 1, 1};
    launch.arguments.resize(16);
    const auto count = static_cast<std::int32_t>(n);
    const auto factor = static_cast<float>(made.reals[0]);
    std::memcpy(launch.arguments.data(), &count, 4);
    std::memcpy(launch.arguments.data() + 4, &factor, 4);
    launch.pointers = {{8, {0, 4}}};
    made.plan.operations.emplace_back(launch);
  }
  return made;
}

ptx::Module module() {
  return ptx::parse(
      ".version 7.0\n.target sm_80\n.address_size 64\n"
      ".visible .entry k(.param .u32 k_n, .param .f32 k_a, .param .u64 k_x)\n{\nret;\n}\n");
}

TEST(LaunchesOfPlans, HaveFormulasForGeometryAndArguments) {
  const Launches found = fit_launches({"n"}, {at(1), at(100), at(1000), at(4097)}, {at(65)}, module(), {64});
  EXPECT_EQ(found.why_not, "");
  ASSERT_EQ(found.launches.size(), 1u);
  const Launch &l = found.launches[0];
  EXPECT_EQ(l.grid[0], "ceil_div(n, 64)");
  EXPECT_EQ(l.grid[1], "1");
  EXPECT_EQ(l.block[0], "64");
  ASSERT_EQ(l.arguments.size(), 3u);
  EXPECT_EQ(l.arguments[0].kind, Argument::Kind::integer);
  EXPECT_EQ(l.arguments[0].value, "n");
  EXPECT_EQ(l.arguments[1].kind, Argument::Kind::data) << "a factor is not a size";
  EXPECT_EQ(l.arguments[2].kind, Argument::Kind::pointer);
  EXPECT_EQ(l.arguments[2].buffer, "x");
  EXPECT_EQ(l.arguments[2].value, "4");
}

TEST(LaunchesOfPlans, AreGivenUpWhereAFurtherPlanDiffers) {
  Recorded other = at(65);
  std::get<plan::Launch>(other.plan.operations[0]).grid.x = 7;
  const Launches found = fit_launches({"n"}, {at(1), at(100), at(1000)}, {other}, module(), {64});
  EXPECT_THAT(found.why_not, HasSubstr("grid.x of k follows no known formula"));
}

/// The same in a loop that takes 1000 elements at a time.
Recorded in_turns(std::int64_t n) {
  Recorded made = at(n, static_cast<int>((n + 999) / 1000));
  std::int64_t done = 0;
  for (plan::Operation &o : made.plan.operations) {
    auto &launch = std::get<plan::Launch>(o);
    const auto count = static_cast<std::int32_t>(std::min<std::int64_t>(n - done, 1000));
    std::memcpy(launch.arguments.data(), &count, 4);
    launch.grid.x = static_cast<std::uint32_t>((count + 63) / 64);
    launch.pointers = {{8, {0, 4 * done}}};
    done += 1000;
  }
  return made;
}

TEST(LaunchesOfPlans, OfALoopHaveFormulasOfTheTurn) {
  const Launches found =
      fit_launches({"n"}, {in_turns(1), in_turns(100), in_turns(999), in_turns(4097), in_turns(2999)},
                   {in_turns(1001)}, module(), {64});
  EXPECT_EQ(found.why_not, "");
  ASSERT_EQ(found.launches.size(), 1u);
  const Launch &l = found.launches[0];
  EXPECT_EQ(l.turns, "ceil_div(n, 1000)");
  EXPECT_EQ(l.arguments.at(0).value, "min(n - 1000 * launch, 1000)");
  EXPECT_EQ(l.grid[0], "ceil_div(min(n - 1000 * launch, 1000), 64)");
  EXPECT_EQ(l.arguments.at(2).value, "4000 * launch");
}

TEST(LaunchesOfPlans, AreGivenUpWhereTheirNumberFollowsNoFormula) {
  EXPECT_THAT(fit_launches({"n"}, {at(1), at(100, 2), at(1000), at(1001, 5)}, {}, module(), {}).why_not,
              HasSubstr("follows no known formula"));
}

}  // namespace
}  // namespace warpgrade::launches
