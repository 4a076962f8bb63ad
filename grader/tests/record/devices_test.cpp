// Launchers for two devices (launchers/devices.cu): from their calls through a plan to the simulator.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <map>

#include "plan/codec.hpp"
#include "plan/signature.hpp"
#include "simulate/simulate.hpp"
#include "studio.hpp"

namespace warpgrade::record {
namespace {

using Outcome = Recording::Outcome;
using testing::HasSubstr;

constexpr const char *parameters = "int mode, const float *const *A, float *const *B";

class Devices : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    workshop = new tests::Workshop({}, WARPGRADE_TEST_CACHE, sandbox::Sandbox::detect());
    build::Request source = workshop->request(std::filesystem::path(WARPGRADE_LAUNCHERS) / "devices.cu");
    source.parameters = parameters;
    built = new build::Build(workshop->front_end.build(source));
  }
  static void TearDownTestSuite() {
    delete built;
    delete workshop;
  }
  void SetUp() override { ASSERT_TRUE(built->ok) << built->message << built->log; }

  void record(int mode) {
    plan::CallRequest request;
    request.parameters = parameters;
    request.integers = {mode};
    request.devices = 2;
    for (const std::uint8_t device : {0, 1})
      for (const char *name : {"A", "B"})
        request.buffers.push_back({plan::Owner::judge, plan::name_on_device(name, device), 64, device});
    request.device = plan::simulated_device(80);
    recording = recorder.record(request);
  }
  /// The plan's operations after it has been to another process.
  std::string operations(int mode) {
    record(mode);
    EXPECT_EQ(recording.outcome, Outcome::plan) << recording.message;
    EXPECT_FALSE(recording.again) << recording.again->difference;
    Writer to;
    plan::encode(to, recording.plan);
    Reader from(to.bytes());
    EXPECT_EQ(plan::decode_plan(from), recording.plan);
    std::string all;
    for (const plan::Operation &operation : recording.plan.operations)
      all += plan::describe(operation, recording.plan, built->kernels) + "\n";
    return all;
  }
  /// B[0] and B[1], one behind the other. A[0] holds 0 to 15, A[1] ten times that.
  std::vector<float> result() {
    std::vector<float> a(16), b(16);
    for (std::size_t i = 0; i < a.size(); ++i) a[i] = static_cast<float>(i), b[i] = 10 * a[i];
    const std::vector<float> nothing(16, -1);
    std::vector<run::HostBuffer> inputs = {
        run::host_buffer("A[0]", run::Role::input, a), run::host_buffer("B[0]", run::Role::in_out, nothing),
        run::host_buffer("A[1]", run::Role::input, b), run::host_buffer("B[1]", run::Role::in_out, nothing)};
    run = run::simulate(recording.plan, std::make_shared<const simt::DeviceCode>(built->module), inputs, {});
    std::vector<float> all;
    if (run.end != run::End::completed) return all;
    for (const std::size_t buffer : {1, 3}) {
      const auto part = run.buffers.at(buffer).as<float>();
      all.insert(all.end(), part.begin(), part.end());
    }
    return all;
  }
  /// Of A[0]: first times as many in B[0], then in B[1].
  static std::vector<float> multiples(float first, float second) {
    std::vector<float> all;
    for (const float factor : {first, second})
      for (int i = 0; i < 16; ++i) all.push_back(factor * static_cast<float>(i));
    return all;
  }
  /// The number of the line of devices.cu that begins with this text, behind blanks.
  static int line_of(const std::string &text) {
    std::ifstream file(std::filesystem::path(WARPGRADE_LAUNCHERS) / "devices.cu");
    int number = 0;
    for (std::string line; std::getline(file, line);) {
      ++number;
      if (line.find(text) != std::string::npos) return number;
    }
    return 0;
  }

  static inline tests::Workshop *workshop = nullptr;
  static inline build::Build *built = nullptr;
  const Recorder recorder{workshop->sandbox, *built, {}, WARPGRADE_RECORD_SERVER};
  Recording recording;
  run::Run run;
};

TEST_F(Devices, AnEventOrdersKernelsOfTwoDevices) {
  EXPECT_EQ(operations(1),
            "give device 0 access to the memory of device 1\n"
            "give device 1 access to the memory of device 0\n"
            "what follows goes into the default stream of device 0\n"
            "launch scale(float const*, float*, float) <<<(1, 1, 1), (16, 1, 1)>>> with A[0], B[0], 2f\n"
            "record event 0\n"
            "what follows goes into the default stream of device 1\n"
            "wait for event 0\n"
            "launch scale(float const*, float*, float) <<<(1, 1, 1), (16, 1, 1)>>> with B[0], B[1], 3f\n");
  EXPECT_EQ(result(), multiples(2, 6)) << run.message;
  EXPECT_TRUE(run.diagnostics.empty()) << run.diagnostics.front().message;
}

TEST_F(Devices, WithoutTheEventTheTwoKernelsRaceAndBothLinesAreKnown) {
  operations(2);
  result();
  ASSERT_EQ(run.diagnostics.size(), 1u);
  EXPECT_EQ(run.diagnostics[0].code, simt::Code::race);
  EXPECT_THAT(run.diagnostics[0].message,
              HasSubstr("reads B[0] in the default stream of device 1, and scale writes "
                        "it in the default stream of device 0"));
  ASSERT_EQ(run.unordered.size(), 1u);
  EXPECT_EQ(recorder.line_of(recording.launched_at.at(run.unordered[0].earlier)), line_of("(A[0], B[0], 2)"));
  EXPECT_EQ(recorder.line_of(recording.launched_at.at(run.unordered[0].later)), line_of("(B[0], B[1], 3)"));
}

