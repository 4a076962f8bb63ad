// The worker library against the toolkit's header, and the recorder against a broken server.
#include <gtest/gtest.h>

#include <cstdio>
#include <map>
#include <regex>
#include <set>
#include <sstream>

#include "studio.hpp"
#include "tests/burners.hpp"

namespace warpgrade::record {
namespace {

std::string contents(const std::filesystem::path &path) {
  std::stringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

TEST(Runtime, DefinesEveryFunctionOfTheToolkitsHeader) {
  // Missing ones would be link errors for a student who calls them, where a refusal with its reason is
  // wanted.
  const std::string library = contents(WARPGRADE_WORKER_LIBRARY);
  std::string header = contents(WARPGRADE_CUDA_HEADER);
  ASSERT_FALSE(library.empty());
  header = std::regex_replace(header, std::regex(R"(//[^\n]*)"), "");
  for (std::size_t at; (at = header.find("/*")) != std::string::npos;)
    header.erase(at, header.find("*/", at) + 2 - at);
  std::set<std::string> names;
  const std::regex declared(R"(CUDARTAPI\s+(cuda\w+)\s*\()");
  const std::regex renamed(R"(__CUDART_API_PT(DS|SZ)\((cuda\w+)\))");
  for (std::sregex_iterator i(header.begin(), header.end(), declared), end; i != end; ++i)
    names.insert((*i)[1]);
  for (std::sregex_iterator i(header.begin(), header.end(), renamed), end; i != end; ++i) {
    names.insert(std::string((*i)[2]) + ((*i)[1] == "DS" ? "_ptds" : "_ptsz"));
  }
  EXPECT_GT(names.size(), 250u);
  for (const std::string &name : names) {
    EXPECT_NE(library.find('\0' + name + '\0'), std::string::npos) << name;  // in a symbol table
  }
}

TEST(Runtime, DefinesEveryCallOfTheListOnce) {
  std::map<std::string, int> defined;
  std::FILE *symbols = ::popen("nm -g --defined-only " WARPGRADE_WORKER_LIBRARY " 2>/dev/null", "r");
  ASSERT_NE(symbols, nullptr);
  std::string text;
  for (int c; (c = std::fgetc(symbols)) != EOF;) text += static_cast<char>(c);
  ASSERT_EQ(::pclose(symbols), 0);
  const std::regex symbol(R"([0-9a-f]+ T (\w+))"), row(R"(\nCALL\((\w+), (\w+), (\w+), (\w+), \w+\))");
  for (std::sregex_iterator i(text.begin(), text.end(), symbol), end; i != end; ++i) ++defined[(*i)[1]];
  const std::string list = contents(WARPGRADE_CALLS);
  int rows = 0;
  for (std::sregex_iterator i(list.begin(), list.end(), row), end; i != end; ++i, ++rows) {
    const std::string name = (*i)[1], suffix = (*i)[2];
    if (name == "cudaGetDeviceProperties_v2") continue;  // another name of cudaGetDeviceProperties in CUDA 12
    EXPECT_EQ(defined[name], 1) << name;
    EXPECT_TRUE(suffix == "none" || defined[name + "_" + suffix] == 1) << name;
    EXPECT_TRUE((*i)[4] != "refuses" || (*i)[3] != "none") << name << ": what is refused has a reason";
  }
  EXPECT_GT(rows, 350);
}

TEST(Runtime, HasBothLaunchRoutes) {
  const std::string library = contents(WARPGRADE_WORKER_LIBRARY);
  for (const char *name :
       {"__cudaRegisterFatBinary", "__cudaRegisterFatBinaryEnd", "__cudaUnregisterFatBinary",
        "__cudaRegisterFunction", "__cudaRegisterVar", "__cudaInitModule", "cudaLaunchKernel",
        "__cudaPushCallConfiguration", "__cudaPopCallConfiguration", "cudaLaunchKernel_ptsz"}) {
    EXPECT_NE(library.find('\0' + std::string(name) + '\0'), std::string::npos) << name;
  }
}

TEST(Recorder, ABusyMachineIsNoFaultOfALauncherThatComputesForAWhile) {
  Limits limits;
  limits.wall_seconds = 0.4;       // the launcher computes for 0.3
  const tests::OneProcessor here;  // the server and its workers inherit it
  const tests::Studio studio("computes.cu", limits);
  const tests::Burners others(4);  // few: this must hold on a machine that has other work too
  double longest = 0;
  for (int i = 0; i < 10 && longest <= limits.wall_seconds; ++i) {  // until the others have kept it waiting
    const Recording recording = studio.record(1);
    ASSERT_EQ(recording.outcome, Recording::Outcome::plan) << recording.message;
    ASSERT_LT(recording.charged_seconds, recording.seconds);
    longest = recording.seconds;
  }
  EXPECT_GT(longest, limits.wall_seconds);
}

TEST(Recorder, AServerThatDoesNotAnswerIsOurFailure) {
  const tests::Workshop workshop;
  const build::Build build = workshop.file(std::filesystem::path(WARPGRADE_LAUNCHERS) / "honest.cu");
  Limits limits;
  limits.wall_seconds = 0.1;
  const Recorder recorder(workshop.sandbox, build, limits, "/usr/bin/true");
  plan::CallRequest request;
  request.parameters =
      "int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C";
  request.integers = {1, 1, 1};
  request.reals = {1, 0};
  for (const char *name : {"A", "B", "C"}) request.buffers.push_back({plan::Owner::judge, name, 4});
  EXPECT_EQ(recorder.record(request).message, "the record server does not answer");
  EXPECT_EQ(recorder.record(request).outcome, Recording::Outcome::our_failure);
}

TEST(Recorder, AMissingWorkerIsAnImmediateError) {
  build::Build build;
  build.worker = "/nonexistent";
  EXPECT_THROW(Recorder(sandbox::Sandbox::none(), build, {}, WARPGRADE_RECORD_SERVER), sandbox::SandboxError);
}

TEST(Recorder, ACallWithoutAValueForEachParameterIsOurFailure) {
  const tests::Studio studio("honest.cu");
  plan::CallRequest request;
  request.parameters = "int n, float *x";
  request.integers = {1};
  request.buffers = {{plan::Owner::judge, "y", 4}};
  EXPECT_EQ(studio.recorder.record(request).outcome, Recording::Outcome::our_failure);
}

}  // namespace
}  // namespace warpgrade::record
