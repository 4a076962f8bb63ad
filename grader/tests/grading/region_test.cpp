// Which elements a property's picture shows, from requests as the simulator traces them.
#include "grading/region.hpp"

#include <gtest/gtest.h>

namespace warpgrade::grading {
namespace {

/// Lanes 0 to `lanes` - 1 of a warp of that block access neighbours from `first` on.
simt::TracedRequest neighbours(std::uint32_t block, std::int64_t first, int lanes, bool store,
                               std::uint64_t phase = 0, std::uint32_t warp = 0) {
  simt::TracedRequest r;
  r.space = ptx::Space::global;
  r.store = store;
  r.block = {block, 0, 0};
  r.warp = warp;
  r.bytes = 4;
  r.buffer = "x";
  r.phase = phase;
  r.offsets.fill(-1);
  for (int lane = 0; lane < lanes; ++lane) {
    r.mask |= 1u << lane;
    r.offsets[static_cast<std::size_t>(lane)] = 4 * (first + lane);
  }
  return r;
}

using Parts = std::vector<RegionRecord::Part>;

/// Of a buffer x of 37 floats, which is an output.
Parts parts(const char *property, const std::vector<simt::TracedRequest> &all) {
  const auto found = region_in(property, all, {{"x", 1, 37, 4, true}});
  return found ? found->parts : Parts{};
}

// Two blocks of 32 threads without a guard: the second one reaches 32 to 63 of 37 elements.
TEST(Region, OfBoundsIsWhatLiesOutsideTheBufferWithTheBlockThatReachesIt) {
  EXPECT_EQ(parts("bounds", {neighbours(0, 0, 32, true), neighbours(1, 32, 32, true)}),
            (Parts{{37, 63, "block (1, 0)"}}));
  EXPECT_EQ(parts("bounds", {neighbours(0, -1, 32, false)}), (Parts{{-1, -1, "block (0, 0)"}}));
  EXPECT_EQ(parts("bounds", {neighbours(0, 0, 32, true), neighbours(1, 32, 5, true)}), Parts{});
}

TEST(Region, OfWritingIsWhatNobodyWritesAndWhatSeveralDo) {
  EXPECT_EQ(parts("written", {neighbours(0, 0, 32, true)}), (Parts{{32, 36, ""}}));
  EXPECT_EQ(parts("written", {neighbours(0, 0, 32, true), neighbours(1, 30, 7, true)}),
            (Parts{{30, 31, "blocks (0, 0) and (1, 0)"}}));
  EXPECT_EQ(parts("written", {neighbours(0, 0, 32, true), neighbours(1, 32, 5, true)}), Parts{});
}

TEST(Region, OfRacesNeedsAWriteAndNoBarrierBetweenTheThreads) {
  EXPECT_EQ(parts("races", {neighbours(0, 0, 4, true), neighbours(1, 3, 4, false)}),
            (Parts{{3, 3, "blocks (0, 0) and (1, 0)"}}));
  EXPECT_EQ(parts("races", {neighbours(0, 0, 4, true, 0), neighbours(0, 1, 4, false, 0)}),
            (Parts{{1, 3, "block (0, 0)"}}));
  EXPECT_EQ(parts("races", {neighbours(0, 0, 4, true, 0), neighbours(0, 1, 4, false, 1)}), Parts{});
  EXPECT_EQ(parts("races", {neighbours(0, 0, 4, false), neighbours(1, 3, 4, false)}), Parts{});
}

TEST(Region, IsThereForNoOtherProperty) {
  EXPECT_FALSE(region_in("barriers", {neighbours(0, 0, 32, true)}, {{"x", 1, 37, 4, true}}));
}

}  // namespace
}  // namespace warpgrade::grading
