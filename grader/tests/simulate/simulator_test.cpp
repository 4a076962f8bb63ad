// The simulator in its process: what it can reach, what its end costs, and what its answers may say.
#include "simulate/simulator.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <memory>
#include <random>
#include <sstream>
#include <thread>

#include "base/wire.hpp"
#include "ptx/fatbin.hpp"
#include "simulate/simulator_protocol.hpp"

namespace warpgrade::run {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr std::string_view kernels = R"(
.version 7.1
.target sm_80
.address_size 64
.visible .entry increment(.param .u64 data) {
  .reg .b64 %rd<4>;
  .reg .b32 %r<2>;
  .reg .f32 %f<3>;
  ld.param.u64 %rd1, [data];
  cvta.to.global.u64 %rd2, %rd1;
  mov.u32 %r1, %tid.x;
  mul.wide.u32 %rd3, %r1, 4;
  add.s64 %rd2, %rd2, %rd3;
  ld.global.f32 %f1, [%rd2];
  add.f32 %f2, %f1, 0f3F800000;
  st.global.f32 [%rd2], %f2;
  ret;
}
.visible .entry endless(.param .u64 data) {
again:
  bra again;
}
)";

std::vector<std::byte> device_code() {
  return ptx::wrap_ptx(std::as_bytes(std::span(kernels)), 80);
}

plan::LaunchPlan plan_of(const std::string &kernel) {
  plan::LaunchPlan plan;
  plan.buffers = {{plan::Owner::judge, "A", 128}};
  plan::Launch launch;
  launch.kernel = kernel;
  launch.block = {32, 1, 1};
  launch.arguments.resize(8);
  launch.pointers = {{0, {0, 0}}};
  plan.operations = {launch};
  return plan;
}

std::vector<HostBuffer> inputs(float value = 1) {
  return {host_buffer("A", Role::in_out, std::vector<float>(32, value))};
}

Simulator simulator(SimulatorLimits limits = {}) {
  return {WARPGRADE_SIMULATOR, device_code(), limits};
}

std::string text_of(const fs::path &file) {
  std::ostringstream text;
  text << std::ifstream(file, std::ios::binary).rdbuf();
  return text.str();
}

TEST(Simulator, AnswersWhatTheSimulatorDoes) {
  Simulator apart = simulator();
  const auto code = std::make_shared<const simt::DeviceCode>(ptx::parse(kernels));
  for (const int threads : {1, 3}) {
    SimulateOptions options;
    options.threads = threads;
    options.alone_until = 0;
    options.sample_lanes = true;
    options.trace.emplace();
    const auto here = simulate(plan_of("increment"), code, inputs(), options);
    const auto there = apart.simulate(plan_of("increment"), inputs(), options);
    ASSERT_EQ(there.end, End::completed) << there.message;
    EXPECT_EQ(there.buffers[0].as<const float>()[31], 2.0f);
    EXPECT_EQ(there.buffers[0].bytes, here.buffers[0].bytes);
    EXPECT_EQ(there.counters, here.counters);
    EXPECT_EQ(there.launch_flops, here.launch_flops);
    EXPECT_EQ(there.samples, here.samples);
    EXPECT_EQ(there.trace, here.trace);
  }
  EXPECT_GT(apart.seconds(), 0);
}

TEST(Simulator, OneProcessServesAllRuns) {
  Simulator apart = simulator();
  EXPECT_EQ(apart.process(), -1);
  apart.start_early();
  const pid_t first = apart.process();
  const auto runs = apart.simulate_in_turn(plan_of("increment"), {inputs(1), inputs(5), inputs(7)}, {});
  ASSERT_EQ(runs.size(), 3u);
  EXPECT_EQ(runs[2].buffers[0].as<const float>()[0], 8.0f);
  EXPECT_EQ(apart.process(), first);
}

TEST(Simulator, AccessesOmittedInOneRunAreIncludedInTheNext) {
  Simulator apart = simulator();
  const CodeChanges without{.disturb_shared_loads = false,
                            .left_out = ptx::memory_accesses(ptx::parse(kernels))};
  ASSERT_FALSE(without.left_out.empty());
  const auto changed = apart.simulate(plan_of("increment"), inputs(4), {}, without);
  ASSERT_EQ(changed.end, End::completed) << changed.message;
  EXPECT_EQ(changed.buffers[0].bytes, inputs(4)[0].bytes);
  EXPECT_EQ(apart.simulate(plan_of("increment"), inputs(4), {}).buffers[0].as<const float>()[0], 5.0f);
}

