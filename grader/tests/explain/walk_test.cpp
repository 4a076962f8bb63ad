#include "explain/walk.hpp"

#include <gtest/gtest.h>

namespace warpgrade::explain {
namespace {

/// Lane l of `lanes` lanes touches element (row, col + l) of a buffer with rows of 8 elements.
simt::TracedRequest along_a_row(std::int64_t row, std::int64_t col, int lanes, std::uint64_t phase,
                                std::uint32_t warp = 0) {
  simt::TracedRequest r;
  r.buffer = "A";
  r.bytes = 4;
  r.warp = warp;
  r.phase = phase;
  r.offsets.fill(-1);
  for (int lane = 0; lane < lanes; ++lane) {
    r.mask |= 1u << lane;
    r.offsets[static_cast<std::size_t>(lane)] = 4 * (row * 8 + col + lane);
  }
  return r;
}

const Walk loads_of_a{"A", false, 8};

TEST(Walk, FollowsOneThreadFromElementToElement) {
  const std::vector<simt::TracedRequest> trace = {along_a_row(0, 0, 4, 0), along_a_row(1, 2, 2, 0),
                                                  along_a_row(5, 5, 4, 0, 1), along_a_row(2, 4, 4, 1)};
  EXPECT_EQ(path_of(trace, loads_of_a, 0, 1), (std::vector<Element>{{0, 1}, {1, 3}, {2, 5}}));
  EXPECT_EQ(path_of(trace, loads_of_a, 0, 3), (std::vector<Element>{{0, 3}, {2, 7}})) << "inactive once";
  EXPECT_TRUE(path_of(trace, {"A", true, 8}, 0, 1).empty()) << "these are loads";
  EXPECT_TRUE(path_of(trace, {"B", false, 8}, 0, 1).empty());
}

TEST(Walk, KnowsMatricesThatLieColumnAfterColumn) {
  const Walk by_columns{"A", false, 8, true};
  EXPECT_EQ(path_of({along_a_row(2, 3, 1, 0)}, by_columns, 0, 0), (std::vector<Element>{{3, 2}}));
}

TEST(Walk, SplitsWideAccessesIntoTheirElements) {
  simt::TracedRequest wide = along_a_row(0, 6, 1, 0);
  wide.bytes = 16;  // from element 6 on: two in row 0, two in row 1
  EXPECT_EQ(path_of({wide}, loads_of_a, 0, 0), (std::vector<Element>{{0, 6}, {0, 7}, {1, 0}, {1, 1}}));
}

TEST(Walk, TilesAreTheAccessesBetweenTwoBarriers) {
  const std::vector<simt::TracedRequest> trace = {along_a_row(0, 0, 4, 0), along_a_row(1, 0, 4, 0, 1),
                                                  along_a_row(0, 4, 4, 2), along_a_row(1, 4, 3, 2, 1)};
  const std::vector<Tile> tiles = tiles_of(trace, loads_of_a);
  ASSERT_EQ(tiles.size(), 2u);
  EXPECT_EQ(tiles[0], (Tile{0, {0, 0}, {1, 3}, true}));
  EXPECT_EQ(tiles[1], (Tile{2, {0, 4}, {1, 7}, false})) << "element (1, 7) was left out";
}

TEST(Walk, CountsTheWordsThatAThreadFetchesFromSharedMemory) {
  simt::TracedRequest one = along_a_row(0, 0, 4, 0), four = one, store = one;
  one.space = four.space = store.space = ptx::Space::shared;
  four.bytes = 16;
  store.store = true;
  EXPECT_EQ(shared_words_loaded({one, four, store}, 0, 2), 5u);
  EXPECT_EQ(shared_words_loaded({one, four, store}, 0, 7), 0u) << "that lane took no part";
}

}  // namespace
}  // namespace warpgrade::explain
