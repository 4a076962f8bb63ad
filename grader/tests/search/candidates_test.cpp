// Which cases a search tries, and in which order.
#include "search/candidates.hpp"

#include <gmock/gmock.h>

namespace warpgrade::search {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::Pair;

const course::Assignment &hw6() {
  static const course::Assignment a = course::read_assignment(std::string(WARPGRADE_ASSIGNMENTS) + "/hw6");
  return a;
}

TEST(Literals, AreIntegersOutsideOfCommentsAndStrings) {
  EXPECT_THAT(
      literals_of(
          "// 77\nint t = 32;\nx = \"99\"; /* 5\n6 */ y = 0x40 + 1'024u;\nz = 2.5f + 1e3 + t32 + 32;"),
      ElementsAre(Pair(32, 2), Pair(64, 4), Pair(1024, 4)));
}

TEST(Literals, EndWithTheTextOfAnUnclosedComment) {
  EXPECT_THAT(literals_of("int t = 9; /* 77"), ElementsAre(Pair(9, 1)));
  EXPECT_THAT(literals_of("\""), IsEmpty());
}

TEST(Geometry, GivesTheSidesOfBlocksAndOfTiles) {
  // 3 blocks cover 65 columns in tiles of 32, which have 8 x 8 threads.
  plan::LaunchPlan plan;
  plan::Launch launch;
  launch.grid = {3, 1, 1};
  launch.block = {8, 8, 1};
  plan.operations.emplace_back(launch);
  const course::Step &step = *hw6().find_step("step4");
  problem::Case c = step.cases.front().values;
  const Shape shape = shape_of(step);
  for (const std::size_t s : shape.sizes) c.integers[s] = 65;
  const auto all = constants_of(plan, c, shape);
  EXPECT_THAT(all, Contains(8));
  EXPECT_THAT(all, Contains(32));
  EXPECT_THAT(all, Not(Contains(16)));  // 16 would take 5 blocks
}

/// The sizes of all candidates, in order.
std::vector<std::vector<std::int64_t>> sizes_of(Candidates &candidates, const Shape &shape,
                                                const Coverage &coverage, std::size_t most = SIZE_MAX) {
  std::vector<std::vector<std::int64_t>> all;
  while (all.size() < most) {
    const auto next = candidates.next(coverage);
    if (!next) break;
    all.emplace_back();
    for (const std::size_t s : shape.sizes) all.back().push_back(next->integers[s]);
  }
  return all;
}

TEST(Candidates, HaveEachConstantAndItsNeighboursInEachSize) {
  const course::Step &step = *hw6().find_step("step4");
  const Shape shape = shape_of(step);
  Knowledge known;
  known.constants = {185};
  Candidates candidates(step, step.cases.front().values, shape, known, {2e7, 64 << 20, 100});
  const auto all = sizes_of(candidates, shape, {});
  EXPECT_EQ(all.size(), 100u);
  for (std::size_t s = 0; s < 3; ++s)
    for (const std::int64_t wanted : {184, 185, 186}) {
      std::vector<std::int64_t> sizes = {3, 3, 3};
      sizes[s] = wanted;
      EXPECT_THAT(all, Contains(sizes));
    }
}

TEST(Candidates, AreTheSameEachTimeAndNeverComeTwice) {
  const course::Step &step = *hw6().find_step("step4");
  const Shape shape = shape_of(step);
  Knowledge known;
  known.constants = {16, 100};
  const auto list = [&] {
    Candidates candidates(step, step.cases.front().values, shape, known, {2e7, 64 << 20, 200});
    return sizes_of(candidates, shape, {});
  };
  auto all = list();
  EXPECT_EQ(all, list());
  std::sort(all.begin(), all.end());
  EXPECT_EQ(std::adjacent_find(all.begin(), all.end()), all.end());
}

TEST(Candidates, ThatMaySendABranchTheOtherWayComeFirst) {
  // The branch compares n, which is the second size, with 1000; both ways are not known yet.
  const course::Step &step = *hw6().find_step("step4");
  const Shape shape = shape_of(step);
  Knowledge known;
  known.constants = {16, 32, 64};
  known.branches = {{7, {"k.cu", 1}, {2, 3}, {1000}, {4}}};
  known.size_of = {{0, 0}, {4, 1}, {8, 2}};
  Candidates aimed(step, step.cases.front().values, shape, known, {2e7, 64 << 20, 400});
  Coverage one_way;
  one_way.add(std::vector<simt::BranchCount>{{7, 1, 0}});
  std::vector<std::int64_t> second;
  for (const auto &sizes : sizes_of(aimed, shape, one_way, 30)) second.push_back(sizes[1]);
  EXPECT_THAT(second, Contains(1000));
  Candidates covered(step, step.cases.front().values, shape, known, {2e7, 64 << 20, 400});
  Coverage both;
  both.add(std::vector<simt::BranchCount>{{7, 1, 1}});
  EXPECT_THAT(sizes_of(covered, shape, both, 3),
              ElementsAre(ElementsAre(1, 1, 1), ElementsAre(2, 2, 2), ElementsAre(3, 3, 3)));
}

TEST(Candidates, KeepWhatAllCasesOfAStepHaveInCommon) {
  const course::Step &step = *hw6().find_step("step0");  // graded on squares
  const Shape shape = shape_of(step);
  EXPECT_TRUE(shape.all_alike);
  EXPECT_FALSE(shape_of(step, true).all_alike);  // with advice on other shapes
  Knowledge known;
  known.constants = {31};
  Candidates candidates(step, step.cases.front().values, shape, known);
  for (const auto &sizes : sizes_of(candidates, shape, {}))
    EXPECT_TRUE(sizes[0] == sizes[1] && sizes[1] == sizes[2]);
}

}  // namespace
}  // namespace warpgrade::search
