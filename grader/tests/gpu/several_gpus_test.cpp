// Plans for two devices: who may access whose memory, and what is in which stream. test_gpu_nodriver has them on paper, where
// the driver also says whose context is current.
#include <gtest/gtest.h>

#include <bit>
#include <span>
#include <string>
#include <vector>

#include "tests/gpu/plans.hpp"

namespace warpgrade::gpu {
namespace {

using run::End;

/// For machines with two GPUs that access each other's memory; elsewhere there are no such tests.
class PlansOnSeveralGpus : public ::testing::TestWithParam<int> {};
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(PlansOnSeveralGpus);
std::vector<int> two_if_there_are() {
  return there_are_two() ? std::vector<int>{2} : std::vector<int>{};
}
INSTANTIATE_TEST_SUITE_P(OnTwo, PlansOnSeveralGpus, ::testing::ValuesIn(two_if_there_are()),
                         [](const auto &gpus) { return std::to_string(gpus.param); });

plan::Launch store_one_at(std::uint32_t buffer) {
  auto launch = launch_of("store_at", {}, {32, 1, 1});
  ArgumentBuilder(launch).pointer(buffer).value(std::int64_t{0});
  return launch;
}

TEST_P(PlansOnSeveralGpus, AKernelNeedsAccessToTheMemoryOfAnotherOne) {
  auto closed = plan_for_two();
  closed.operations = {plan::UseStream{2}, store_one_at(0)};
  auto open = closed;
  open.operations.insert(open.operations.begin(), plan::PeerAccess{.device = 1, .owner = 0});
  auto wrong_way = closed;
  wrong_way.operations.insert(wrong_way.operations.begin(), plan::PeerAccess{.device = 0, .owner = 1});
  auto shut_again = open;
  shut_again.operations.insert(shut_again.operations.begin() + 1,
                               plan::PeerAccess{.device = 1, .owner = 0, .allowed = false});

  auto replay = replay_on_two();
  for (int time = 0; time < 2; ++time) {  // the second time with the memory and the contexts of the first
    const auto run = replay.replay(open, sevens_and_nines());
    ASSERT_EQ(run.end, End::completed) << run.message;
    EXPECT_EQ(floats(run.buffers[0]), (std::vector<float>{1, 7, 7, 7}));
    EXPECT_EQ(floats(run.buffers[1]), (std::vector<float>{9, 9, 9, 9}));
    for (const auto *plan : {&closed, &wrong_way, &shut_again})
      EXPECT_EQ(replay.replay(*plan, sevens_and_nines()).end, End::fault);
  }
}

TEST_P(PlansOnSeveralGpus, CopiesGoBetweenThemWithAccessAndWithout) {
  auto replay = replay_on_two();
  for (const bool access : {false, true}) {
    auto plan = plan_for_two();
    if (access) plan.operations.push_back(plan::PeerAccess{.device = 0, .owner = 1});
    plan.operations.push_back(plan::CopyWithin{.to = {0, 4}, .from = {1, 0}, .width = 4});
    plan.operations.push_back(plan::CopyWithin{
        .to = {0, 8}, .from = {1, 4}, .width = 4, .rows = 2, .to_pitch = 4, .from_pitch = 8});
    const auto run =
        replay.replay(plan, {host_buffer("near", {0, 0, 0, 0}), host_buffer("far", {1, 2, 3, 4})});
    ASSERT_EQ(run.end, End::completed) << run.message;
    EXPECT_EQ(floats(run.buffers[0]), (std::vector<float>{0, 1, 2, 4}));
  }
}

TEST_P(PlansOnSeveralGpus, TheHostCopiesToAnyOfThemWithoutAccess) {
  const std::vector<float> values{1, 2, 3, 4};
  const auto bytes = std::as_bytes(std::span(values));
  auto plan = plan_for_two();
  plan.operations = {plan::CopyIn{.to = {1, 0}, .bytes = {bytes.begin(), bytes.end()}},
                     plan::CopyWithin{.to = {0, 0}, .from = {1, 0}, .width = 16}};
  auto replay = replay_on_two();
  const auto run = replay.replay(plan, sevens_and_nines());
  ASSERT_EQ(run.end, End::completed) << run.message;
  EXPECT_EQ(floats(run.buffers[0]), values);
}

/// Setting so much takes a GPU longer than it takes to begin a copy.
TEST_P(PlansOnSeveralGpus, ACopyBetweenThemInADefaultStreamWaitsForAllWorkOfBoth) {
  constexpr std::uint64_t bytes = std::uint64_t{256} << 20;
  auto replay = replay_on_two();
  for (const bool access : {false, true}) {
    auto plan = plan_for_two();
    plan.buffers.push_back({.owner = plan::Owner::student, .name = "scratch 1", .bytes = bytes, .device = 1});
    plan.operations.push_back(plan::Allocate{2});
    if (access) plan.operations.push_back(plan::PeerAccess{.device = 0, .owner = 1});
    plan.operations.push_back(plan::UseStream{2});
    plan.operations.push_back(
        plan::SetMemory{.to = {2, 0}, .value = 0x40, .width = bytes, .rows = 1, .pitch = 0});
    plan.operations.push_back(plan::UseStream{0});
    plan.operations.push_back(
        plan::CopyWithin{.to = {0, 0}, .from = {2, static_cast<std::int64_t>(bytes) - 4}, .width = 4});
    plan.operations.push_back(plan::UseStream{2});
    plan.operations.push_back(
        plan::SetMemory{.to = {2, 0}, .value = 0x41, .width = bytes, .rows = 1, .pitch = 0});
    const auto run = replay.replay(plan, sevens_and_nines());
    ASSERT_EQ(run.end, End::completed) << run.message;
    EXPECT_EQ(floats(run.buffers[0])[0], std::bit_cast<float>(0x40404040));
  }
}

TEST_P(PlansOnSeveralGpus, AVariableIsThereOnceOnEach) {
  auto plan = plan_for_two();
  for (const std::uint8_t device : {0, 1})
    plan.buffers.push_back({.owner = plan::Owner::module, .name = "factor", .bytes = 8, .device = device});
  const std::vector<float> two_one{2, 1}, ten_zero{10, 0};
  const auto copied = [](std::uint32_t to, const std::vector<float> &values) {
    const auto bytes = std::as_bytes(std::span(values));
    return plan::CopyIn{.to = {to, 0}, .bytes = {bytes.begin(), bytes.end()}};
  };
  const auto scale = [](std::uint32_t buffer) {
    auto launch = launch_of("scale", {}, {32, 1, 1});
    ArgumentBuilder(launch).pointer(buffer).value(4);
    return launch;
  };
  plan.operations = {copied(2, two_one), plan::UseStream{1}, copied(3, ten_zero),
                     scale(1),           plan::UseStream{0}, scale(0)};
  auto replay = replay_on_two();
  const auto run = replay.replay(plan, sevens_and_nines());
  ASSERT_EQ(run.end, End::completed) << run.message;
  EXPECT_EQ(floats(run.buffers[0]), (std::vector<float>{15, 15, 15, 15}));
  EXPECT_EQ(floats(run.buffers[1]), (std::vector<float>{90, 90, 90, 90}));
}

TEST_P(PlansOnSeveralGpus, StreamsEventsAndWaitsAreThoseOfTheirDevices) {
  auto plan = plan_for_two();
  plan.buffers.push_back({.owner = plan::Owner::student, .name = "scratch 1", .bytes = 16, .device = 1});
  plan.operations = {plan::WaitForEvent{0},  // not recorded yet: nothing to wait for
                     plan::PeerAccess{.device = 1, .owner = 0},
                     plan::Allocate{2},
                     plan::UseStream{2},
                     plan::CopyWithin{.to = {2, 0}, .from = {1, 0}, .width = 16},
                     plan::RecordEvent{0},
                     plan::UseStream{0},
                     plan::WaitForEvent{0},
                     plan::HostWaits{plan::HostWaits::For::event, 0},
                     store_one_at(0),
                     plan::HostWaits{plan::HostWaits::For::device, 0},
                     plan::UseStream{1},
                     plan::CopyWithin{.to = {1, 4}, .from = {0, 0}, .width = 4},
                     plan::HostWaits{plan::HostWaits::For::stream, 2},
                     plan::Free{2}};
  auto replay = replay_on_two();
  for (int time = 0; time < 2; ++time) {
    const auto run = replay.replay(plan, sevens_and_nines());
    ASSERT_EQ(run.end, End::completed) << run.message;
    EXPECT_EQ(floats(run.buffers[1]), (std::vector<float>{9, 1, 9, 9}));
    const Timed timed = replay.time_once(plan, sevens_and_nines());
    ASSERT_EQ(timed.run.end, End::completed) << timed.run.message;
    EXPECT_GT(timed.sample.seconds, 0);
    EXPECT_EQ(floats(timed.run.buffers[1]), (std::vector<float>{9, 1, 9, 9}));
  }
}

TEST_P(PlansOnSeveralGpus, GuardZonesAreCheckedOnEach) {
  auto plan = plan_for_two();
  auto past = launch_of("store_at", {}, {32, 1, 1});
  ArgumentBuilder(past).pointer(1).value(std::int64_t{16});
  plan.operations = {plan::UseStream{1}, past};
  auto replay = replay_on_two();
  EXPECT_EQ(
      replay.replay(plan, sevens_and_nines()).guards_written,
      std::vector<std::string>{"far: 4 bytes past the end were overwritten, the nearest 1 byte past it"});
}

}  // namespace
}  // namespace warpgrade::gpu