TEST(Simulator, FindingsComeWithTheirPlaces) {
  plan::LaunchPlan outside = plan_of("increment");
  std::get<plan::Launch>(outside.operations[0]).block = {33, 1, 1};
  Simulator apart = simulator();
  const auto run = apart.simulate(outside, inputs(), {});
  EXPECT_EQ(run.end, End::fault);
  ASSERT_FALSE(run.diagnostics.empty());
  EXPECT_EQ(run.diagnostics.back().code, simt::Code::out_of_bounds);
  EXPECT_EQ(run.diagnostics.back().here.thread.x, 32u);
  EXPECT_EQ(run.diagnostics.back().buffer, "A");
  EXPECT_TRUE(run.buffers.empty());
}

TEST(Simulator, ItsProcessHoldsNoFileNoEnvironmentAndAFilter) {
  Simulator apart = simulator();
  ASSERT_EQ(apart.simulate(plan_of("increment"), inputs(), {}).end, End::completed);
  const fs::path process = fs::path("/proc") / std::to_string(apart.process());
  EXPECT_THAT(text_of(process / "status"), HasSubstr("Seccomp:\t2"));
  EXPECT_THAT(text_of(process / "status"), HasSubstr("NoNewPrivs:\t1"));
  EXPECT_EQ(text_of(process / "environ"), "");
  for (const auto &open : fs::directory_iterator(process / "fd")) {
    const std::string target = fs::read_symlink(open.path()).string();
    const bool socket = open.path().filename() == "3";
    EXPECT_THAT(target, StartsWith(socket ? "socket:" : "/dev/null")) << open.path();
  }
}

TEST(Simulator, ACrashedProcessIsReplacedAndCostsNothing) {
  Simulator apart = simulator();
  ASSERT_EQ(apart.simulate(plan_of("increment"), inputs(), {}).end, End::completed);
  const pid_t first = apart.process();
  ::kill(first, SIGSEGV);
  EXPECT_EQ(apart.simulate(plan_of("increment"), inputs(), {}).end, End::completed);
  EXPECT_NE(apart.process(), first);
}

TEST(Simulator, AProcessThatCrashesTwiceIsOurFailureWithItsEnd) {
  Simulator broken("/usr/bin/false", device_code());
  const auto run = broken.simulate(plan_of("increment"), inputs(), {});
  EXPECT_EQ(run.end, End::our_failure);
  EXPECT_EQ(run.message, "the simulator's process failed twice: exit status 1");
  Simulator missing("/nonexistent/simulator", device_code());
  missing.start_early();
  EXPECT_THAT(missing.simulate(plan_of("increment"), inputs(), {}).message, HasSubstr("cannot be started"));
}

TEST(Simulator, RunsWhereFilesCannotBeExecuted) {
  const fs::path copy = fs::temp_directory_path() / ("warpgrade-simulator-" + std::to_string(::getpid()));
  fs::copy_file(WARPGRADE_SIMULATOR, copy, fs::copy_options::overwrite_existing);
  fs::permissions(copy, fs::perms::owner_read | fs::perms::owner_write);
  Simulator apart(copy, device_code());
  EXPECT_EQ(apart.simulate(plan_of("increment"), inputs(), {}).end, End::completed);
  fs::remove(copy);
}

TEST(Simulator, AnEndlessRunEndsAtTheWallClocksLimit) {
  const SimulatorLimits limits{.memory_bytes = std::uint64_t{1} << 30, .wall_seconds = 3};
  SimulateOptions unlimited;
  unlimited.warp_instructions = std::uint64_t{1} << 60;
  std::unique_ptr<Simulator> apart;
  run::Run run;
  // A machine that gives the simulation less than half of its time says so, and blames no step.
  for (int tries = 0; tries == 0 || (tries < 10 && run.end == End::our_failure); ++tries) {
    apart = std::make_unique<Simulator>(WARPGRADE_SIMULATOR, device_code(), limits);
    run = apart->simulate(plan_of("endless"), inputs(), unlimited);
  }
  EXPECT_EQ(run.end, End::time_limit);
  EXPECT_EQ(run.message,
            "the simulation was stopped after 3 s, which is all the time that the step had left");
  EXPECT_TRUE(run.by_clock);
  EXPECT_EQ(apart->process(), -1);
  EXPECT_EQ(apart->simulate(plan_of("increment"), inputs(), {}).end, End::time_limit) << "it is the sum";
  SimulateOptions few;
  few.warp_instructions = 1000;
  const auto counted = simulator().simulate(plan_of("endless"), inputs(), few);
  EXPECT_EQ(counted.end, End::time_limit);
  EXPECT_FALSE(counted.by_clock);
}

