// What orders operations of streams, and what is wrong between two that nothing orders.
#include <gtest/gtest.h>

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

}  // namespace
}  // namespace warpgrade::streams
