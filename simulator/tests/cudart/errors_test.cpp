// Error codes: what programs/errors.cu printed on an NVIDIA H200 (CUDA 13.0, driver 580) and must print here;
// and the names of all codes.
#include <dlfcn.h>

#include <fstream>
#include <regex>
#include <set>
#include <sstream>

#include "runtime/error_names.hpp"
#include "tests/cudart/simt_run.hpp"

namespace warpgrade::tests {
namespace {

std::string printed_by(const std::string &name, const std::string &options = "") {
  const Ran ran = simt_run(options, "errors " + name);
  EXPECT_EQ(ran.status, 1) << ran.err;
  return ran.out;
}

/// A fault is unknown until the program waits; from then on every call returns it, but cudaGetLastError once.
std::string fault(int code, const std::string &name) {
  const std::string error = ": " + std::to_string(code) + " " + name + "\n";
  std::string all = "after the launch: 0 cudaSuccess\n";
  for (const char *call :
       {"cudaDeviceSynchronize", "cudaPeekAtLastError", "cudaGetLastError", "cudaGetLastError again",
        "cudaDeviceSynchronize again", "cudaMalloc", "cudaStreamCreate", "cudaEventCreate", "another launch"})
    all += call + (std::string_view(call) == "cudaGetLastError again" ? ": 0 cudaSuccess\n" : error);
  return all;
}

TEST(ErrorCodes, OfAKernelThatFailsStayForEver) {
  EXPECT_EQ(printed_by("illegal_address"), fault(700, "cudaErrorIllegalAddress"));
  EXPECT_EQ(printed_by("misaligned"), fault(716, "cudaErrorMisalignedAddress"));
  EXPECT_EQ(printed_by("assertion"), fault(710, "cudaErrorAssert"));
  EXPECT_EQ(printed_by("trap"), fault(719, "cudaErrorLaunchFailure"));
  EXPECT_EQ(printed_by("time_limit", "--limit 10000"), fault(702, "cudaErrorLaunchTimeout"));
}

TEST(ErrorCodes, OfAKernelAreReturnedByTheCopyThatWaitsForIt) {
  EXPECT_EQ(printed_by("by_the_copy"),
            "cudaMemcpy: 700 cudaErrorIllegalAddress\ncudaFree: 700 cudaErrorIllegalAddress\n");
}

// As CUDA documents them; not compared with a GPU.
TEST(ErrorCodes, OfImpossibleClustersAreReportedOnce) {
  EXPECT_EQ(printed_by("clusters"),
            "clusters of 2: 0 cudaSuccess\n"
            "a grid of 5 blocks: 912 cudaErrorInvalidClusterSize\n"
            "asked for: 912 cudaErrorInvalidClusterSize\n"
            "clusters of 16: 912 cudaErrorInvalidClusterSize\n"
            "allowed: 0 cudaSuccess\n"
            "clusters of 16 then: 0 cudaSuccess\n"
            "the device goes on: 0 cudaSuccess\n");
}

TEST(ErrorCodes, OfAnImpossibleLaunchAreReportedOnce) {
  EXPECT_EQ(printed_by("launches"),
            "a block of 2048: 1 cudaErrorInvalidValue\n"
            "asked again: 0 cudaSuccess\n"
            "a block of 32 x 64: 1 cudaErrorInvalidValue\n"
            "a block 65 deep: 1 cudaErrorInvalidValue\n"
            "a block of none: 1 cudaErrorInvalidValue\n"
            "a grid of none: 1 cudaErrorInvalidValue\n"
            "a grid 65536 high: 1 cudaErrorInvalidValue\n"
            "49152 bytes of shared memory: 0 cudaSuccess\n"
            "49156 bytes of shared memory: 1 cudaErrorInvalidValue\n"
            "more threads than __launch_bounds__: 1 cudaErrorInvalidValue\n"
            "raise the limit too far: 1 cudaErrorInvalidValue\n"
            "raise the limit: 0 cudaSuccess\n"
            "98304 bytes then: 0 cudaSuccess\n"
            "98308 bytes then: 1 cudaErrorInvalidValue\n"
            "a launch of something that is not a kernel: 400 cudaErrorInvalidResourceHandle\n"
            "the device goes on: 0 cudaSuccess\n");
}

TEST(ErrorCodes, OfTheHostsMistakesAreThoseOfTheRuntime) {
  EXPECT_EQ(printed_by("memory"),
            "2^50 bytes: 2 cudaErrorMemoryAllocation\n"
            "peek: 2 cudaErrorMemoryAllocation\n"
            "last: 2 cudaErrorMemoryAllocation\n"
            "last again: 0 cudaSuccess\n"
            "no bytes: 0 cudaSuccess\n"
            "no place for the answer: 1 cudaErrorInvalidValue\n"
            "managed, no bytes: 0 cudaSuccess\n"
            "past the end: 1 cudaErrorInvalidValue\n"
            "kind 77: 21 cudaErrorInvalidMemcpyDirection\n"
            "host to device, to the host: 1 cudaErrorInvalidValue\n"
            "device to host, to the device: 1 cudaErrorInvalidValue\n"
            "fill host memory: 1 cudaErrorInvalidValue\n"
            "a pitch below the width: 12 cudaErrorInvalidPitchValue\n"
            "no symbol: 13 cudaErrorInvalidSymbol\n"
            "past the end of a symbol: 1 cudaErrorInvalidValue\n"
            "a symbol, wrong direction: 21 cudaErrorInvalidMemcpyDirection\n"
            "free the host's: 1 cudaErrorInvalidValue\n"
            "free the middle: 1 cudaErrorInvalidValue\n"
            "free: 0 cudaSuccess\n"
            "free again: 1 cudaErrorInvalidValue\n"
            "free nothing: 0 cudaSuccess\n"
            "free pinned memory as the device's: 1 cudaErrorInvalidValue\n"
            "free pinned memory: 0 cudaSuccess\n"
            "unregister what was not: 713 cudaErrorHostMemoryNotRegistered\n"
            "a device that does not exist: 101 cudaErrorInvalidDevice\n"
            "time without records: 400 cudaErrorInvalidResourceHandle\n"
            "attributes of something that is not a kernel: 400 cudaErrorInvalidResourceHandle\n"
            "an unknown attribute: 1 cudaErrorInvalidValue\n"
            "the device goes on: 0 cudaSuccess\n");
}

TEST(ErrorCodes, OfOddQueriesAreThoseOfTheRuntime) {
  EXPECT_EQ(printed_by("questions"),
            "ask for limit 77: 1 cudaErrorInvalidValue\n"
            "set limit 77: 1 cudaErrorInvalidValue\n"
            "kind 77, no bytes: 0 cudaSuccess\n"
            "fill with a pitch below the width: 1 cudaErrorInvalidValue\n"
            "too many registers: 701 cudaErrorLaunchOutOfResources\n"
            "no arguments: 1 cudaErrorInvalidValue\n"
            "an attribute of a stream: 0 cudaSuccess\n"
            "the handle of something that is not a kernel: 98 cudaErrorInvalidDeviceFunction\n"
            "occupancy of empty blocks: 1 cudaErrorInvalidValue\n"
            "occupancy of something that is not a kernel: 400 cudaErrorInvalidResourceHandle\n"
            "memory of 99 blocks: 1 cudaErrorInvalidValue\n"
            "rows without a pitch: 1 cudaErrorInvalidValue\n"
            "flags of the stack: 1 cudaErrorInvalidValue\n"
            "flags for nobody: 1 cudaErrorInvalidValue\n"
            "the device goes on: 0 cudaSuccess\n");
}

TEST(ErrorNames, AreThoseOfTheToolkitsRuntime) {
  void *const library = ::dlopen(WARPGRADE_TOOLKIT_CUDART, RTLD_NOW | RTLD_LOCAL);
  ASSERT_NE(library, nullptr) << ::dlerror();
  using Question = const char *(*)(int);
  const auto name = reinterpret_cast<Question>(::dlsym(library, "cudaGetErrorName"));
  const auto text = reinterpret_cast<Question>(::dlsym(library, "cudaGetErrorString"));
  ASSERT_TRUE(name && text);
  for (int code = 0; code <= 10001; ++code) {
    const cuda::ErrorName *known = cuda::find_error(code);
    // A toolkit of another version may lack a code; the ones that it has are the same.
    if (std::string(name(code)) == cuda::unrecognized_error) continue;
    ASSERT_NE(known, nullptr) << name(code);
    EXPECT_STREQ(known->name, name(code));
    EXPECT_STREQ(known->text, text(code));
  }
  ::dlclose(library);
}

std::set<std::string> exports_of(const std::string &library) {
  std::set<std::string> names;
  std::istringstream lines(shell("nm -D --defined-only --without-symbol-versions " + library).out);
  for (std::string address, type, name; lines >> address >> type >> name;)
    if (type != "A") names.insert(name);
  return names;
}

TEST(Exports, HoldEveryCallOfTheToolkitsRuntimeSoThatTheLoaderNeverFails) {
  const auto ours = exports_of(WARPGRADE_CUDART), theirs = exports_of(WARPGRADE_TOOLKIT_CUDART);
  EXPECT_GT(theirs.size(), 300u);
  for (const std::string &name : theirs) EXPECT_TRUE(ours.count(name)) << name;
}

TEST(Exports, AreTheCallsOfTheList) {
  std::set<std::string> listed;
  std::ifstream list(WARPGRADE_CALLS);
  const std::regex row(R"(CALL\((\w+), (\w+), \w+, \w+, \w+\))");
  std::smatch found;
  for (std::string line; std::getline(list, line);) {
    if (!std::regex_match(line, found, row)) continue;
    EXPECT_TRUE(listed.insert(found[1]).second) << found[1] << " has two rows";
    if (found[2] != "none") listed.insert(found[1].str() + "_" + found[2].str());
  }
  EXPECT_GT(listed.size(), 400u);
  const std::string services =
      "cudaWarpgradeServices";  // for libraries of the simulator's own, such as NCCL's
  for (const std::string &name : exports_of(WARPGRADE_CUDART))
    EXPECT_TRUE(!name.starts_with("cuda") || listed.erase(name) == 1 || name == services)
        << name << " is not in runtime/calls.inc";
  for (const std::string &name : listed)
    ADD_FAILURE() << name << " is in runtime/calls.inc, but is not defined";
}

TEST(Exports, HoldEveryCallOfTheDriverThatTheToolkitKnows) {
  const auto ours = exports_of(WARPGRADE_CUDART), theirs = exports_of(WARPGRADE_TOOLKIT_DRIVER);
  EXPECT_GT(theirs.size(), 300u);
  for (const std::string &name : theirs) EXPECT_TRUE(ours.count(name)) << name;
}

TEST(Exports, HoldNothingThatCouldClashWithTheProgram) {
  for (const std::string &name : exports_of(WARPGRADE_CUDART)) {
    const bool driver = name.starts_with("cu") && name[2] >= 'A' && name[2] <= 'Z';
    EXPECT_TRUE(driver || name.starts_with("cuda") || name.starts_with("__cuda")) << name;
  }
}

}  // namespace
}  // namespace warpgrade::tests
