// Topologies, what links carry, and predicted times, on small examples that can be computed by hand.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "links/report.hpp"
#include "links/timeline.hpp"

namespace warpgrade::links {
namespace {

/// 1 GB/s is 1000 bytes a microsecond.
constexpr const char *switched = R"(
name: two devices and a switch
source: made up
device: {memory_gb_per_s: 1, warp_instructions_per_ns: 0.001, launch_us: 2}
links:
  - {from: device, to: switch, gb_per_s: 1, latency_us: 0.5}
  - {from: switch, to: host, gb_per_s: 0.5, latency_us: 1}
)";

std::string error_of(const std::string &text, int devices = 2) {
  try {
    parse_topology(text, "t.yaml", devices);
  } catch (const TopologyError &error) {
    return error.what();
  }
  return "no error";
}

std::string replaced(const std::string &before, const std::string &after) {
  std::string text = switched;
  return text.replace(text.find(before), before.size(), after);
}

Operation kernel(int device, std::uint64_t instructions, std::vector<std::size_t> after = {},
                 std::vector<Transfer> transfers = {}) {
  Operation one;
  one.device = device;
  one.kernel = true;
  one.what = "k()";
  one.warp_instructions = instructions;
  one.after = std::move(after);
  one.transfers = std::move(transfers);
  return one;
}
Operation copy(int device, Transfer transfer, std::vector<std::size_t> after = {}) {
  Operation one;
  one.device = device;
  one.what = "cudaMemcpyPeerAsync";
  one.transfers = {std::move(transfer)};
  one.after = std::move(after);
  return one;
}
Transfer bytes(int from, int to, std::uint64_t count, int line = 0) {
  return {from, to, count, 1, {line == 0 ? "" : "k.cu", line}};
}

TEST(Topologies, OfTheSimulatorConnectAllDevicesWithEachOtherAndTheHost) {
  EXPECT_EQ(known_topologies().size(), 6u);
  for (const std::string &name : known_topologies())
    for (const int devices : {1, 2, 4, 16}) {
      const Topology made = read_topology(name, devices);
      EXPECT_EQ(made.devices, devices) << name;
      for (int device = 0; device < devices; ++device) EXPECT_FALSE(made.route(device, host).empty()) << name;
    }
}

TEST(Topologies, HaveALinkForEachDeviceAndDirection) {
  const Topology made = parse_topology(switched, "t.yaml", 2);
  std::vector<std::string> names;
  for (const Link &one : made.links) names.push_back(one.name());
  EXPECT_EQ(names, (std::vector<std::string>{"0 -> switch", "switch -> 0", "1 -> switch", "switch -> 1",
                                             "switch -> host", "host -> switch"}));
}

TEST(Topologies, SendDataThroughSwitchesAndNotThroughDevices) {
  const std::string line = replaced("- {from: device, to: switch",
                                    "- {from: 0, to: 1, gb_per_s: 9, latency_us: 0}\n"
                                    "  - {from: 1, to: 2, gb_per_s: 9, latency_us: 0}\n"
                                    "  - {from: device, to: switch");
  const Topology made = parse_topology(line, "t.yaml", 3);
  EXPECT_EQ(made.route(0, 1).size(), 1u);
  EXPECT_EQ(made.route(0, 2).size(), 2u);
  EXPECT_EQ(made.links[made.route(0, 2)[0]].to, "switch");
}

TEST(Topologies, TakeTheWiderOfTwoWaysOfOneLength) {
  const std::string two = replaced("  - {from: switch",
                                   "  - {from: device, to: fast, gb_per_s: 2, latency_us: 0}\n"
                                   "  - {from: switch");
  const Topology made = parse_topology(two, "t.yaml", 2);
  EXPECT_EQ(made.links[made.route(0, 1)[0]].to, "fast");
}

TEST(Topologies, ThatAreWrongAreReportedWithTheirLine) {
  EXPECT_EQ(error_of(replaced("gb_per_s: 1, latency", "latency")),
            "t.yaml:6: `gb_per_s` is a number above 0");
  EXPECT_EQ(error_of(replaced("latency_us: 0.5", "latency_us: -1")),
            "t.yaml:6: `latency_us` is a number of at least 0");
  EXPECT_EQ(error_of(replaced("latency_us: 0.5", "delay: 1")),
            "t.yaml:6: a link has no `delay`; it has from, to, gb_per_s, latency_us, one_way");
  EXPECT_EQ(error_of(replaced("source: made up\n", "")), "t.yaml:2: `source` is missing: a text");
  EXPECT_EQ(error_of(replaced("from: device, to: switch", "from: 0, to: switch")),
            "t.yaml: no way leads from the host to device 1; data passes through switches only");
  EXPECT_EQ(error_of("links: ["), "t.yaml:1: no valid YAML: end of sequence flow not found");
}

TEST(Topologies, ThatAreUnknownAreReportedWithThoseThatAreKnown) {
  try {
    read_topology("nvlink9", 2);
    ADD_FAILURE();
  } catch (const TopologyError &error) {
    EXPECT_EQ(std::string(error.what()),
              "nvlink9 is neither a file nor one of infiniband, nvlink3, nvlink4, nvlink5, pcie4, pcie5");
  }
}

class Plans : public testing::Test {
 protected:
  Topology topology = parse_topology(switched, "t.yaml", 2);
};

TEST_F(Plans, AKernelTakesItsLaunchAndItsInstructions) {
  const Schedule s = plan(topology, {kernel(0, 3)});
  EXPECT_DOUBLE_EQ(s.total_us, 2 + 3);  // 0.001 instructions a nanosecond are one a microsecond
  EXPECT_EQ(s.communication_us, 0);
  EXPECT_EQ(s.overlap(), 1);
}

TEST_F(Plans, ACopyTakesTheLatencyOfItsLinksAndItsBytesOverTheNarrowest) {
  EXPECT_DOUBLE_EQ(plan(topology, {copy(0, bytes(0, 1, 4000))}).total_us, 0.5 + 0.5 + 4);
  EXPECT_DOUBLE_EQ(plan(topology, {copy(0, bytes(host, 1, 4000))}).total_us, 0.5 + 1 + 8);
}

TEST_F(Plans, CopiesOfOneLinkTakeTurnsAndThoseOfOppositeDirectionsDoNot) {
  EXPECT_DOUBLE_EQ(plan(topology, {copy(0, bytes(0, 1, 4000)), copy(0, bytes(0, 1, 4000))}).total_us,
                   4 + 1 + 4);
  EXPECT_DOUBLE_EQ(plan(topology, {copy(0, bytes(0, 1, 4000)), copy(1, bytes(1, 0, 4000))}).total_us, 1 + 4);
}

TEST_F(Plans, WhatWaitsBeginsWhenTheOtherHasEnded) {
  const Schedule s = plan(topology, {kernel(0, 3), copy(0, bytes(0, 1, 1000), {0}), kernel(1, 1, {1})});
  EXPECT_DOUBLE_EQ(s.operations[1].begin, 5);
  EXPECT_DOUBLE_EQ(s.operations[2].begin, 5 + 2);
  EXPECT_EQ(s.overlapped_us, 0);
}

TEST_F(Plans, OverlapIsTheShareOfCommunicationDuringWhichAKernelComputes) {
  const Schedule s = plan(topology, {copy(0, bytes(0, 1, 4000)), kernel(0, 1)});
  EXPECT_DOUBLE_EQ(s.communication_us, 5);
  EXPECT_DOUBLE_EQ(s.overlapped_us, 3);
  EXPECT_DOUBLE_EQ(s.overlap(), 0.6);
}

TEST_F(Plans, ALinkCarriesFirstWhatIsReadyFirst) {
  // The program asks for the second copy of device 1 before it asks for that of device 0, which could begin at once.
  const Schedule s = plan(
      topology, {copy(1, bytes(1, 0, 4000)), copy(1, bytes(0, 1, 1000), {0}), copy(0, bytes(0, 1, 2000))});
  EXPECT_DOUBLE_EQ(s.operations[2].end, 2 + 1);
  EXPECT_DOUBLE_EQ(s.operations[1].begin, 4 + 1);
  EXPECT_DOUBLE_EQ(s.total_us, 5 + 1 + 1);
}

TEST_F(Plans, KernelsOfOneDeviceComputeOneAfterTheOtherAndAreLaunchedMeanwhile) {
  const Schedule s = plan(topology, {kernel(0, 3), kernel(0, 4), kernel(1, 1)});
  EXPECT_DOUBLE_EQ(s.operations[0].end, 2 + 3);
  EXPECT_DOUBLE_EQ(s.operations[1].end, 2 + 3 + 4);
  EXPECT_DOUBLE_EQ(s.operations[2].end, 2 + 1);
}

TEST_F(Plans, AKernelThatWaitsForALinkLetsOthersCompute) {
  // It has computed after 2 + 1 us, and its 9000 bytes have arrived after 9 + 1.
  const Schedule s = plan(topology, {kernel(0, 1, {}, {bytes(1, 0, 9000)}), kernel(0, 4), kernel(0, 1, {0})});
  EXPECT_DOUBLE_EQ(s.operations[1].end, 2 + 1 + 4);
  EXPECT_DOUBLE_EQ(s.operations[2].begin, 10) << "what follows the first waits for its bytes, too";
}

TEST_F(Plans, BesideDataIsOnlyAKernelThatMovesNothingBetweenDevicesItself) {
  const Schedule s = plan(topology, {kernel(0, 7, {}, {bytes(1, 0, 4000)}), kernel(1, 1)});
  EXPECT_DOUBLE_EQ(s.communication_us, 5);
  EXPECT_DOUBLE_EQ(s.overlapped_us, 5);
  EXPECT_DOUBLE_EQ(s.beside_us, 3);
  EXPECT_DOUBLE_EQ(s.alone_us({0, 5}), 2);
}

TEST_F(Plans, AKernelThatWaitsForItsDeviceDoesNotComputeYet) {
  // The first kernel moves 4000 bytes itself, from 0 to 5 us, and computes until 2 + 7. The second one, queued behind it,
  // is launched while the first one computes, and computes from 9 to 10: no data moves any more.
  const Schedule s = plan(topology, {kernel(0, 7, {}, {bytes(1, 0, 4000)}), kernel(0, 1)});
  EXPECT_DOUBLE_EQ(s.operations[1].end, 2 + 7 + 1);
  EXPECT_DOUBLE_EQ(s.communication_us, 5);
  EXPECT_DOUBLE_EQ(s.beside_us, 0);
  EXPECT_DOUBLE_EQ(s.overlapped_us, 5) << "the first one computes";
}

TEST_F(Plans, ADeviceIsIdleWhileItNeitherComputesNorCopiesNorHasDataOnItsWay) {
  // Device 0 computes for 5 us and sends for 2; device 1 receives for 2 and computes for 3: 10 us in all.
  const Schedule s = plan(topology, {kernel(0, 3), copy(0, bytes(0, 1, 1000), {0}), kernel(1, 1, {1})});
  EXPECT_DOUBLE_EQ(s.total_us, 10);
  EXPECT_DOUBLE_EQ(s.busy_us[0], 7);
  EXPECT_DOUBLE_EQ(s.busy_us[1], 5);
  EXPECT_DOUBLE_EQ(s.idle(1), 0.5);
  EXPECT_EQ(report_json(topology, {}, s)["predicted"]["idle"], nlohmann::json({s.idle(0), 0.5}));
}

TEST_F(Plans, BytesAndTheBusiestLinkAreThoseBetweenDevices) {
  const std::vector<Operation> all = {copy(0, bytes(0, 1, 100)), copy(1, bytes(1, 0, 300)),
                                      copy(0, bytes(host, 0, 5000)),
                                      kernel(0, 1, {}, {bytes(1, 0, 64, 7), bytes(0, 1, 32, 8)})};
  const Schedule s = plan(topology, all);
  EXPECT_EQ((s.of_pair.at({0, 1}).bytes), 132u);
  EXPECT_EQ((s.of_pair.at({1, 0}).bytes), 364u);
  ASSERT_GE(s.busiest, 0);
  // The first of two links with as many bytes: 1 -> switch has them too.
  EXPECT_EQ(topology.links[static_cast<std::size_t>(s.busiest)].name(), "switch -> 0");
  EXPECT_EQ(s.busiest_bytes, 364u);
  const std::string text = report(topology, all, s);
  EXPECT_NE(text.find("busiest link between devices: switch -> 0, 364 bytes"), std::string::npos) << text;
  EXPECT_NE(text.find("k.cu:7"), std::string::npos) << text;
  const nlohmann::json json = report_json(topology, all, s);
  EXPECT_EQ(json["busiest"]["bytes"], 364);
  EXPECT_EQ(json["lines"].size(), 5u);
}

TEST_F(Plans, OfNothingSayNothing) {
  EXPECT_EQ(report(topology, {}, plan(topology, {})), "");
}

TEST_F(Plans, AreDrawnWithARowForEachDeviceAndDirectionAndWordsEscaped) {
  std::vector<Operation> all = {kernel(0, 1), copy(1, bytes(0, 1, 1000))};
  all[0].what = "f<int>(int)";
  const Schedule s = plan(topology, all);
  const std::string svg = timeline_svg(topology, all, s);
  for (const char *const part :
       {"device 0<", "device 1<", "device 0 to 1<", "f&lt;int&gt;(int)", "class=\"link\""})
    EXPECT_NE(svg.find(part), std::string::npos) << part;
  EXPECT_EQ(svg.find("f<int>"), std::string::npos);
  const std::string html = timeline_html(topology, all, s, "./a.out");
  EXPECT_NE(html.find("./a.out: timeline"), std::string::npos);
  EXPECT_NE(html.find("1000 bytes from device 0 to device 1"), std::string::npos);
}

}  // namespace
}  // namespace warpgrade::links
