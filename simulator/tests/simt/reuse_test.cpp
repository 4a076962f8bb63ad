// How soon a warp loads the same sectors again.
#include "machine/reuse.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>

namespace warpgrade::simt {
namespace {

/// A request of whole sectors, each lane at the next one.
void load(ReuseRecorder &recorder, std::uint64_t first_sector, std::uint32_t lanes) {
  std::uint64_t addresses[32] = {};
  for (std::uint32_t lane = 0; lane < lanes; ++lane) addresses[lane] = 32 * (first_sector + lane);
  recorder.load(1, addresses, lanes == 32 ? ~0u : (1u << lanes) - 1, 4);
}

Reuse sectors(ReuseRecorder &recorder) {
  Path path;
  path.loads = recorder.take();
  return path.reuse();
}

std::uint64_t all_again(const Reuse &reuse) {
  return std::accumulate(reuse.again.begin(), reuse.again.end(), std::uint64_t{0});
}

TEST(Reuse, ASectorThatSeveralLanesReadInARequestCountsOnce) {
  ReuseRecorder recorder;
  std::uint64_t addresses[32];
  for (std::uint64_t lane = 0; lane < 32; ++lane) addresses[lane] = 4096 + 4 * lane;
  recorder.load(1, addresses, ~0u, 4);
  EXPECT_EQ(sectors(recorder).first, 4u);
  EXPECT_EQ(all_again(sectors(recorder)), 0u);
}

TEST(Reuse, AnAccessAcrossABoundaryReadsBothSectors) {
  ReuseRecorder recorder;
  std::uint64_t addresses[32] = {24};
  recorder.load(1, addresses, 1, 16);
  EXPECT_EQ(sectors(recorder).first, 2u);
}

TEST(Reuse, IsTheNearerTheFewerOtherSectorsWereReadInBetween) {
  ReuseRecorder recorder;
  load(recorder, 0, 1);
  load(recorder, 0, 1);
  EXPECT_EQ(sectors(recorder).again[1], 1u) << "one sector was new since: itself";
  for (std::uint64_t i = 0; i < 100; ++i) load(recorder, 1000 + 32 * i, 32);
  load(recorder, 0, 1);
  EXPECT_EQ(sectors(recorder).again[12], 1u) << "3200 others: at least 2048, less than 4096";
  EXPECT_EQ(sectors(recorder).first, 3201u);
}

TEST(Reuse, RepeatedReadsEvictNothing) {
  // The sum of a row by one warp: the row's sectors eight times each, a column between.
  ReuseRecorder recorder;
  for (std::uint64_t k = 0; k < 800; ++k) {
    load(recorder, k / 8, 1);
    load(recorder, 10000 + 4 * k, 4);
  }
  for (std::uint64_t k = 0; k < 800; ++k) load(recorder, 10000 + 4 * k, 4);
  const Reuse reuse = sectors(recorder);
  EXPECT_EQ(reuse.first, 100u + 3200u);
  EXPECT_EQ(reuse.again[12], 3200u) << "the column, with 3300 sectors in between";
  EXPECT_EQ(all_again(reuse), 700u + 3200u);
}

TEST(Reuse, IsKeptForEachLineWithTheRequestsThatWaitForSomethingNew) {
  ReuseRecorder recorder;
  for (std::uint64_t k = 0; k < 16; ++k) {
    std::uint64_t row[32], column[32];
    for (std::uint64_t lane = 0; lane < 32; ++lane)
      row[lane] = 4 * k, column[lane] = 4096 * (k + 1) + 4 * lane;
    recorder.load(7, row, ~0u, 4);     // the same word for all lanes, the next one each time
    recorder.load(9, column, ~0u, 4);  // another line of 128 bytes each time
  }
  const std::vector<LineLoads> loads = recorder.take();
  ASSERT_EQ(loads.size(), 2u);
  EXPECT_EQ(loads[0].line, 7);
  EXPECT_EQ(loads[0].bytes, 4u);
  EXPECT_EQ(loads[0].requests.first, 2u) << "64 bytes of the row are two sectors";
  EXPECT_EQ(all_again(loads[0].requests), 14u);
  EXPECT_EQ(loads[0].lines, 16u);
  EXPECT_EQ(loads[1].requests.first, 16u);
  EXPECT_EQ(loads[1].sectors.first, 64u);
  EXPECT_EQ(all_again(loads[1].requests), 0u);
}

TEST(Reuse, ARequestCountsAsItsSectorThatWasLoadedLongestAgo) {
  ReuseRecorder recorder;
  load(recorder, 0, 1);
  load(recorder, 0, 2);
  EXPECT_EQ(recorder.take()[0].requests.first, 2u) << "the second one waits for a sector that is new";
  EXPECT_EQ(recorder.take()[0].sectors.first, 2u);
}

TEST(FirstTouches, AreOfEachWarpByItselfAndSayHowFarItWas) {
  TouchRecorder recorder;
  constexpr std::uint64_t lines = 1600;
  for (std::uint64_t i = 0; i < lines; ++i) recorder.load(0, 128 * i);
  for (std::uint64_t i = 0; i < lines; ++i) recorder.load(0, 128 * i + 4);  // the same lines again
  for (std::uint64_t i = 0; i < lines; ++i) recorder.load(3, 128 * (lines - 1 - i));
  const std::vector<FirstTouch> all = recorder.take();
  ASSERT_GT(all.size(), 2 * lines / 24) << "a sixteenth of the lines for each of two warps";
  ASSERT_LT(all.size(), 2 * lines / 12);
  std::map<std::uint64_t, std::vector<float>> by_line;
  for (const FirstTouch &t : all) by_line[t.line].push_back(t.when);
  for (auto &[line, times] : by_line) {
    ASSERT_EQ(times.size(), 2u) << "the same lines are kept of every warp";
    const float of_first = static_cast<float>(line) / (2 * lines);
    const float of_other = 1 - static_cast<float>(line + 1) / lines;
    std::sort(times.begin(), times.end());
    EXPECT_NEAR(times[0], std::min(of_first, of_other), 1e-5);
    EXPECT_NEAR(times[1], std::max(of_first, of_other), 1e-5);
  }
}

}  // namespace
}  // namespace warpgrade::simt
