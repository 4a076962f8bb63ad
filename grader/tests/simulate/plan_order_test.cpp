// Which operations of a plan on two devices are ordered.
#include "simulate/plan_order.hpp"

#include <gtest/gtest.h>

namespace warpgrade::run {
namespace {

using For = plan::HostWaits::For;
constexpr std::uint32_t default_0 = 0, default_1 = 1, blocking_0 = 2, free_0 = 3;

class Order : public testing::Test {
 protected:
  Order() { plan_.streams = {{0, true}, {1, true}, {0, true}, {0, false}}; }

  std::optional<Conflict> access(std::uint32_t stream, simt::Access kind, std::uint64_t begin = 0) {
    order().use(stream);
    simt::Footprint footprint;
    footprint[static_cast<std::size_t>(kind)] = {{begin, begin + 16}};
    const std::size_t number = next_++;
    return order().access("operation " + std::to_string(number), number, footprint);
  }
  /// An atomic on the word at 64, in a line of k.cu.
  std::optional<Conflict> atomic(const std::string &what, bool system, int line) {
    simt::Footprint footprint;
    footprint[static_cast<std::size_t>(simt::Access::strong_write)] = {{64, 68, 1}};
    return order().access(what, next_++, footprint, {{{"k.cu", line}, system}});
  }
  /// A kernel of device 0 writes and then stores a flag; one of device 1 loads the flag and reads. Whether that conflicts.
  bool with_flag(bool stored_for_system, bool loaded_for_system) {
    simt::Footprint stores, loads;
    stores[static_cast<std::size_t>(simt::Access::write)] = {{0, 16}};
    stores[static_cast<std::size_t>(simt::Access::strong_write)] = {{64, 68, 1}};
    loads[static_cast<std::size_t>(simt::Access::read)] = {{0, 16}};
    loads[static_cast<std::size_t>(simt::Access::strong_read)] = {{64, 68, 1}};
    order_.reset();
    order().use(default_0);
    EXPECT_FALSE(order().access("stores", next_++, stores, {{{"k.cu", 3}, stored_for_system}}));
    order().use(default_1);
    return order().access("loads", next_++, loads, {{{"k.cu", 5}, loaded_for_system}}).has_value();
  }
  bool write(std::uint32_t stream, std::uint64_t begin = 0) {
    return !access(stream, simt::Access::write, begin);
  }
  bool read(std::uint32_t stream, std::uint64_t begin = 0) {
    return !access(stream, simt::Access::read, begin);
  }
  PlanOrder &order() {
    if (!order_) order_.emplace(plan_, [](std::uint64_t) { return "A[0]"; });
    return *order_;
  }

