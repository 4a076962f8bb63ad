// The sanitizer's run with a shell script in the place of compute-sanitizer.
#include "sanitize/sanitizer.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <sstream>

namespace warpgrade::sanitize {
namespace {

namespace fs = std::filesystem;

class FakeSanitizer : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("warpgrade-sanitizer-test-" + std::to_string(getpid()));
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }
  Log look(const std::string &body, double seconds = 20) {
    const fs::path script = folder_ / "compute-sanitizer";
    std::ofstream(script) << "#!/bin/sh\nprintf '%s\\n' \"$@\" > '" << (folder_ / "asked").string() << "'\n"
                          << body << "\n";
    ::chmod(script.c_str(), 0700);
    profile::ReplayRequest request;
    request.problem = "sgemm";
    request.bare = true;
    return Sanitizer(script, "/opt/grade").look(Tool::racecheck, request, seconds);
  }
  std::string why_not(const std::string &body, double seconds = 20) {
    try {
      look(body, seconds);
    } catch (const SanitizerError &e) {
      return e.what();
    }
    return "";
  }
  std::string asked() const {
    std::stringstream text;
    text << std::ifstream(folder_ / "asked").rdbuf();
    return text.str();
  }
  fs::path folder_;
};

TEST_F(FakeSanitizer, IsAskedForOneToolOnAReplayOfThePlan) {
  EXPECT_TRUE(look("echo '========= ERROR SUMMARY: 0 errors'").findings.empty());
  EXPECT_NE(asked().find("--tool\nracecheck\n"), std::string::npos) << asked();
  EXPECT_NE(asked().find("\n/opt/grade\nreplay-plan\n"), std::string::npos) << asked();
}

TEST_F(FakeSanitizer, WhoseProgramFailsWithoutAFindingHasNotLooked) {
  EXPECT_EQ(why_not("echo '========= Program hit CUDA_ERROR_OUT_OF_MEMORY (error 2) on CUDA API call to "
                    "cuMemAlloc_v2.'\n"
                    "echo '========= ERROR SUMMARY: 1 error'\nexit 3"),
            "racecheck could not run: Program hit CUDA_ERROR_OUT_OF_MEMORY (error 2) on CUDA API call to "
            "cuMemAlloc_v2.");
}

TEST_F(FakeSanitizer, FindsSomethingThoughTheProgramFails) {
  const auto found = look(
                         "echo '========= Invalid __global__ read of size 4 bytes'\n"
                         "echo '=========     at tile(float *)+0x90 in x.cu:2'\n"
                         "echo '========= ERROR SUMMARY: 1 error'\nexit 3")
                         .findings;
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].line, 2);
}

TEST_F(FakeSanitizer, ThatCannotLookIsQuoted) {
  EXPECT_EQ(
      why_not("echo '========= Error: Device not supported. Please refer to the documentation'; exit 1"),
      "racecheck could not run: Error: Device not supported. Please refer to the documentation");
  EXPECT_EQ(why_not("echo 'no libsanitizer-collection.so' >&2; exit 1"),
            "racecheck could not run: no libsanitizer-collection.so");
}

TEST_F(FakeSanitizer, ThatHangsIsKilled) {
  EXPECT_EQ(why_not("sleep 60 & sleep 60", 0.2), "racecheck did not end in 0.2 s; try a smaller --size");
}

}  // namespace
}  // namespace warpgrade::sanitize
