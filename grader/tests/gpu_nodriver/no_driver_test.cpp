// A machine without an NVIDIA driver, whether or not this one is: the driver's name is one that does not
// exist.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <thread>

#include "gpu/child_process.hpp"
#include "gpu/device_lock.hpp"
#include "gpu/measure.hpp"
#include "gpu/retired.hpp"
#include "problem/problem.hpp"

namespace warpgrade::gpu {
namespace {

ChildOptions without_driver() {
  ChildOptions options;
  options.driver_library = "libwarpgrade-no-such-driver.so.1";
  return options;
}

plan::LaunchPlan one_buffer() {
  plan::LaunchPlan plan;
  plan.buffers.push_back({.owner = plan::Owner::judge, .name = "C", .bytes = 16});
  return plan;
}
const std::vector<run::HostBuffer> four_floats{
    run::host_buffer("C", run::Role::in_out, std::vector<float>{1, 2, 3, 4})};

/// "no NVIDIA driver on this machine: ...", or that the build has no CUDA at all.
void expect_plain_reason(const std::string &why) {
  EXPECT_TRUE(why.find("no NVIDIA driver on this machine") != std::string::npos ||
              why.find("built without the CUDA Toolkit") != std::string::npos)
      << why;
}

TEST(NoDriver, QuerySaysWhyThereIsNoGpu) {
  const auto query = query_devices(without_driver());
  EXPECT_TRUE(query.devices.empty());
  expect_plain_reason(query.why_none);
}

TEST(NoDriver, ReplayIsOurFailureWithTheReason) {
  Replay replay(DeviceInfo{}, std::vector<std::byte>(100), {}, without_driver());
  for (int i = 0; i < 2; ++i) {
    const auto run = replay.replay(one_buffer(), four_floats);
    EXPECT_EQ(run.end, run::End::our_failure);
    expect_plain_reason(run.message);
    EXPECT_TRUE(run.buffers.empty());
  }
}

problem::MatrixProduct a_product() {
  return problem::find_problem("sgemm")->product({{2, 2, 2}, {1, 0}}).value();
}

TEST(NoDriver, TheRefereeSaysWhy) {
  Referee referee(DeviceInfo{}, without_driver());
  referee.start_early();
  for (int i = 0; i < 2; ++i) expect_plain_reason(referee.take(a_product(), 1e-6));
}

TEST(NoDriver, MeasurementEndsWithTheReason) {
  Replay replay(DeviceInfo{}, std::vector<std::byte>(100), {}, without_driver());
  Referee referee(DeviceInfo{}, without_driver());
  const plan::LaunchPlan plan = one_buffer();
  DealtTrial trial(replay, referee, plan, a_product(), 1e-6);
  const auto m = measure(trial, {});
  EXPECT_FALSE(m.ok);
  expect_plain_reason(m.why);
}

TEST(Children, AProgramThatCannotStartIsASentence) {
  ChildOptions options;
  options.program = "/no/such/program";
  EXPECT_EQ(query_devices(options).why_none,
            "the process that looks for GPUs could not be started: starting /no/such/program: No such file "
            "or directory");
}

TEST(Children, AProgramThatSaysNothingIsASentence) {
  ChildOptions options;
  options.program = "/bin/true";
  EXPECT_EQ(query_devices(options).why_none, "the GPU process ended while looking for GPUs: exit status 0");
}

TEST(Children, AProgramThatHangsMeetsTheDeadline) {
  const auto script = std::filesystem::temp_directory_path() / "warpgrade-hanging-child.sh";
  std::ofstream(script) << "#!/bin/sh\nexec sleep 100\n";
  std::filesystem::permissions(script, std::filesystem::perms::owner_all);
  ChildOptions options;
  options.program = script;
  options.setup_seconds = 0.3;
  EXPECT_EQ(query_devices(options).why_none, "the GPU process did not finish looking for GPUs within 0.3 s");
  std::filesystem::remove(script);
}

TEST(Children, OutputIsCapturedAndCapped) {
  const auto script = std::filesystem::temp_directory_path() / "warpgrade-printing-child.sh";
  std::ofstream(script) << "#!/bin/sh\nprintf 0123456789\nprintf abcdef >&2\n";
  std::filesystem::permissions(script, std::filesystem::perms::owner_all);
  ChildOptions options;
  options.program = script;
  options.output_bytes = 12;
  ChildProcess child(options, "--whatever");
  const auto answer = child.wait(now() + 10);
  EXPECT_EQ(answer.kind, Answer::Kind::died);
  EXPECT_EQ(answer.how,
            "exit status 0; its last words: 0123456789ab\n[4 more bytes were printed and dropped]\n");
  std::filesystem::remove(script);
}

TEST(Children, OurMainLeavesOtherArgumentsAlone) {
  std::string program = "grade", step = "step3";
  char *argv[] = {program.data(), step.data(), nullptr};
  EXPECT_EQ(run_as_child(2, argv), std::nullopt);
  EXPECT_EQ(run_as_child(1, argv), std::nullopt);
}

TEST(Lock, OneProcessHoldsAGpuAtATime) {
  const auto directory = std::filesystem::temp_directory_path() / "warpgrade-lock-test";
  std::filesystem::create_directories(directory);
  DeviceInfo gpu, other;
  gpu.pci_bus_id = "0000:17:00.0";
  other.pci_bus_id = "0000:18:00.0";
  {
    const DeviceLock first(directory, gpu, 0);
    EXPECT_TRUE(first.held());
    EXPECT_FALSE(DeviceLock(directory, gpu, 0).held());
    EXPECT_TRUE(DeviceLock(directory, other, 0).held());
  }
  EXPECT_TRUE(DeviceLock(directory, gpu, 0).held());
  EXPECT_TRUE(std::filesystem::exists(directory / "gpu-0000-17-00-0.lock"));
  std::filesystem::remove_all(directory);
}

TEST(Lock, SeveralRunTogetherAndNoneDuringAMeasurement) {
  const auto directory = std::filesystem::temp_directory_path() / "warpgrade-lock-test-2";
  std::filesystem::create_directories(directory);
  DeviceInfo gpu;
  gpu.pci_bus_id = "0000:17:00.0";
  constexpr auto together = DeviceLock::Use::together;
  {
    const DeviceLock one(directory, gpu, 0, together), two(directory, gpu, 0, together);
    EXPECT_TRUE(one.held() && two.held());
    EXPECT_FALSE(DeviceLock(directory, gpu, 0).held());
  }
  const DeviceLock alone(directory, gpu, 0);
  EXPECT_TRUE(alone.held());
  EXPECT_FALSE(DeviceLock(directory, gpu, 0, together).held());
  std::filesystem::remove_all(directory);
}

TEST(Lock, AnExclusiveWaiterPrecedesLaterOnes) {
  const auto directory = std::filesystem::temp_directory_path() / "warpgrade-lock-test-3";
  std::filesystem::create_directories(directory);
  DeviceInfo gpu;
  gpu.pci_bus_id = "0000:17:00.0";
  auto early = std::make_optional<DeviceLock>(directory, gpu, 0.0, DeviceLock::Use::together);
  ASSERT_TRUE(early->held());
  std::thread measurer([&] { EXPECT_TRUE(DeviceLock(directory, gpu, 30).held()); });
  // Once the measurer waits in the gate, no other process gets in.
  const auto gets_in = [&] { return DeviceLock(directory, gpu, 0, DeviceLock::Use::together).held(); };
  for (int i = 0; i < 2000 && gets_in(); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  EXPECT_FALSE(gets_in());
  early.reset();
  measurer.join();
  std::filesystem::remove_all(directory);
}

TEST(Lock, IsUsableByAllAccountsWhateverTheUmask) {
  const auto directory = std::filesystem::temp_directory_path() / "warpgrade-lock-test-4";
  std::filesystem::create_directories(directory);
  DeviceInfo gpu;
  gpu.pci_bus_id = "0000:17:00.0";
  const mode_t before = ::umask(077);
  { const DeviceLock lock(directory, gpu, 0); }
  retire(directory, gpu);
  ::umask(before);
  for (const char *suffix : {"lock", "gate", "out"}) {
    const auto file = directory / (std::string("gpu-0000-17-00-0.") + suffix);
    EXPECT_EQ(std::filesystem::status(file).permissions(), std::filesystem::perms(0644)) << suffix;
  }
  std::filesystem::remove_all(directory);
}

TEST(Lock, AMissingDirectoryIsThrown) {
  EXPECT_THROW(DeviceLock("/no/such/directory", DeviceInfo{}, 0), std::system_error);
}

}  // namespace
}  // namespace warpgrade::gpu
