#include "explain/lanes.hpp"

#include <gtest/gtest.h>

#include <set>

#include "tests/explain/requests.hpp"

namespace warpgrade::explain {
namespace {

using testing::global_request;
using testing::shared_request;

TEST(Sectors, OfNeighboursAreFourRowsOfEightLanes) {
  const auto rows = sectors_of(global_request(1, "A", 64, 4));
  ASSERT_EQ(rows.size(), 4u);
  EXPECT_EQ(rows[0].offset, 64);
  EXPECT_EQ(rows[3].offset, 160);
  EXPECT_EQ(rows[1].words[0], Lanes{8});
  EXPECT_EQ(rows[3].words[7], Lanes{31});
}

TEST(Sectors, OfAColumnAreOneRowALane) {
  const auto rows = sectors_of(global_request(1, "A", 8, 1024));
  ASSERT_EQ(rows.size(), 32u);
  EXPECT_EQ(rows[5].offset, 5 * 1024);
  EXPECT_EQ(rows[5].words[2], Lanes{5});
  EXPECT_TRUE(rows[5].words[0].empty());
}

TEST(Sectors, OfSixteenByteLanesShowALaneAtFourWords) {
  simt::LaneSample s = global_request(1, "A", 0, 16);
  s.bytes = 16;
  const auto rows = sectors_of(s);
  ASSERT_EQ(rows.size(), 16u);
  for (const std::size_t word : {0, 1, 2, 3}) EXPECT_EQ(rows[0].words[word], Lanes{0});
  for (const std::size_t word : {4, 5, 6, 7}) EXPECT_EQ(rows[0].words[word], Lanes{1});
}

TEST(Sectors, LeaveInactiveLanesOut) {
  simt::LaneSample s = global_request(1, "A", 0, 1024);
  s.mask = 0x5;
  EXPECT_EQ(sectors_of(s).size(), 2u);
}

TEST(Banks, OfNeighboursHoldOneWordEach) {
  const auto phases = banks_of(shared_request(1, "tile", 4));
  ASSERT_EQ(phases.size(), 1u);
  EXPECT_EQ(phases[0].wavefronts(), 1u);
  EXPECT_EQ(phases[0].banks[7].at(0).lanes, Lanes{7});
}

TEST(Banks, OfAColumnAreOneBankWithThirtyTwoWords) {
  const auto phases = banks_of(shared_request(1, "tile", 128));
  ASSERT_EQ(phases.size(), 1u);
  EXPECT_EQ(phases[0].wavefronts(), 32u);
  EXPECT_EQ(phases[0].banks[0].size(), 32u);
}

/// Of the phases of a request: those beyond one wavefront each.
std::size_t conflicts_of(const simt::LaneSample &s) {
  std::size_t all = 0;
  for (const BankPhase &phase : banks_of(s)) all += phase.wavefronts() - 1;
  return all;
}

TEST(BankPieces, HaveAWavefrontEachAndShowSharedBanks) {
  for (const std::uint32_t bytes : {2u, 4u, 8u, 16u})
    for (const std::int64_t stride : {2, 4, 8, 16, 20, 32, 64, 128, 144}) {
      if (stride % bytes != 0) continue;
      simt::LaneSample s = shared_request(1, "tile", stride);
      s.bytes = bytes;
      std::set<std::size_t> wavefronts, in_conflict, lanes;
      for (const BankPiece &piece : bank_pieces_of(s)) {
        wavefronts.insert(piece.wavefront);
        if (piece.conflict) in_conflict.insert(piece.phase);
        lanes.insert(piece.lanes.begin(), piece.lanes.end());
        EXPECT_EQ(piece.offset % piece.bytes, 0);
      }
      EXPECT_EQ(lanes.size(), 32u);
      EXPECT_EQ(wavefronts.size(), banks_of(s).size() + conflicts_of(s)) << bytes << ' ' << stride;
      EXPECT_EQ(in_conflict.empty(), conflicts_of(s) == 0) << bytes << ' ' << stride;
    }
}

TEST(Banks, ServeLanesThatReadOneWordTogether) {
  const auto phases = banks_of(shared_request(1, "tile", 0));
  EXPECT_EQ(phases.at(0).wavefronts(), 1u);
  EXPECT_EQ(phases.at(0).banks[0].at(0).lanes.size(), 32u);
}

TEST(Banks, TakeSixteenByteLanesInFourPhases) {
  simt::LaneSample s = shared_request(1, "tile", 16);
  s.bytes = 16;
  const auto phases = banks_of(s);
  ASSERT_EQ(phases.size(), 4u);
  EXPECT_EQ(phases[2].first_lane, 16);
  for (const BankPhase &phase : phases) EXPECT_EQ(phase.wavefronts(), 1u);
}

}  // namespace
}  // namespace warpgrade::explain
