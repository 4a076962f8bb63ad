// A GPU on which a killed process does not end: out for every process of the machine until a person has seen
// to it.
#include "gpu/retired.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <span>

#include "sandbox/sandbox.hpp"
#include "tests/gpu/plans.hpp"
#include "tests/gpu_nodriver/paper.hpp"

namespace warpgrade::gpu {
namespace {

namespace fs = std::filesystem;
using run::End;
using ::testing::HasSubstr;

class Retired : public testing::Test {
 protected:
  Retired() {
    options.retired_directory = folder.path().string();
    options.kill_seconds = 0.1;
    gpus = query_devices(paper({"PAPER_GPUS=2"})).devices;
  }
  /// As each step has one of its own.
  Replay replay_on(const DeviceInfo &device) const {
    const std::string image = "image";
    const auto bytes = std::as_bytes(std::span(image));
    return Replay(device, {bytes.begin(), bytes.end()}, {.run_seconds = 0.3}, options);
  }
  static plan::LaunchPlan launching(const std::string &kernel) {
    auto plan = plan_on_c(4);
    auto launch = launch_of(kernel, {}, {32, 1, 1});
    ArgumentBuilder(launch).pointer(0);
    plan.operations.push_back(launch);
    return plan;
  }
  static run::Run nothing_on(Replay replay) { return replay.replay(launching("nothing"), sevens(4)); }
  fs::path note() const { return folder.path() / "gpu-0000-01-00-0.out"; }

  Scratch folder;
  ChildOptions options = paper({"PAPER_GPUS=2"});
  std::vector<DeviceInfo> gpus;
};

TEST_F(Retired, ALostGpuGetsNoMoreWorkFromAnyStepOrProcess) {
  ASSERT_EQ(gpus.size(), 2u);
  auto first = replay_on(gpus[0]);
  const run::Run hung = first.replay(launching("never_dies"), sevens(4));
  EXPECT_EQ(hung.end, End::time_limit);
  EXPECT_THAT(hung.message, HasSubstr("the GPU did not come back after that"));
  EXPECT_FALSE(first.gpu_came_back());
  const run::Run later = nothing_on(replay_on(gpus[0]));  // of another step
  EXPECT_EQ(later.end, End::our_failure);
  EXPECT_THAT(later.message, HasSubstr("GPU 0000:01:00.0 is out since "));
  EXPECT_THAT(later.message,
              HasSubstr("nvidia-smi --gpu-reset -i 0000:01:00.0, then remove " + note().string()));
  ASSERT_EQ(retired_gpus(options.retired_directory).size(), 1u);
  EXPECT_EQ(why_retired(options.retired_directory, gpus[0]), later.message);  // whatever process asks
  EXPECT_EQ(nothing_on(replay_on(gpus[1])).end, End::completed) << "its neighbour is well";
  fs::remove(note());
  EXPECT_EQ(nothing_on(replay_on(gpus[0])).end, End::completed);
}

TEST_F(Retired, AGpuThatComesBackStaysInUse) {
  options.kill_seconds = 60;
  auto replay = replay_on(gpus[0]);
  EXPECT_EQ(replay.replay(launching("spin_forever"), sevens(4)).end, End::time_limit);
  EXPECT_TRUE(replay.gpu_came_back());
  EXPECT_TRUE(retired_gpus(options.retired_directory).empty());
}

TEST_F(Retired, ARestartOfTheMachineBringsItBack) {
  retire(options.retired_directory, gpus[0]);
  EXPECT_NE(why_retired(options.retired_directory, gpus[0]), "");
  std::ofstream(note()) << "of an earlier boot\n0000:01:00.0\n";
  EXPECT_EQ(why_retired(options.retired_directory, gpus[0]), "");
  EXPECT_TRUE(retired_gpus(options.retired_directory).empty());
}

TEST_F(Retired, AForeignFileDoesNotRetireAGpu) {
  std::ofstream(note()) << "\x1b[2J\n";
  fs::create_symlink("/etc/passwd", folder.path() / "gpu-0000-02-00-0.out");
  EXPECT_TRUE(retired_gpus(options.retired_directory).empty());
  EXPECT_EQ(why_retired(options.retired_directory, gpus[1]), "");
}

}  // namespace
}  // namespace warpgrade::gpu
