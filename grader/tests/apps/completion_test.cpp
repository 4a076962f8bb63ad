// What the Tab key offers, from the descriptions that --help prints.
#include "apps/completion.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace warpgrade::apps {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Not;

class Completion : public ::testing::Test {
 protected:
  Completion() : app("", "grade") {
    app.add_option("step", steps);
    app.add_option("--device", device)->check(CLI::IsMember({"auto", "gpu", "sim"}));
    app.add_option("--json", file);
    app.add_flag("-v,--verbose", verbose);
  }
  std::vector<std::string> offered(const std::vector<std::string> &before, const std::string &begun) const {
    return candidates(app, before, begun, {"step0", "step1", "bench"});
  }
  CLI::App app;
  std::vector<std::string> steps;
  std::string device, file;
  bool verbose = false;
};

TEST_F(Completion, OffersWhatAPositionalMayBe) {
  EXPECT_THAT(offered({}, ""), ElementsAre("step0", "step1", "bench"));
  EXPECT_THAT(offered({"step0"}, "st"), ElementsAre("step0", "step1"));
}

TEST_F(Completion, OffersOptionsAfterADash) {
  EXPECT_THAT(offered({}, "--"), Contains("--device"));
  EXPECT_THAT(offered({}, "--"), Contains("--help"));
  EXPECT_THAT(offered({}, "-"), Contains("-v"));
  EXPECT_THAT(offered({}, "--ver"), ElementsAre("--verbose"));
}

TEST_F(Completion, OffersTheValuesOfAnOptionAlsoAfterAnEqualsSign) {
  EXPECT_THAT(offered({"--device"}, ""), ElementsAre("auto", "gpu", "sim"));
  EXPECT_THAT(offered({"--device"}, "s"), ElementsAre("sim"));
  EXPECT_THAT(offered({"--device", "="}, "g"), ElementsAre("gpu"));
}

TEST_F(Completion, LeavesFilesToTheShell) {
  EXPECT_THAT(offered({"--json"}, ""), IsEmpty());
}

TEST_F(Completion, GoesOnWithPositionalsAfterAFlagOrAValue) {
  EXPECT_THAT(offered({"-v"}, ""), Contains("step0"));
  EXPECT_THAT(offered({"--device", "sim"}, ""), Contains("step0"));
}

TEST_F(Completion, HasLinesForThreeShellsAndNoOther) {
  for (const char *shell : {"bash", "zsh", "fish"}) EXPECT_NE(completion_script(shell), "") << shell;
  EXPECT_EQ(completion_script("cmd.exe"), "");
}

}  // namespace
}  // namespace warpgrade::apps
