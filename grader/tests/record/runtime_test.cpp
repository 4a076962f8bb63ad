// The worker library against the toolkit's header, and the recorder against a broken server.
#include <gtest/gtest.h>

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

TEST(Runtime, BothLaunchRoutesAreThere) {
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
  limits.wall_seconds = 0.5;
  const tests::OneProcessor here;  // the server and its workers inherit it
  const tests::Studio studio("computes.cu", limits);
  const tests::Burners others(15);
  const Recording recording = studio.record(1);
  EXPECT_EQ(recording.outcome, Recording::Outcome::plan) << recording.message;
  EXPECT_GT(recording.seconds, limits.wall_seconds);  // else the others did not keep it waiting
  EXPECT_LT(recording.charged_seconds, recording.seconds);
}

TEST(Recorder, AServerThatDoesNotAnswerIsOurFailure) {
  const tests::Workshop workshop;
  const build::Build build = workshop.file(std::filesystem::path(WARPGRADE_LAUNCHERS) / "honest.cu");
  Limits limits;
  limits.wall_seconds = 0.1;
  const Recorder recorder(workshop.sandbox, build, limits, "/usr/bin/true");
  plan::CallRequest request;
  request.problem = "sgemm";
  request.integers = {1, 1, 1};
  request.reals = {1, 0};
  request.buffers.resize(3);
  EXPECT_EQ(recorder.record(request).message, "the record server does not answer");
  EXPECT_EQ(recorder.record(request).outcome, Recording::Outcome::our_failure);
}

TEST(Recorder, AMissingWorkerIsAnErrorAtOnce) {
  build::Build build;
  build.worker = "/nonexistent";
  EXPECT_THROW(Recorder(sandbox::Sandbox::none(), build, {}, WARPGRADE_RECORD_SERVER), sandbox::SandboxError);
}

TEST(Recorder, AnUnknownProblemIsOurFailure) {
  const tests::Studio studio("honest.cu");
  plan::CallRequest request;
  request.problem = "unknown";
  EXPECT_EQ(studio.recorder.record(request).outcome, Recording::Outcome::our_failure);
}

}  // namespace
}  // namespace warpgrade::record
