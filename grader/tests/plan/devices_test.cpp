// Plans of several devices: streams, events, and what a second call does to them.
#include <gtest/gtest.h>

#include "plan/again.hpp"
#include "plan/codec.hpp"
#include "plan/describe.hpp"
#include "stream.hpp"

namespace warpgrade::plan {
namespace {

CallRequest two_devices() {
  CallRequest request = small_request();
  request.devices = 2;
  request.buffers[1].device = 1;
  return request;
}

/// The fields are put one after the other, each with its own size.
template <class... Fields>
Stream &add(Stream &to, Tag tag, Fields... fields) {
  to.tag(tag);
  (to.to.put(fields), ...);
  return to;
}

std::string complaint_of_two(Stream &s) {
  try {
    static_cast<void>(decode(s.tag(Tag::ended).to.bytes(), two_devices(), {}));
  } catch (const PlanError &e) {
    return e.what();
  }
  return "";
}

Stream &exchange(Stream &s, std::uint32_t stream, std::uint32_t event, std::uint32_t default_of = 1) {
  add(s, Tag::stream, std::uint8_t{0}, std::uint8_t{0});
  add(s, Tag::event);
  add(s, Tag::peer_access, std::uint8_t{1}, std::uint8_t{0}, std::uint8_t{1});
  add(s, Tag::use_stream, stream);
  s.set(address_of_slot(0), 16);
  add(s, Tag::record_event, event);
  add(s, Tag::use_stream, default_of);
  add(s, Tag::wait_for_event, event);
  s.set(address_of_slot(0), 16);
  return add(s, Tag::host_waits, std::uint8_t{0}, std::uint32_t{1});
}

TEST(PlanOfDevices, HasTheDefaultStreamOfEachAndThoseThatWereCreated) {
  Stream s;
  const LaunchPlan plan = decode(exchange(s, 2, 0).tag(Tag::ended).to.bytes(), two_devices(), {});
  EXPECT_EQ(plan.streams, (std::vector<DeviceStream>{{0, true}, {1, true}, {0, false}}));
  EXPECT_EQ(plan.events, 1u);
  EXPECT_EQ(plan.operations,
            (std::vector<Operation>{PeerAccess{1, 0, true}, UseStream{2}, SetMemory{{0, 0}, 0, 16, 1, 0},
                                    RecordEvent{0}, UseStream{1}, WaitForEvent{0},
                                    SetMemory{{0, 0}, 0, 16, 1, 0}, HostWaits{HostWaits::For::device, 1}}));
  const std::string page = describe(plan, {});
  for (const char *line :
       {"what follows goes into stream 2 of device 0", "record event 0", "wait for event 0",
        "what follows goes into the default stream of device 1", "the host waits for device 1",
        "give device 1 access to the memory of device 0", "argument of the launcher, on device 1"})
    EXPECT_NE(page.find(line), std::string::npos) << line << " is not in\n" << page;
}

TEST(PlanOfDevices, SurvivesBeingSent) {
  Stream s;
  const LaunchPlan plan = decode(exchange(s, 2, 0).tag(Tag::ended).to.bytes(), two_devices(), {});
  Writer to;
  encode(to, plan);
  Reader from(to.bytes());
  EXPECT_EQ(decode_plan(from), plan);
  EXPECT_TRUE(from.at_end());
}

TEST(PlanOfDevices, NamesNothingThatIsNotThere) {
  const auto complaint = [](Tag tag, auto... fields) {
    Stream s;
    return complaint_of_two(add(s, tag, fields...));
  };
  using u8 = std::uint8_t;
  using u32 = std::uint32_t;
  EXPECT_EQ(complaint(Tag::use_stream, u32{2}), "the plan names a stream that nobody created");
  EXPECT_EQ(complaint(Tag::record_event, u32{0}), "the plan names an event that nobody created");
  EXPECT_EQ(complaint(Tag::wait_for_event, u32{7}), "the plan names an event that nobody created");
  EXPECT_EQ(complaint(Tag::stream, u8{2}, u8{1}), "the plan names a device that does not exist");
  EXPECT_EQ(complaint(Tag::host_waits, u8{0}, u32{2}), "the plan names a device that does not exist");
  EXPECT_EQ(complaint(Tag::host_waits, u8{1}, u32{2}), "the plan names a stream that nobody created");
  EXPECT_EQ(complaint(Tag::host_waits, u8{2}, u32{0}), "the plan names an event that nobody created");
  EXPECT_EQ(complaint(Tag::host_waits, u8{3}, u32{0}), "the host waits for something unknown");
  EXPECT_EQ(complaint(Tag::peer_access, u8{1}, u8{1}, u8{1}), "a device is given access to its own memory");
  EXPECT_EQ(complaint(Tag::peer_access, u8{0}, u8{5}, u8{1}), "the plan names a device that does not exist");
  EXPECT_EQ(complaint(Tag::allocate, address_of_slot(3), std::uint64_t{16}, u8{2}),
            "the plan names a device that does not exist");
}

TEST(PlanOfDevices, OfOneDeviceHasNoStreams) {
  Stream s;
  EXPECT_EQ(complaint(add(s, Tag::stream, std::uint8_t{0}, std::uint8_t{1}).tag(Tag::ended)),
            "the plan has streams, and there is one device");
}

/// Both calls of a launcher in one process.
std::optional<CallsDiffer> difference(Stream &first_and_second) {
  CallRequest twice = two_devices();
  twice.calls = 2;
  const Trace trace = read_trace(first_and_second.tag(Tag::ended).to.bytes(), twice, {});
  return difference_of_calls(trace.plan, trace.first_call.value(), twice.kernels);
}

TEST(PlanOfDevices, ASecondCallMayCreateItsOwnStreamsAndEvents) {
  Stream s;
  exchange(s, 2, 0).tag(Tag::called_again);
  const auto differs = difference(exchange(s, 3, 1));
  EXPECT_FALSE(differs) << differs->words;
}

TEST(PlanOfDevices, ASecondCallInAnotherDefaultStreamDoesSomethingElse) {
  Stream s;
  exchange(s, 2, 0).tag(Tag::called_again);
  const auto differs = difference(exchange(s, 3, 1, 0));
  ASSERT_TRUE(differs);
  EXPECT_NE(differs->words.find("what follows goes into the default stream of device 1"), std::string::npos)
      << differs->words;
}

}  // namespace
}  // namespace warpgrade::plan
