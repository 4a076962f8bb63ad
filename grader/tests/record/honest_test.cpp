// What honest launchers (launchers/honest.cu) record.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstring>
#include <fstream>

#include "studio.hpp"

namespace warpgrade::record {
namespace {

using Outcome = Recording::Outcome;

class Honest : public testing::Test {
 protected:
  const tests::Studio studio{"honest.cu"};
  std::string operations(int M) {
    recording = studio.record(M);
    EXPECT_EQ(recording.outcome, Outcome::plan) << recording.message;
    return studio.operations(recording);
  }
  Recording recording;
};

TEST_F(Honest, TemplatesPointersInsideBuffersAndBeforeThem) {
  EXPECT_EQ(operations(1),
            "launch tiled<32>(float const*, float*, int) <<<(4, 4, 1), (16, 2, 1)>>> with A, C, 7\n"
            "launch tiled<64>(float const*, float*, int) <<<(1, 1, 1), (64, 1, 1)>>> with B + 12 bytes, C - "
            "4 bytes, 1\n");
}

TEST_F(Honest, AnonymousNamespaces) {
  EXPECT_EQ(operations(2),
            "launch (anonymous namespace)::hidden(float*, double, char) <<<(1, 1, 1), (1, 1, 1)>>> with C, "
            "0.5, 119\n");  // 'w'
}

TEST_F(Honest, DynamicSharedMemoryBeyond48KiB) {
  EXPECT_EQ(operations(3),
            "allow dynamic(float*) at most 100000 bytes of dynamic shared memory\n"
            "launch dynamic(float*) <<<(1, 1, 1), (32, 1, 1), 100000 bytes shared>>> with C\n");
}

TEST_F(Honest, ConstantsAndDeviceVariables) {
  EXPECT_EQ(operations(4),
            "copy 16 bytes from the host to coefficients\n"
            "set 56 bytes at table + 8 bytes to 0x00\n"  // 16 floats but the first two
            "launch uses_constants(float*) <<<(1, 1, 1), (1, 1, 1)>>> with C\n");
  const auto &copy = std::get<plan::CopyIn>(recording.plan.operations.at(0));
  const float values[4] = {1, 2, 3, 4};
  EXPECT_EQ(0, std::memcmp(copy.bytes.data(), values, sizeof values));
}

TEST_F(Honest, StructsByValueWithPointersInside) {
  EXPECT_EQ(operations(5),
            "launch by_value(Matrix, Matrix, int) <<<(1, 1, 1), (1, 1, 1)>>> with {24 bytes: A + 4 bytes}, "
            "{24 bytes: C}, 2\n");
  // int rows, columns; float *data; char tag: the pointers are at 8 and 24 + 8.
  const auto &launch = std::get<plan::Launch>(recording.plan.operations.at(0));
  EXPECT_EQ(launch.pointers, (std::vector<plan::PointerArgument>{{8, {0, 4}}, {32, {2, 0}}}));
}

TEST_F(Honest, ScratchMemoryFillsAndCopies) {
  EXPECT_EQ(operations(6),
            "allocate scratch 1, 64 bytes\n"
            "allocate scratch 2, 1536 bytes\n"  // 3 rows, 512 bytes apart
            "set 64 bytes at scratch 1 to 0xff\n"
            "set 12 bytes in each of 3 rows, 512 bytes apart at scratch 2 to 0x01\n"
            "copy 16 bytes from the host to scratch 1\n"
            "copy 16 bytes from scratch 1 to scratch 1 + 16 bytes\n"
            "copy 4 bytes from A to scratch 2\n"
            "free scratch 1\n"
            "free scratch 2\n");
}

TEST_F(Honest, StreamsEventsQuestionsAndTheCallByAddress) {
  // 108 multiprocessors and 1024 threads are the request's device, where nothing but the threads limits the
  // kernel.
  EXPECT_EQ(operations(7),
            "launch tiled<32>(float const*, float*, int) <<<(108, 1, 1), (1024, 1, 1)>>> with A, C, 3\n");
  EXPECT_EQ(recording.printed, "Warpgrade simulator 108 0 ms no error\n");
}

TEST_F(Honest, ALaunchThatFailsIsInThePlanEvenWhenTheStudentExitsBecauseOfIt) {
  EXPECT_EQ(operations(8),
            "launch tiled<32>(float const*, float*, int) <<<(0, 1, 1), (32, 1, 1)>>> with A, C, 1\n");
  EXPECT_EQ(recording.printed, recording.printed.starts_with("CUDA 12")
                                   ? "CUDA 12: cudaErrorInvalidConfiguration, then cudaSuccess\n"
                                   : "CUDA 13: cudaErrorInvalidValue, then cudaSuccess\n");
}

TEST_F(Honest, MistakesGetTheErrorCodesOfHardware) {
  // As tests/cudart/errors_test.cpp, whose codes were printed on a GPU.
  EXPECT_EQ(operations(20), "");
  const std::string codes = "400 0 400 1 1 21 1 1 ";
  EXPECT_EQ(recording.printed,
            codes + (recording.printed.ends_with("CUDA 12\n") ? "98 CUDA 12\n" : "400 CUDA 13\n"));
}

TEST_F(Honest, AfterAFailedLaunchTheRestIsInThePlanToo) {
  EXPECT_EQ(operations(9),
            "launch tiled<32>(float const*, float*, int) <<<(1, 1, 1), (1025, 1, 1)>>> with A, C, 1\n"
            "launch tiled<32>(float const*, float*, int) <<<(1, 1, 1), (32, 1, 1)>>> with A, C, 1\n");
}

TEST_F(Honest, AStubRecordsAnEmptyPlan) {
  EXPECT_EQ(operations(10), "");
  EXPECT_FALSE(plan::launches_anything(recording.plan));
}

TEST_F(Honest, ExtensibleLaunchesAndAsynchronousAllocation) {
  EXPECT_EQ(operations(11),
            "allocate scratch 1, 128 bytes\n"
            "launch tiled<32>(float const*, float*, int) <<<(2, 1, 1), (32, 1, 1)>>> with A, scratch 1, 5\n"
            "copy 4 bytes from scratch 1 to C\n"
            "free scratch 1\n");
}

TEST_F(Honest, PinnedHostMemoryIsMemory) {
  EXPECT_EQ(operations(12), "copy 4 bytes from the host to C\n");
  float value = 0;
  std::memcpy(&value, std::get<plan::CopyIn>(recording.plan.operations.at(0)).bytes.data(), 4);
  EXPECT_EQ(value, 2.0f);  // alpha + beta = 1.5 + 0.5
}

TEST_F(Honest, AWorkerPerCallIsQuickEnoughForManyCases) {
  for (int i = 0; i < 50; ++i) EXPECT_EQ(studio.record(1).outcome, Outcome::plan);
}

TEST(HonestFile, NothingThatAStudentDefinesReachesBeyondTheFile) {
  const tests::Studio studio("own_main.cu");
  const Recording recording = studio.record(1);
  EXPECT_EQ(recording.outcome, Outcome::plan) << recording.message;
  EXPECT_EQ(studio.operations(recording), "launch kernel(float*) <<<(1, 1, 1), (1, 1, 1)>>> with C\n");
  EXPECT_EQ(recording.printed, "");
}

TEST(HonestFile, AStrictUmaskChangesNothing) {
  const mode_t before = ::umask(077);
  const tests::Workshop workshop({}, std::nullopt);
  const build::Build build = workshop.text("__global__ void k() {}\n" + tests::launcher("k<<<1, 1>>>();"));
  const Recorder recorder(workshop.sandbox, build, {}, WARPGRADE_RECORD_SERVER);
  plan::CallRequest request;
  request.parameters =
      "int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C";
  request.integers = {1, 1, 1};
  request.reals = {1, 0};
  for (const char *name : {"A", "B", "C"}) request.buffers.push_back({plan::Owner::judge, name, 4});
  EXPECT_EQ(recorder.record(request).outcome, Outcome::plan);
  ::umask(before);
}

// More of each kind than there are registers for it, so that the rest goes on the stack.
TEST(HonestFile, ALauncherWithParametersOfEveryKindGetsEachInItsPlace) {
  const std::string parameters =
      "char i0, short i1, int i2, unsigned i3, long long i4, unsigned char i5, float r0, double r1, float "
      "r2, "
      "float r3, float r4, const unsigned char *x, double r5, float r6, int64_t i6, double r7, float r8, "
      "float *y";
  const tests::Workshop workshop;
  const std::filesystem::path file = workshop.scratch() / "many.cu";
  std::ofstream(file)
      << "#include <cuda_runtime.h>\n#include <cstdint>\n"
         "__global__ void k(double integers, double reals, const unsigned char *x, float *y) {}\n"
         "void step0(" +
             parameters +
             ") {\n"
             "  k<<<1, 1>>>(i0 + 10. * i1 + 100. * i2 + 1e3 * i3 + 1e4 * i4 + 1e5 * i5 + 1e6 * i6,\n"
             "              r0 + 10. * r1 + 100. * r2 + 1e3 * r3 + 1e4 * r4 + 1e5 * r5 + 1e6 * r6 +\n"
             "              1e7 * r7 + 1e8 * r8, x, y);\n}\n";
  build::Request source = workshop.request(file);
  source.parameters = parameters;
  const build::Build build = workshop.front_end.build(source);
  ASSERT_TRUE(build.ok) << build.message << build.log;
  const Recorder recorder(workshop.sandbox, build, {}, WARPGRADE_RECORD_SERVER);
  plan::CallRequest request;
  request.parameters = parameters;
  request.integers = {-1, 2, -3, 4, -5, 6, -7};
  request.reals = {1, 2, 3, 4, 5, 6, 7, 8, 9};
  request.buffers = {{plan::Owner::judge, "y", 4}, {plan::Owner::judge, "x", 1}};  // found by name
  const Recording recording = recorder.record(request);
  ASSERT_EQ(recording.outcome, Outcome::plan) << recording.message;
  const auto &launch = std::get<plan::Launch>(recording.plan.operations.at(0));
  double integers = 0, reals = 0;
  std::memcpy(&integers, launch.arguments.data(), sizeof(double));
  std::memcpy(&reals, launch.arguments.data() + 8, sizeof(double));
  EXPECT_EQ(integers, -1 + 20 - 300 + 4e3 - 5e4 + 6e5 - 7e6);
  EXPECT_EQ(reals, 987654321);
  ASSERT_EQ(launch.pointers.size(), 2U);
  EXPECT_EQ(launch.pointers[0].to, (plan::Place{1, 0}));
  EXPECT_EQ(launch.pointers[1].to, (plan::Place{0, 0}));
}

TEST(HonestFile, RecordsTheSameWithoutBubblewrap) {
  const tests::Studio with("honest.cu"), without("honest.cu", {}, sandbox::Sandbox::none());
  for (const int M : {1, 3, 4, 6}) EXPECT_EQ(with.record(M).plan, without.record(M).plan) << M;
}

TEST_F(Honest, ADifferentSecondCallIsKeptWithItsDifference) {
  operations(13);
  ASSERT_TRUE(recording.again);
  EXPECT_EQ(recording.again->first_call, 3u);              // allocate, set, launch
  EXPECT_EQ(recording.again->both.operations.size(), 4u);  // and launch
  EXPECT_EQ(recording.again->difference,
            "the first call does, and the second does not: allocate scratch 1, 64 bytes");
  operations(14);
  ASSERT_TRUE(recording.again);
  EXPECT_EQ(recording.again->difference.substr(0, 58),
            "the first call does, and the second does not: launch tiled");
  EXPECT_GT(studio.recorder.line_of(recording.again->callers), 0);
}

TEST_F(Honest, MemoryThatBothCallsAllocateIsNoDifference) {
  for (const int M : {1, 2, 3, 4, 5, 6, 11, 12, 15}) {
    operations(M);
    EXPECT_FALSE(recording.again) << M << ": " << recording.again->difference;
  }
}

TEST_F(Honest, ACrashOfTheSecondCallIsReportedAsSuch) {
  recording = studio.record(16);
  EXPECT_EQ(recording.outcome, Outcome::crashed);
  EXPECT_EQ(recording.message,
            "when it is called a second time in the same program: the host code of this step crashed with "
            "SIGSEGV (a null pointer is read or written)");
}

}  // namespace
}  // namespace warpgrade::record
