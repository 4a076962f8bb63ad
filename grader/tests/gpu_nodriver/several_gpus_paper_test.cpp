// Several GPUs of paper: which may work together, their locks, and what the referee does on all of them.
#include <gtest/gtest.h>

#include <filesystem>
#include <span>
#include <string>

#include "gpu/device_lock.hpp"
#include "gpu/plan_check.hpp"
#include "problem/problem.hpp"
#include "tests/gpu/plans.hpp"
#include "tests/gpu_nodriver/paper.hpp"

namespace warpgrade::gpu {
namespace {

using run::End;

std::vector<DeviceInfo> paper_gpus(std::size_t how_many = 2) {
  std::vector<DeviceInfo> gpus(how_many, paper_gpu());
  for (std::size_t i = 0; i < how_many; ++i) {
    gpus[i].index = static_cast<int>(i);
    gpus[i].pci_bus_id = "0000:0" + std::to_string(1 + i) + ":00.0";
  }
  return gpus;
}

Replay replay_on(std::size_t gpus) {
  const std::string image = "image";
  const auto bytes = std::as_bytes(std::span(image));
  return Replay(paper_gpus(gpus), {bytes.begin(), bytes.end()}, {}, paper({"PAPER_GPUS=2"}));
}

TEST(SeveralGpus, APlanForMoreThanThereAreIsNoFaultOfTheStudents) {
  auto replay = replay_on(1);
  const auto run = replay.replay(plan_for_two(), sevens_and_nines());
  EXPECT_EQ(run.end, End::our_failure);
  EXPECT_EQ(run.message, "the plan is one for 2 GPUs, and it was given 1");
}

TEST(SeveralGpus, AreThoseOfOneKindThatAccessEachOthersMemory) {
  const DeviceQuery query = query_devices(paper({"PAPER_GPUS=3"}));
  ASSERT_EQ(query.devices.size(), 3u) << query.why_none;
  EXPECT_EQ(query.devices[1].reaches, (std::vector<std::int32_t>{0, 2}));
  auto all = query.devices;
  EXPECT_EQ(together_with(all[1], all).size(), 3u);
  EXPECT_EQ(together_with(all[1], all)[0].index, 1);
  all[2].name = "another GPU";
  EXPECT_EQ(together_with(all[1], all).size(), 2u);
  all[0].reaches.clear();
  EXPECT_EQ(together_with(all[1], all).size(), 1u);
  const DeviceQuery apart = query_devices(paper({"PAPER_GPUS=3", "PAPER_GPUS_APART=1"}));
  EXPECT_EQ(together_with(apart.devices[0], apart.devices).size(), 1u);
}

TEST(SeveralGpus, WhoMeasuresOnTwoHasBothAlone) {
  const std::string folder = ::testing::TempDir() + "locks-of-two";
  std::filesystem::create_directories(folder);
  const auto gpus = paper_gpus();
  const DeviceLock both(folder, gpus, 1);
  ASSERT_TRUE(both.held());
  for (const DeviceInfo &gpu : gpus) EXPECT_FALSE(DeviceLock(folder, gpu, 0.01).held()) << gpu.index;
  const DeviceLock backwards(folder, {gpus[1], gpus[0]}, 0.01);
  EXPECT_FALSE(backwards.held());
}

/// The referee puts each buffer on its own device, and NCCL gets its operands there too.
TEST(SeveralGpus, TheRefereeDealsToEachAndChecksAll) {
  const problem::Problem &ring = *problem::find_problem("ring");
  const problem::Case size = problem::parse_case(ring, "devices=2 n=5");
  Referee referee(paper_gpus(), paper({"PAPER_GPUS=2"}));
  ASSERT_EQ(referee.take(ring, size, 6e-8), "");
  ASSERT_EQ(referee.deal(7), "");
  auto replay = replay_on(2);
  // out[0] = in[0] + in[1] would take a kernel; without one, what is left is wrong.
  plan::LaunchPlan nothing;
  nothing.buffers = ring.buffers(size);
  nothing.streams = {{0, true}, {1, true}};
  const Timed timed = referee.run(replay, nothing);
  ASSERT_EQ(timed.run.end, End::completed) << timed.run.message;
  const Checked checked = referee.check(1);
  EXPECT_EQ(checked.why, "");
  EXPECT_NE(checked.finding.find(" of 10 elements of out[0] are wrong"), std::string::npos)
      << checked.finding;

  std::vector<std::uint64_t> bytes;
  std::vector<std::uint8_t> devices;
  for (const plan::Buffer &buffer : ring.buffers(size)) {
    bytes.push_back(buffer.bytes);
    devices.push_back(buffer.device);
  }
  ASSERT_EQ(referee.take(problem::Routine::all_reduce, bytes, devices), "");
  EXPECT_EQ(referee.routine_version().find("NCCL 2.99.1 from "), 0u) << referee.routine_version();
  const LibraryTime time = referee.compute_dealt(true);
  EXPECT_EQ(time.why, "");
  EXPECT_GT(time.sample.seconds, 0);
}

TEST(SeveralGpus, AWrongAllReduceOfTheLibraryIsItsOwnFault) {
  const problem::Problem &ring = *problem::find_problem("ring");
  const problem::Case size = problem::parse_case(ring, "devices=2 n=5");
  Referee referee(paper_gpus(), paper({"PAPER_GPUS=2", "PAPER_NCCL_IS_WRONG=1"}));
  ASSERT_EQ(referee.take(ring, size, 6e-8), "");
  ASSERT_EQ(referee.deal(7), "");
  ASSERT_EQ(referee.take(problem::Routine::all_reduce, {20, 20, 20, 20}, {0, 1, 0, 1}), "");
  EXPECT_NE(referee.compute_dealt(true).why.find("NCCL itself gave a wrong result"), std::string::npos);
}

TEST(PlansForSeveralGpus, NameStreamsEventsAndDevicesThatExist) {
  EXPECT_EQ(devices_of(plan_for_two()), 2u);
  EXPECT_EQ(devices_of(plan::LaunchPlan{}), 1u);
  const auto why = [](auto operation) {
    auto plan = plan_for_two();
    plan.operations = {operation};
    const auto refused = check_plan(plan, 100);
    return refused ? refused->message : "";
  };
  EXPECT_EQ(why(plan::UseStream{2}), "");
  EXPECT_EQ(why(plan::UseStream{3}), "the plan names stream 3, but has only 3");
  EXPECT_EQ(why(plan::RecordEvent{1}), "the plan names event 1, but has only 1");
  EXPECT_EQ(why(plan::WaitForEvent{1}), "the plan names event 1, but has only 1");
  EXPECT_EQ(why(plan::PeerAccess{.device = 0, .owner = 2}), "the plan names device 2, but has only 2");
  EXPECT_EQ(why(plan::HostWaits{plan::HostWaits::For::device, 2}), "the plan names device 2, but has only 2");
  auto plan = plan_for_two();
  plan.operations = {plan::RecordEvent{0}, plan::UseStream{1}, plan::RecordEvent{0}};
  EXPECT_EQ(check_plan(plan, 100)->message, "the plan records event 0 in streams of two devices");
  plan = plan_for_two();
  plan.buffers[1].device = 2;
  EXPECT_EQ(check_plan(plan, 100)->message, "the plan has buffer 'far' on device 2, but only 2 devices");
  plan = plan_on_c(4);
  plan.operations = {plan::UseStream{0}};
  EXPECT_EQ(check_plan(plan, 100)->message, "the plan names stream 0, but has only 0");
}

TEST(PlansForSeveralGpus, ReuseMemoryOnTheSameDeviceOnly) {
  plan::LaunchPlan plan = plan_for_two();
  for (const std::uint8_t device : {0, 1, 0})
    plan.buffers.push_back({.owner = plan::Owner::student, .name = "scratch", .bytes = 16, .device = device});
  plan.operations = {plan::Allocate{2}, plan::Free{2}, plan::Allocate{3}, plan::Allocate{4}};
  const Slots slots = assign_slots(plan);
  EXPECT_EQ(slots.device, (std::vector<std::uint8_t>{0, 1}));
  EXPECT_EQ(slots.of_buffer[2], slots.of_buffer[4]);
}

}  // namespace

bool there_are_two() {
  return true;
}
Replay replay_on_two() {
  return replay_on(2);
}

}  // namespace warpgrade::gpu
