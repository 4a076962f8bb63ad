// When a block counts as waiting for others, without a block around the question.
#include "machine/wait_detector.hpp"

#include <gtest/gtest.h>

namespace warpgrade::simt {
namespace {

constexpr std::uint32_t window = 1 << 11;  // of blocks that take turns

struct WaitDetectorTest : ::testing::Test {
  WaitDetectorTest() { detector.begin(true); }
  /// A window in which a flag at this address is read.
  void read(std::uint64_t word) {
    detector.note_block(true, false);
    if (detector.records()) detector.note_read(word);
    detector.end_turn(window);
  }
  WaitDetector detector;
};

TEST_F(WaitDetectorTest, ABlockThatReadsOneFlagAgainAndAgainWaits) {
  read(8);  // suspicious: the next window is recorded
  EXPECT_TRUE(detector.records());
  read(8);  // a word that is new
  EXPECT_FALSE(detector.waits());
  read(8);
  EXPECT_TRUE(detector.waits());
}

TEST_F(WaitDetectorTest, ABlockThatReadsNewWordsDoesNotWait) {
  for (std::uint64_t word = 0; word < 10; ++word) {
    read(word);
    EXPECT_FALSE(detector.waits());
  }
}

TEST_F(WaitDetectorTest, AChangedWordEndsTheWait) {
  for (int i = 0; i < 3; ++i) read(8);
  ASSERT_TRUE(detector.waits());
  detector.note_change();
  detector.end_turn(1);
  EXPECT_FALSE(detector.waits());
}

TEST_F(WaitDetectorTest, ProgressIsNoWait) {
  for (int i = 0; i < 5; ++i) {
    detector.note_block(true, true);
    detector.end_turn(window);
    EXPECT_FALSE(detector.records());
    EXPECT_FALSE(detector.waits());
  }
}

TEST_F(WaitDetectorTest, APlainStoreToTheSameWordIsNoProgress) {
  read(8);
  for (std::uint64_t value = 0; value < 3; ++value) {
    EXPECT_TRUE(detector.note_store(16, value));
    read(8);
  }
  EXPECT_TRUE(detector.waits());
  EXPECT_TRUE(detector.works_meanwhile());  // but it stores other values
}

TEST_F(WaitDetectorTest, AStoreToANewWordPausesTheRecording) {
  read(8);
  read(8);
  EXPECT_FALSE(detector.note_store(16, 0));
  detector.pause_if_acted();
  EXPECT_FALSE(detector.records());
  read(8);
  EXPECT_FALSE(detector.waits());
}

TEST_F(WaitDetectorTest, AWindowOfABlockThatRunsAloneIsLonger) {
  detector.begin(false);
  read(8);
  EXPECT_FALSE(detector.records());
}

}  // namespace
}  // namespace warpgrade::simt
