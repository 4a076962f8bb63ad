#include "explain/explain.hpp"

#include <gtest/gtest.h>

#include "tests/explain/requests.hpp"

namespace warpgrade::explain {
namespace {

using testing::global_request;
using testing::Launch;
using testing::shared_request;

/// The patterns of a line's advice, in order.
std::vector<Pattern> patterns(const Explanation &e, int line) {
  std::vector<Pattern> found;
  for (const Line &l : e.lines)
    if (l.at.line == line)
      for (const Advice &a : l.advice) found.push_back(a.pattern);
  return found;
}
std::string sentences(const Explanation &e, int line) {
  std::string all;
  for (const Line &l : e.lines)
    if (l.at.line == line)
      for (const Advice &a : l.advice) all += a.sentence;
  return all;
}
using Patterns = std::vector<Pattern>;

TEST(Explain, PutsTheLineThatWastesMostBeforeTheOneThatMovesMost) {
  // Line 5 moves 1000 * 4 sectors and needs them all; line 7 moves 100 * 32 and needs 100 * 4.
  const Explanation e = Launch()
                            .global(global_request(5, "B", 0, 4), 1000, 4, 4)
                            .global(global_request(7, "A", 0, 1024), 100, 32, 4)
                            .explain();
  ASSERT_EQ(e.lines.size(), 2u);
  EXPECT_EQ(e.lines[0].at.line, 7);
  EXPECT_DOUBLE_EQ(e.lines[0].share, 3200.0 / 7200);
  EXPECT_DOUBLE_EQ(e.lines[0].wasted, 2800.0 / 7200);
  EXPECT_EQ(e.lines[1].wasted, 0);
}

TEST(Explain, WeighsAWavefrontAsFourSectors) {
  // 10 wavefronts of 128 bytes against 40 sectors of 32 bytes: half and half.
  const Explanation e = Launch()
                            .global(global_request(5, "B", 0, 4), 10, 4, 4)
                            .shared(shared_request(7, "tile", 4), 10, 1)
                            .explain();
  EXPECT_DOUBLE_EQ(e.lines[0].share, 0.5);
  EXPECT_DOUBLE_EQ(e.lines[1].share, 0.5);
}

TEST(Advice, OnAStridedLoadNamesTheDistanceAndTheSectors) {
  const Explanation e = Launch().global(global_request(7, "A", 0, 1024), 100, 32, 4).explain();
  EXPECT_EQ(patterns(e, 7), Patterns{Pattern::coalescing});
  EXPECT_NE(sentences(e, 7).find("neighbouring lanes load from A 1024 bytes apart, so a request touches 32 "
                                 "sectors where 4 would do"),
            std::string::npos)
      << sentences(e, 7);
}

TEST(Advice, OnAStridedLoadThatIsCopiedToSharedMemoryIsToTurnTheCorner) {
  const Explanation e = Launch()
                            .global(global_request(7, "B", 0, 1024), 100, 32, 4)
                            .shared(
                                [] {
                                  simt::LaneSample s = shared_request(7, "tile", 4);
                                  s.store = true;
                                  return s;
                                }(),
                                100, 1)
                            .explain();
  EXPECT_EQ(patterns(e, 7), Patterns{Pattern::corner_turning});
}

TEST(Advice, OnNeighboursThatBeginWithinASectorIsToAlignThem) {
  const Explanation e = Launch().global(global_request(7, "A", 4, 4), 100, 5, 4).explain();
  EXPECT_EQ(patterns(e, 7), Patterns{Pattern::alignment});
}

TEST(Advice, AcceptsCoalescedLoadsAndBroadcasts) {
  const Explanation e = Launch()
                            .global(global_request(5, "A", 64, 0), 100, 1, 1)
                            .global(global_request(6, "B", 0, 4), 100, 4, 4)
                            .unique(500)
                            .explain();
  EXPECT_EQ(patterns(e, 5), Patterns{});
  EXPECT_EQ(patterns(e, 6), Patterns{});
}

TEST(Advice, AcceptsAWarpThatSpansTwoRows) {
  // 16 columns of two rows of A: one element each, so two sectors, although its 8 bytes would fit in one.
  simt::LaneSample two_rows = global_request(5, "A", 0, 0);
  for (std::size_t lane = 16; lane < 32; ++lane) two_rows.offsets[lane] = 1024;
  EXPECT_EQ(patterns(Launch().global(two_rows, 100, 2, 1).unique(200).explain(), 5), Patterns{});
}

TEST(Advice, OnSectorsThatAreLoadedAgainAndAgainIsTilingWithoutSharedMemory) {
  const Explanation e = Launch().global(global_request(6, "B", 0, 4), 1000, 4, 4).unique(40).explain();
  EXPECT_EQ(patterns(e, 6), Patterns{Pattern::tiling});
  EXPECT_NE(sentences(e, 6).find("loads each sector of global memory 100 times"), std::string::npos)
      << sentences(e, 6);
}

TEST(Advice, OnStrideThirtyTwoInSharedMemoryIsPadding) {
  const Explanation e = Launch().shared(shared_request(9, "tile", 128), 100, 32).explain(8);
  EXPECT_EQ(patterns(e, 9), Patterns{Pattern::padding});
  EXPECT_NE(sentences(e, 9).find("32 words apart, which puts all of them in one bank"), std::string::npos)
      << sentences(e, 9);
}

TEST(Advice, OnTwoFactorsFetchedAProductIsCoarseningUntilAThreadHasSeveralResults) {
  // 100 requests of 32 words for 1600 multiply-adds: two numbers each.
  Launch launch;
  launch.shared(shared_request(9, "tile", 4), 100, 1).work(9, 50, 32, 1600);
  EXPECT_EQ(patterns(launch.explain(1), 9), Patterns{Pattern::coarsening});
  EXPECT_EQ(patterns(launch.explain(64), 9), Patterns{});
}

TEST(Advice, MakesNoClaimAboutMultiplyAddsOfAnotherType) {
  // 3200 words for 100 single-precision multiply-adds, the last line's: the products are in half precision.
  Launch launch;
  launch.shared(shared_request(9, "tile", 4), 100, 1).work(9, 50, 32, 100);
  EXPECT_EQ(patterns(launch.explain(1), 9), Patterns{});
}

TEST(Advice, IsGivenOnceForALineThatLoadsAndStoresTheSamePlaces) {
  simt::LaneSample store = global_request(8, "C", 0, 1024);
  store.store = true;
  const Explanation e =
      Launch().global(global_request(8, "C", 0, 1024), 100, 32, 4).global(store, 100, 32, 4).explain();
  EXPECT_EQ(patterns(e, 8), Patterns{Pattern::coalescing});
  EXPECT_NE(sentences(e, 8).find("neighbouring lanes load from and store to C 1024 bytes apart"),
            std::string::npos)
      << sentences(e, 8);
}

TEST(Advice, DoesNotPadRowsAgainstConflictsWithinARow) {
  // Lanes two words apart meet in pairs, in one row: another row length changes nothing.
  const Explanation e = Launch().shared(shared_request(9, "tile", 8), 100, 2).explain(8);
  EXPECT_EQ(sentences(e, 9).find("Padding"), std::string::npos) << sentences(e, 9);
  EXPECT_NE(sentences(e, 9).find("neighbouring lanes read tile 2 words apart"), std::string::npos)
      << sentences(e, 9);
}

TEST(Advice, DoesNotPadWhatIsPadded) {
  // Lanes 17 words apart, as in a column of [16][17].
  const std::string text = sentences(Launch().shared(shared_request(9, "tile", 68), 100, 2).explain(8), 9);
  EXPECT_EQ(text.find("[32][33]"), std::string::npos) << text;
  EXPECT_NE(text.find("The rows are padded"), std::string::npos) << text;
}

TEST(Advice, NamesTheUsualDistanceWhereAWarpSpansTwoColumns) {
  // Two groups of 16 lanes, each down a column: 30 jumps of 1024 bytes, one back.
  simt::LaneSample columns = global_request(7, "B", 0, 1024);
  for (std::size_t lane = 16; lane < 32; ++lane)
    columns.offsets[lane] = static_cast<std::int64_t>(lane - 16) * 1024 + 4;
  const Explanation e = Launch().global(columns, 100, 16, 4).explain();
  EXPECT_NE(sentences(e, 7).find("load from B mostly 1024 bytes apart"), std::string::npos)
      << sentences(e, 7);
}

TEST(Advice, KeepsVectorsAlignedWhenItPads) {
  simt::LaneSample vectors = shared_request(9, "tile", 128);
  vectors.bytes = 16;
  const std::string text = sentences(Launch().shared(vectors, 100, 32).explain(8), 9);
  EXPECT_NE(text.find("with 4 more words in each row, so that vectors stay aligned"), std::string::npos)
      << text;
}

/// 16 places that pairs of lanes read, 8 words apart: in banks 0, 8, 16 and 24, so four words of each.
simt::LaneSample eight_words_apart() {
  simt::LaneSample s = shared_request(9, "tile", 0);
  for (std::size_t lane = 0; lane < 32; ++lane) s.offsets[lane] = static_cast<std::int64_t>(lane % 16) * 32;
  return s;
}

TEST(Advice, PadsColumnReadsAndSaysWhatTheyWouldCost) {
  const Bounds narrow{
      .arrays = {{"tile", 8 * 4, 64 * 8 * 4}}};  // [64][8]: 16 rows, 9 words apart when padded
  const std::string text = sentences(Launch().shared(eight_words_apart(), 100, 4).explain(8, narrow), 9);
  EXPECT_NE(text.find("one more column (rows of 9 words instead of 8), it would take 1"), std::string::npos)
      << text;
}

TEST(Advice, DoesNotPadWhatLanesReadInOneRow) {
  const Bounds wide{.arrays = {{"tile", 128 * 4, 8 * 128 * 4}}};  // [8][128]: all of them in the first row
  const std::string text = sentences(Launch().shared(eight_words_apart(), 100, 4).explain(8, wide), 9);
  EXPECT_EQ(text.find("Padding:"), std::string::npos) << text;
  EXPECT_NE(text.find("Padding does not help: with rows of 129 words instead of 128, it would take 4."),
            std::string::npos)
      << text;
}

TEST(Advice, TakesTheLengthOfARowFromTheAddressesWhereTheSourceDoesNotGiveIt) {
  const std::string text = sentences(Launch().shared(shared_request(9, "tile", 128), 100, 32).explain(8), 9);
  EXPECT_NE(text.find("(rows of 33 words instead of 32), it would take 1;"), std::string::npos) << text;
}

TEST(Advice, DoesNotPadWhereOtherRequestsToTheArrayWouldGetSlower) {
  // A column read once a thousand times less often than a diagonal, 33 words apart: that is without conflicts,
  // and with rows of 33 words its lanes are 34 words apart, two in each bank.
  simt::LaneSample diagonal = shared_request(11, "tile", 132);
  for (std::int64_t &offset : diagonal.offsets) offset -= 1024;
  simt::LaneSample column = shared_request(9, "tile", 128);
  for (std::int64_t &offset : column.offsets) offset -= 1024;
  const Bounds square{.arrays = {{"tile", 32 * 4, 33 * 32 * 4}}};
  const std::string text =
      sentences(Launch().shared(column, 10, 32).shared(diagonal, 1000, 1).explain(8, square), 9);
  EXPECT_EQ(text.find("Padding:"), std::string::npos) << text;
}

TEST(Advice, DoesNotPadWhereTheStepLeavesNoRoom) {
  Bounds full{.shared_room = 31 * 4,
              .arrays = {{"tile", 32 * 4, 32 * 32 * 4}}};  // a word for each of 32 rows
  const Launch launch = Launch().shared(shared_request(9, "tile", 128), 100, 32);
  EXPECT_EQ(sentences(launch.explain(8, full), 9).find("Padding:"), std::string::npos);
  full.shared_room = 32 * 4;
  EXPECT_NE(sentences(launch.explain(8, full), 9).find("Padding:"), std::string::npos);
}

TEST(Advice, DoesNotRecommendSharedMemoryWhereTheStepForbidsIt) {
  const Bounds forbidden{.may_use_shared = false};
  const Launch again = Launch().global(global_request(6, "B", 0, 4), 1000, 4, 4).unique(40);
  EXPECT_EQ(patterns(again.explain(1), 6), Patterns{Pattern::tiling});
  EXPECT_EQ(patterns(again.explain(1, forbidden), 6), Patterns{});
  const std::string text =
      sentences(Launch().global(global_request(7, "A", 0, 1024), 100, 32, 4).explain(1, forbidden), 7);
  EXPECT_NE(text.find("Not coalesced"), std::string::npos) << text;
  EXPECT_EQ(text.find("shared memory"), std::string::npos) << text;
}

TEST(Advice, OnIdleLanesIsAboutDivergence) {
  const Explanation e = Launch().work(3, 1000, 8).work(4, 1000, 32).explain();
  EXPECT_EQ(patterns(e, 3), Patterns{Pattern::divergence});
  EXPECT_EQ(patterns(e, 4), Patterns{});
}

TEST(Explain, ChoosesTheCostliestRequestAmongTheCopiesOfALine) {
  const Explanation e = Launch()
                            .global(global_request(7, "A", 0, 4), 10, 4, 4)
                            .global(global_request(7, "A", 4, 4), 10, 5, 4)
                            .explain();
  ASSERT_EQ(e.lines.size(), 1u);
  ASSERT_EQ(e.lines[0].accesses.size(), 1u);
  EXPECT_EQ(e.lines[0].accesses[0].sample->cost, 5u);
}

}  // namespace
}  // namespace warpgrade::explain