TEST(Simulator, TellsTheTimeOnTheClockFromThatOfAProcessor) {
  Simulator apart = simulator();
  EXPECT_EQ(apart.processor_seconds(), 0) << "no process yet";
  ASSERT_EQ(apart.simulate(plan_of("increment"), inputs(), {}).end, End::completed);
  const double before = apart.seconds() - apart.processor_seconds();
  const pid_t process = apart.process();
  std::thread pause([process] {
    ::kill(process, SIGSTOP);
    std::this_thread::sleep_for(std::chrono::milliseconds(1500));
    ::kill(process, SIGCONT);
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(100));  // the run begins while the process is stopped
  apart.simulate(plan_of("increment"), inputs(), {});
  pause.join();
  EXPECT_EQ(apart.process(), process) << "it was started anew";
  EXPECT_GT(apart.seconds() - apart.processor_seconds(), before + 1);
}

TEST(Simulator, MemoryBeyondTheLimitIsADeviceErrorInWords) {
  plan::LaunchPlan greedy = plan_of("increment");
  constexpr std::uint64_t scratch = std::uint64_t{512} << 20;
  greedy.buffers.push_back({plan::Owner::student, "scratch 1", scratch});
  for (int again = 0; again < 64; ++again)
    greedy.operations.insert(greedy.operations.begin(), plan::SetMemory{{1, 0}, 1, scratch, 1, 0});
  greedy.operations.insert(greedy.operations.begin(), plan::Allocate{1});
  Simulator apart = simulator({.memory_bytes = std::uint64_t{128} << 20, .wall_seconds = 600});
  const auto run = apart.simulate(greedy, inputs(), {});
  EXPECT_EQ(run.end, End::device_error);
  EXPECT_THAT(run.message, StartsWith("the simulation takes more than 128 MiB of memory"));
  EXPECT_EQ(apart.process(), -1);
}

/// Device 0 holds A, device 1 holds B and copies A there; then device 1 increments B, and device 0 does it once more.
plan::LaunchPlan plan_on_two_devices() {
  plan::LaunchPlan plan = plan_of("increment");
  plan::Launch launch = std::get<plan::Launch>(plan.operations[0]);
  launch.pointers = {{0, {1, 0}}};
  plan.buffers = {{plan::Owner::judge, "A", 128, 0}, {plan::Owner::judge, "B", 128, 1}};
  plan.streams = {{0, true}, {1, true}};
  plan.events = 1;
  plan.operations = {plan::PeerAccess{0, 1, true},
                     plan::UseStream{1},
                     plan::CopyWithin{{1, 0}, {0, 0}, 128, 1, 128, 128},
                     launch,
                     plan::RecordEvent{0},
                     plan::UseStream{0},
                     plan::WaitForEvent{0},
                     launch};
  return plan;
}

TEST(Simulator, SaysWhatOperationsOnSeveralDevicesMoveAndWhatTheyFollow) {
  Simulator apart = simulator();
  std::vector<HostBuffer> both = inputs();
  both.push_back(both.front());
  both.back().name = "B";
  SimulateOptions options;
  const run::Run run = apart.simulate(plan_on_two_devices(), both, options);
  ASSERT_EQ(run.end, End::completed) << run.message;
  EXPECT_TRUE(run.unordered.empty());
  ASSERT_EQ(run.moved.size(), 3u);
  const links::Operation &copy = run.moved[0].moves, &here = run.moved[1].moves, &there = run.moved[2].moves;
  EXPECT_EQ(run.moved[0].operation, 2u);
  EXPECT_EQ(copy.device, 1);
  EXPECT_FALSE(copy.kernel);
  EXPECT_EQ(copy.transfers, (std::vector<links::Transfer>{{0, 1, 128, 1, {}}}));
  EXPECT_TRUE(here.kernel);
  EXPECT_TRUE(here.transfers.empty()) << "in the memory of its own device";
  EXPECT_EQ(here.after, std::vector<std::size_t>{0});
  EXPECT_EQ(there.device, 0);
  ASSERT_EQ(there.transfers.size(), 2u) << "loads and stores: 32 threads of 4 bytes";
  for (const links::Transfer &t : there.transfers) EXPECT_EQ(t.bytes, 128u);
  EXPECT_EQ(there.after, std::vector<std::size_t>{1}) << "the event orders them";

  options.count = false;
  EXPECT_TRUE(apart.simulate(plan_on_two_devices(), both, options).moved.empty());
}

// The process's answer may come from an attacker who has taken it over.
TEST(SimulatorAnswer, IsRefusedWhenItSaysMoreThanARunMay) {
  const auto decoded = [](const run::Run &run, const SimulateOptions &options) {
    return decode_simulator_answer(encode({run}, {inputs()}, options), {inputs()}, options);
  };
  SimulateOptions uncounted;
  uncounted.count = false;
  uncounted.printed_bytes = 4;
  run::Run good;
  good.end = End::completed;
  good.buffers = inputs(2);
  EXPECT_EQ(decoded(good, uncounted).front().buffers[0].bytes, good.buffers[0].bytes);

  run::Run bad = good;
  bad.end = End::our_failure;
  EXPECT_THROW(decoded(bad, uncounted), BadAnswer) << "a failure of ours is for us to find";
  bad = good;
  bad.printed = "12345";
  EXPECT_THROW(decoded(bad, uncounted), BadAnswer);
  bad = good;
  bad.counters.emplace();
  EXPECT_THROW(decoded(bad, uncounted), BadAnswer);
  bad = good;
  bad.buffers.clear();
  EXPECT_THROW(decoded(bad, uncounted), BadAnswer);
  bad = good;
  bad.buffers[0].bytes.resize(64);
  EXPECT_THROW(decoded(bad, uncounted), BadAnswer);
  bad = good;
  bad.samples.emplace_back();
  EXPECT_THROW(decoded(bad, uncounted), BadAnswer) << "nobody asked";
  bad = good;
  bad.end = End::fault;
  EXPECT_THROW(decoded(bad, uncounted), BadAnswer) << "with buffers";
  SimulateOptions sampled = uncounted;
  sampled.sample_lanes = true;
  bad = good;
  bad.samples.emplace_back().offsets[3] = std::int64_t{1} << 60;
  EXPECT_THROW(decoded(bad, sampled), BadAnswer);
  SimulateOptions counted = uncounted;
  counted.count = true;
  const auto moving = [&](const links::Operation &moves) {
    run::Run run = good;
    run.counters.emplace();
    run.moved.push_back({0, moves});
    return run;
  };
  links::Operation moves;
  moves.transfers = {{0, 1, 4, 1, {}}};
  EXPECT_EQ(decoded(moving(moves), counted).front().moved.size(), 1u);
  EXPECT_THROW(decoded(moving(moves), uncounted), BadAnswer) << "nothing was to be counted";
  moves.after = {0};
  EXPECT_THROW(decoded(moving(moves), counted), BadAnswer) << "it follows itself";
  moves.after = {};
  moves.transfers[0].to = 99;
  EXPECT_THROW(decoded(moving(moves), counted), BadAnswer) << "no such device";
  bad = good;
  bad.end = End::fault;
  bad.buffers.clear();
  bad.diagnostics.emplace_back().message = std::string(100'000, 'x');
  EXPECT_EQ(decoded(bad, uncounted).front().diagnostics[0].message.size(), 4096u) << "cut";
}

TEST(SimulatorAnswer, DamagedInAnyWayItIsReadOrRefused) {
  Simulator apart = simulator();
  SimulateOptions options;
  options.sample_lanes = true;
  const auto run = apart.simulate(plan_of("increment"), inputs(), options);
  const std::vector<std::byte> whole = encode({run}, {inputs()}, options);
  const auto read = [&](std::span<const std::byte> bytes) {
    try {
      const auto runs = decode_simulator_answer(bytes, {inputs()}, options);
      EXPECT_EQ(runs.size(), 1u);
    } catch (const BadAnswer &) {
    }
  };
  for (std::size_t size = 0; size < whole.size(); ++size) {
    EXPECT_THROW(decode_simulator_answer(std::span(whole).first(size), {inputs()}, options), BadAnswer);
  }
  constexpr unsigned seed = 17;
  SCOPED_TRACE(seed);
  std::mt19937 random(seed);
  for (int round = 0; round < 5000; ++round) {
    std::vector<std::byte> bytes = whole;
    for (int change = 0; change < 3; ++change)
      bytes[random() % bytes.size()] = static_cast<std::byte>(random() % 4 == 0 ? '[' : random() % 256);
    read(bytes);
  }
  std::string deep = "{\"diagnostics\":" + std::string(1000, '[') + std::string(1000, ']') + "}";
  Writer to;
  to.put<std::uint64_t>(1);
  to.put_string(deep);
  to.put<std::uint64_t>(0);
  EXPECT_THROW(decode_simulator_answer(to.bytes(), {inputs()}, options), BadAnswer);
}

}  // namespace
}  // namespace warpgrade::run