TEST_F(Devices, WithoutAccessAKernelMayNotReadTheMemoryOfTheOtherDevice) {
  operations(3);
  EXPECT_TRUE(result().empty());
  ASSERT_EQ(run.diagnostics.size(), 1u);
  EXPECT_EQ(run.diagnostics[0].code, simt::Code::peer_access);
}

TEST_F(Devices, CopiesAndKernelsKeepTheirStreamsAndMemoryItsDevice) {
  EXPECT_EQ(operations(4),
            "allocate scratch 1, 64 bytes\n"
            "the host waits for device 1\n"  // as CUDA says of cudaMalloc
            "what follows goes into stream 2 of device 0\n"
            "launch scale(float const*, float*, float) <<<(1, 1, 1), (16, 1, 1)>>> with A[0], B[0], 2f\n"
            "copy 64 bytes from B[0] to scratch 1\n"
            "record event 0\n"
            "what follows goes into stream 3 of device 1\n"
            "wait for event 0\n"
            "launch scale(float const*, float*, float) <<<(1, 1, 1), (16, 1, 1)>>> with scratch 1, B[1], 3f\n"
            "the host waits for stream 3 of device 1\n"
            "what follows goes into the default stream of device 1\n"
            "the host waits for device 1\n"
            "free scratch 1\n");
  EXPECT_EQ(recording.plan.buffers.at(4).device, 1);
  EXPECT_EQ(result(), multiples(2, 6)) << run.message;
  EXPECT_TRUE(run.diagnostics.empty()) << run.diagnostics.front().message;
}

TEST_F(Devices, ALaunchIntoAStreamOfAnotherDeviceIsRefusedWithItsCure) {
  record(5);
  EXPECT_EQ(recording.outcome, Outcome::bad_plan);
  EXPECT_THAT(recording.message,
              HasSubstr("its stream is one of device 0, and device 1 is the current one: call "
                        "cudaSetDevice(0) before it"));
  EXPECT_EQ(recorder.line_of(recording.callers), line_of("(A[1], B[1], 2)"));
}

TEST_F(Devices, ACopyThatNamesTheWrongDeviceIsRefused) {
  record(6);
  EXPECT_EQ(recording.outcome, Outcome::bad_plan);
  EXPECT_THAT(recording.message,
              HasSubstr("its destination is said to be on device 0, and B[1] is on device 1"));
}

TEST_F(Devices, AVariableOfTheDeviceCodeIsThereOnEachDevice) {
  operations(7);
  std::vector<float> want = multiples(2, 30);
  EXPECT_EQ(result(), want) << run.message;
  EXPECT_TRUE(run.diagnostics.empty()) << run.diagnostics.front().message;
}

/// What the run moved between the devices, by direction.
std::map<std::pair<int, int>, std::uint64_t> bytes_between_devices(const run::Run &run) {
  std::map<std::pair<int, int>, std::uint64_t> bytes;
  for (const run::Moved &one : run.moved)
    for (const links::Transfer &t : one.moves.transfers)
      if (t.from != links::host && t.to != links::host) bytes[{t.from, t.to}] += t.bytes;
  return bytes;
}

TEST_F(Devices, AVariableCountsAsMemoryOfTheDeviceWhoseItIs) {
  operations(14);
  result();
  ASSERT_EQ(run.end, run::End::completed) << run.message;
  // 32 floats are stored in the variable of device 1, and 16 loaded from it; device 0 loads as many from its own.
  EXPECT_EQ(bytes_between_devices(run),
            (std::map<std::pair<int, int>, std::uint64_t>{{{0, 1}, 32 * 4}, {{1, 0}, 16 * 4}}));
  operations(7);
  result();
  EXPECT_TRUE(bytes_between_devices(run).empty()) << "only that of device 1 is in the plan";
}

TEST_F(Devices, ACopyBetweenDevicesComesAfterAllThatBothWereGivenBefore) {
  operations(8);
  EXPECT_EQ(result(), multiples(6, 6)) << run.message;
  EXPECT_TRUE(run.diagnostics.empty()) << run.diagnostics.front().message;
}

TEST_F(Devices, AnEventThatWasNotRecordedOrdersNothingForTheHostEither) {
  operations(9);
  result();
  ASSERT_EQ(run.diagnostics.size(), 1u);
  EXPECT_EQ(run.diagnostics[0].code, simt::Code::race);
}

TEST_F(Devices, AFillOfMemoryWithoutAccessIsRefusedWithItsCure) {
  record(10);
  EXPECT_EQ(recording.outcome, Outcome::bad_plan);
  EXPECT_THAT(recording.message,
              HasSubstr("B[1] is on device 1, to which the device that fills it has no access: "
                        "call cudaSetDevice(1) before it"));
}

TEST_F(Devices, AFillDoesNotMakeTheHostWait) {
  operations(11);
  result();
  ASSERT_EQ(run.diagnostics.size(), 1u);
  EXPECT_THAT(run.diagnostics[0].message, HasSubstr("a memset writes it in the default stream of device 0"));
}

TEST_F(Devices, AnEventOfAnotherDeviceThanTheStreamIsRefused) {
  record(12);
  EXPECT_EQ(recording.outcome, Outcome::bad_plan);
  EXPECT_THAT(recording.message, HasSubstr("cudaErrorInvalidResourceHandle"));
  EXPECT_EQ(recorder.line_of(recording.callers), line_of("cudaEventRecord(other)"));
}

TEST_F(Devices, AFailedLaunchIsKnownAlsoIfTheLauncherEndsBecauseOfIt) {
  record(13);
  EXPECT_EQ(recording.outcome, Outcome::plan) << recording.message;
  EXPECT_TRUE(recording.refused);
}

}  // namespace
}  // namespace warpgrade::record