 private:
  plan::LaunchPlan plan_;
  std::optional<PlanOrder> order_;
  std::size_t next_ = 0;
};

TEST_F(Order, NothingOrdersTwoDevices) {
  EXPECT_TRUE(write(default_0));
  const auto found = access(default_1, simt::Access::read);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->earlier, 0u);
  EXPECT_EQ(found->later, 1u);
  EXPECT_EQ(found->diagnostic.code, simt::Code::race);
  EXPECT_EQ(found->diagnostic.buffer, "A[0]");
  EXPECT_EQ(found->diagnostic.message.find("read after write: operation 1 reads A[0] in the default stream "
                                           "of device 1, and operation 0 writes it in the "
                                           "default stream of device 0: nothing orders the two."),
            0u)
      << found->diagnostic.message;
}

TEST_F(Order, ReadsNeedNone) {
  EXPECT_TRUE(read(default_0));
  EXPECT_TRUE(read(default_1));
}

TEST_F(Order, OtherBytesNeedNone) {
  EXPECT_TRUE(write(default_0, 0));
  EXPECT_TRUE(write(default_1, 16));
}

TEST_F(Order, AnEventOrdersWhatCameBeforeItsRecordBeforeWhatFollowsTheWait) {
  EXPECT_TRUE(write(free_0));
  order().record(7);
  EXPECT_TRUE(write(free_0, 100));  // behind the record
  order().use(default_1);
  order().wait(7);
  EXPECT_TRUE(read(default_1));
  EXPECT_FALSE(read(default_1, 100));
}

TEST_F(Order, AnEventThatWasNotRecordedOrdersNothing) {
  EXPECT_TRUE(write(free_0));
  order().use(default_1);
  order().wait(7);
  EXPECT_FALSE(read(default_1));
}

TEST_F(Order, AnOrderThroughAThirdStreamIsOne) {
  EXPECT_TRUE(write(free_0));
  order().record(1);
  order().use(default_1);
  order().wait(1);
  order().record(2);
  order().use(blocking_0);
  order().wait(2);
  EXPECT_TRUE(write(blocking_0));
}

TEST_F(Order, TheDefaultStreamWaitsForBlockingStreamsOfItsDeviceAndTheyForIt) {
  EXPECT_TRUE(write(blocking_0));
  EXPECT_TRUE(write(default_0));
  EXPECT_TRUE(write(blocking_0));
}

TEST_F(Order, TheDefaultStreamDoesNotWaitForOthers) {
  EXPECT_TRUE(write(free_0));
  EXPECT_FALSE(write(default_0));
}

TEST_F(Order, ACopyBetweenDevicesInADefaultStreamComesAfterAllBeforeAndBeforeAllAfter) {
  EXPECT_TRUE(write(free_0));
  order().use(default_1);
  order().begin_copy_between(1, 0);
  EXPECT_TRUE(read(default_1));
  EXPECT_TRUE(write(default_1, 100));
  order().end_copy_between(1, 0);
  EXPECT_TRUE(write(free_0));
  EXPECT_TRUE(read(blocking_0, 100));
}

TEST_F(Order, ACopyBetweenDevicesInAnotherStreamIsInOrderWithThatStreamAlone) {
  EXPECT_TRUE(write(default_1));
  order().use(free_0);
  order().begin_copy_between(1, 0);
  EXPECT_FALSE(read(free_0));
}

TEST_F(Order, AHostThatWaitsForADeviceOrdersItsWorkBeforeAllThatFollows) {
  EXPECT_TRUE(write(free_0));
  order().host_waits({For::device, 1});
  EXPECT_FALSE(read(default_1)) << "the host waited for the other device";
  order().host_waits({For::device, 0});
  EXPECT_TRUE(read(default_1));
}

TEST_F(Order, AHostThatWaitsForAnEventOrdersWhatWasBeforeIt) {
  EXPECT_TRUE(write(free_0));
  order().record(3);
  EXPECT_TRUE(write(free_0, 100));
  order().host_waits({For::event, 3});
  EXPECT_TRUE(write(default_1));
  EXPECT_FALSE(write(default_1, 100));
}

TEST_F(Order, AfterACallEverythingIsOrdered) {
  EXPECT_TRUE(write(free_0));
  order().host_waits_for_all();
  EXPECT_TRUE(write(default_1));
}

TEST_F(Order, AFlagOfTheScopeOfTheSystemOrdersTheKernelsThatStoreAndLoadIt) {
  EXPECT_FALSE(with_flag(true, true)) << "the second kernel has seen that the first is done";
  EXPECT_TRUE(with_flag(true, false)) << "a load of the scope of the device sees nothing of another one";
  EXPECT_TRUE(with_flag(false, true));
}

TEST_F(Order, AtomicsOfTheScopeOfADeviceOnOneWordOfTwoDevicesAreAFinding) {
  order().use(default_0);
  EXPECT_FALSE(atomic("first", false, 7));
  order().use(blocking_0);
  EXPECT_FALSE(atomic("second", false, 8)) << "on one device that scope is wide enough";
  order().use(default_1);
  const auto found = atomic("third", true, 9);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->diagnostic.code, simt::Code::scope);
  EXPECT_EQ(found->diagnostic.here.at, (simt::SourceLine{"k.cu", 9}));
  ASSERT_TRUE(found->diagnostic.other);
  EXPECT_EQ(found->diagnostic.other->at, (simt::SourceLine{"k.cu", 7}));
  EXPECT_EQ(
      found->diagnostic.message.find("third writes A[0] in the default stream of device 1, and first "
                                     "writes it in the default stream of device 0: nothing orders the two. "
                                     "An atomic or volatile access whose scope is not the system"),
      0u)
      << found->diagnostic.message;
}

TEST_F(Order, AtomicsOfTheScopeOfTheSystemNeedNoOrder) {
  order().use(default_0);
  EXPECT_FALSE(atomic("first", true, 7));
  order().use(default_1);
  EXPECT_FALSE(atomic("second", true, 8));
}

}  // namespace
}  // namespace warpgrade::run
