// Fences between the generic and the async proxy, without a block around them.
#include "machine/checks/proxy_fences.hpp"

#include <gtest/gtest.h>

#include "decode/handlers.hpp"

namespace warpgrade::simt {
namespace {

using Space = ProxyFences::Space;
using Missing = ProxyFences::Missing;

std::uint64_t stored(std::uint32_t time, std::uint32_t thread) {
  return std::uint64_t{time} << 32 | thread;
}

struct ProxyFencesTest : ::testing::Test {
  ProxyFencesTest() { fences.begin(64); }
  /// Of warps whose work the fencing one does not know.
  void fence(std::uint32_t warp, std::uint32_t lanes, std::uint32_t spaces, std::uint32_t time) {
    fences.fence(warp, lanes, spaces, time, {0, 0});
  }
  ProxyFences fences;
};

TEST_F(ProxyFencesTest, AFenceOrdersEarlierStoresOfItsThread) {
  fence(1, 1u << 3, proxy_of_shared, 10);
  EXPECT_TRUE(fences.is_fenced(Space::shared, stored(9, 35), 0));
  EXPECT_FALSE(fences.is_fenced(Space::shared, stored(10, 35), 0));  // not what comes after it
  EXPECT_FALSE(fences.is_fenced(Space::shared, stored(9, 36), 0));   // nor what its neighbor stored
}

TEST_F(ProxyFencesTest, AFenceOfTheReadingWarpCounts) {
  fence(0, 1, proxy_of_shared, 10);
  EXPECT_TRUE(fences.is_fenced(Space::shared, stored(9, 40), 0));
  EXPECT_FALSE(fences.is_fenced(Space::shared, stored(9, 40), 1));
}

TEST_F(ProxyFencesTest, AFenceOfAThreadThatKnowsOfTheStoreCounts) {
  fences.fence(1, 1, proxy_of_shared, 20, {10, 0});
  EXPECT_TRUE(fences.is_fenced(Space::shared, stored(9, 3), 0));
  EXPECT_FALSE(fences.is_fenced(Space::shared, stored(10, 3), 0));
  EXPECT_FALSE(fences.is_fenced(Space::global, stored(9, 3), 0));
}

TEST_F(ProxyFencesTest, AFenceForOneSpaceDoesNotCountForTheOther) {
  fence(0, 1, proxy_of_global, 10);
  EXPECT_FALSE(fences.is_fenced(Space::shared, stored(9, 0), 0));
  EXPECT_TRUE(fences.is_fenced(Space::global, stored(9, 0), 0));
}

TEST_F(ProxyFencesTest, TheLastFenceIsThatOfAnyThread) {
  EXPECT_EQ(fences.latest(Space::shared), 0u);
  fence(1, 1u << 3, proxy_of_shared, 10);
  fence(0, 1, proxy_of_global, 12);
  EXPECT_EQ(fences.latest(Space::shared), 10u);
  EXPECT_EQ(fences.latest(Space::global), 12u);
  fences.begin(64);
  EXPECT_EQ(fences.latest(Space::shared), 0u);
}

TEST_F(ProxyFencesTest, ALineIsReportedOnceInABlock) {
  EXPECT_TRUE(fences.is_first_report(Missing::store_unseen, {"k.cu", 1}, {"k.cu", 2}));
  EXPECT_FALSE(fences.is_first_report(Missing::store_unseen, {"k.cu", 1}, {"k.cu", 3}));
  EXPECT_FALSE(fences.is_first_report(Missing::store_unseen, {"k.cu", 4}, {"k.cu", 2}));
  EXPECT_TRUE(
      fences.is_first_report(Missing::store_unseen, {}, {}));  // lines that are not known are all different
  EXPECT_TRUE(fences.is_first_report(Missing::store_unseen, {}, {}));
  EXPECT_TRUE(fences.is_first_report(Missing::overwritten, {"k.cu", 1}, {"k.cu", 2}));
  fences.begin(64);
  EXPECT_TRUE(fences.is_first_report(Missing::store_unseen, {"k.cu", 1}, {"k.cu", 2}));
}

}  // namespace
}  // namespace warpgrade::simt
