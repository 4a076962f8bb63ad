// Conditions of a launcher's branches, from what it launched.
#include "launches/branches.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>

namespace warpgrade::launches {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

const std::vector<std::vector<std::int64_t>> asked_at = {{37, 64},     {129, 1000}, {200, 4097}, {513, 257},
                                                         {5, 37},      {1, 129},    {33, 200},   {3, 1 << 20},
                                                         {1 << 20, 3}, {1000, 96},  {4097, 64},  {64, 1}};

/// "kernel: condition && condition" of each branch that is found for a launcher.
template <typename Launcher>
std::vector<std::string> found_for(const Launcher &launcher, const std::set<std::int64_t> &likely = {}) {
  std::vector<Choice> seen;
  for (const auto &s : asked_at) seen.push_back({s, launcher(s[0], s[1])});
  const Ask ask = [&](const std::vector<std::int64_t> &s) { return std::optional(launcher(s[0], s[1])); };
  std::vector<std::string> texts;
  for (const Branch &one : branches_of({"m", "n"}, seen, likely, ask)) {
    texts.push_back(fmt::format("{}: {}", one.kernels, fmt::join(one.conditions, " && ")));
    for (const Choice &c : seen)
      if (one.conditions.size() > 0 && allows(one, {"m", "n"}, c.sizes) && c.kernels != one.kernels)
        texts.back() += " (mixed)";
  }
  std::sort(texts.begin(), texts.end());
  return texts;
}

TEST(BranchesOfALauncher, HaveTheExactLimitThoughItWasNotAmongTheSizes) {
  const auto launcher = [](std::int64_t m, std::int64_t) {
    return std::string(m <= 777 ? "small" : "large");
  };
  EXPECT_THAT(found_for(launcher), ElementsAre("large: m > 777", "small: m <= 777"));
  EXPECT_THAT(found_for(launcher, {777}), ElementsAre("large: m > 777", "small: m <= 777"));
}

TEST(BranchesOfALauncher, MayTakeTwoConditions) {
  const auto launcher = [](std::int64_t m, std::int64_t n) {
    return std::string(m <= 500 && n <= 300 ? "small" : "large");
  };
  EXPECT_THAT(found_for(launcher),
              ElementsAre("large: m <= 500 && n > 300", "large: m > 500", "small: m <= 500 && n <= 300"));
}

TEST(BranchesOfALauncher, MayAskForAMultiple) {
  const auto launcher = [](std::int64_t, std::int64_t n) {
    return std::string(n % 4 == 0 ? "vectors" : "numbers");
  };
  EXPECT_THAT(found_for(launcher), ElementsAre("numbers: n % 4 != 0", "vectors: n % 4 == 0"));
}

// m * n decides, which no condition of one size says: each kernel is then one that may run at any size.
TEST(BranchesOfALauncher, HaveNoConditionWhereNoneOfOneSizeIsRight) {
  const auto launcher = [](std::int64_t m, std::int64_t n) {
    return std::string(m * n < 20'000 ? "few" : "many");
  };
  for (const std::string &branch : found_for(launcher)) EXPECT_THAT(branch, testing::EndsWith(": "));
}

}  // namespace
}  // namespace warpgrade::launches
