// What orders operations of streams, and what is wrong between two that nothing orders.
#include <gtest/gtest.h>

#include <iterator>
#include <map>

#include "streams/kept.hpp"

namespace warpgrade::streams {
namespace {

constexpr std::uint64_t first = 1, second = 2, other_device = 3;

class Streams : public testing::Test {
 protected:
  Streams() {
    order.declare(first, {0, false, false});
    order.declare(second, {0, true, true});
    order.declare(other_device, {1, false, false});
  }
  Order order;
};

TEST_F(Streams, NumberTheirOperationsFromOne) {
  EXPECT_EQ(order.begin(first).number, 1u);
  EXPECT_EQ(order.begin(first).number, 2u);
  EXPECT_EQ(order.begin(other_device).number, 1u);
  EXPECT_EQ(order.begin(first, true).number, 2u) << "the same operation again";
}

TEST_F(Streams, KnowWhatAnEventThatTheyWaitForKnew) {
  const Numbered before = order.begin(first);
  order.record(first, 7);
  const Numbered after = order.begin(first);
  order.wait(other_device, 7);
  const Numbered waiting = order.begin(other_device);
  EXPECT_TRUE(before.ended_by(waiting.known));
  EXPECT_FALSE(after.ended_by(waiting.known));
}

TEST_F(Streams, KnowWhatTheHostHasWaitedFor) {
  const Numbered one = order.begin(first);
  EXPECT_FALSE(one.ended_by(order.begin(other_device).known));
  order.host_waits_for(order.after_all_of(0));
  EXPECT_TRUE(one.ended_by(order.begin(other_device).known));
}

/// Of one range of 4 bytes at 64.
Operation operation(simt::Access access, bool system) {
  Operation one{{}, 0, "k", {}, {{{"k.cu", 1}, system}}};
  one.footprint[static_cast<std::size_t>(access)] = {{64, 68, 1}};
  return one;
}

TEST(Meetings, OfAtomicsNeedTheScopeOfTheSystemBetweenDevices) {
  const Operation narrow = operation(simt::Access::strong_write, false),
                  wide = operation(simt::Access::strong_write, true);
  EXPECT_TRUE(meetings(narrow, wide, false).empty());
  EXPECT_TRUE(meetings(wide, wide, true).empty());
  const auto found = meetings(narrow, wide, true);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_TRUE(found[0].is_of_scope());
  EXPECT_EQ(found[0].at(), 64u);
}

TEST(Meetings, OfPlainAccessesAreNotOfScope) {
  const auto found =
      meetings(operation(simt::Access::read, true), operation(simt::Access::strong_write, true), true);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_FALSE(found[0].is_of_scope());
}

TEST(Ranges, OfRowsWithoutAGapAreOne) {
  EXPECT_EQ(ranges_of(100, 8, 3, 8).size(), 1u);
  EXPECT_EQ(ranges_of(100, 8, 3, 16).size(), 3u);
  EXPECT_EQ(ranges_of(100, 8, 2, 8, 2, 16).size(), 1u) << "slices without a gap, too";
  EXPECT_EQ(ranges_of(100, 8, 2, 8, 2, 20).size(), 2u);
  EXPECT_TRUE(ranges_of(100, 0, 3, 8).empty());
}

std::map<std::uint64_t, int> kept_of_each_stream(const Kept &kept) {
  std::map<std::uint64_t, int> counts;
  for (const Operation &one : kept) ++counts[one.stream];
  return counts;
}
Operation numbered(std::uint64_t stream, std::uint64_t number) {
  Operation one = operation(simt::Access::write, false);
  one.stream = stream;
  one.number = number;
  return one;
}

TEST(KeptOperations, OfOneStreamAreNotForgottenForThoseOfAnother) {
  // An all-reduce of 16 ranks around a ring is 30 operations in the stream of each.
  Kept kept;
  kept.add(numbered(99, 1));
  for (std::uint64_t step = 1; step <= 30; ++step)
    for (std::uint64_t rank = 0; rank < 16; ++rank) kept.add(numbered(rank, step));
  const auto counts = kept_of_each_stream(kept);
  EXPECT_EQ(counts.at(99), 1);
  for (std::uint64_t rank = 0; rank < 16; ++rank) EXPECT_EQ(counts.at(rank), 30);
}

TEST(KeptOperations, OfOneStreamAreForgottenFromTheOldestOn) {
  Kept kept;
  kept.add(numbered(2, 1));
  for (std::uint64_t i = 1; i <= 300; ++i) kept.add(numbered(1, i));
  EXPECT_EQ(kept_of_each_stream(kept).at(1), 256);
  EXPECT_EQ(std::next(kept.begin())->number, 300u - 256 + 1);
  kept.erase_if([](const Operation &one) { return one.stream == 1; });
  kept.add(numbered(1, 301));
  EXPECT_EQ(kept_of_each_stream(kept), (std::map<std::uint64_t, int>{{1, 1}, {2, 1}}));
}

TEST(KeptOperations, OfManyStreamsAreForgottenFromTheOldestOn) {
  Kept kept;
  for (std::uint64_t stream = 0; stream < 5000; ++stream) kept.add(numbered(stream, 1));
  EXPECT_EQ(std::distance(kept.begin(), kept.end()), 16 * 256);
  EXPECT_EQ(kept.begin()->stream, 5000u - 16 * 256);
}

}  // namespace
}  // namespace warpgrade::streams
