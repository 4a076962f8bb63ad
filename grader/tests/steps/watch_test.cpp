// Files that are saved in the ways of different editors. Nothing here depends on how long anything takes.
#include "steps/watch.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <thread>

#include "sandbox/sandbox.hpp"

namespace warpgrade::steps {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;

class WatchTest : public ::testing::Test {
 protected:
  WatchTest() : one(folder.path() / "one.cu"), two(folder.path() / "two.cu") {
    write(one, "1");
    write(two, "2");
    if (::pipe(pipe_) != 0) throw std::runtime_error("no pipe");
  }
  ~WatchTest() override {
    for (const int end : pipe_) ::close(end);
  }
  static void write(const fs::path &file, const std::string &text) {
    std::ofstream(file, std::ios::binary) << text;
  }
  void stop() const { ASSERT_EQ(::write(pipe_[1], "x", 1), 1); }

  Scratch folder;
  fs::path one, two;
  int pipe_[2];
};

TEST(FilesOfSteps, AHeaderIsOneFileAndBelongsToEveryStepThatUsesIt) {
  course::Step plain, tiled, wide;
  plain.file = "plain.cu";
  tiled.file = "tiled.cu";
  wide.file = "wide.cu";
  tiled.headers = wide.headers = {"parts/tile.cuh", "parts/other.cuh"};
  const FilesOfSteps files({&plain, &tiled, &wide}, "mine");
  EXPECT_THAT(files.all(), ElementsAre("mine/plain.cu", "mine/tiled.cu", "mine/parts/tile.cuh",
                                       "mine/parts/other.cuh", "mine/wide.cu"));
  EXPECT_THAT(files.using_any({"mine/parts/other.cuh"}), ElementsAre(&tiled, &wide));
  EXPECT_THAT(files.using_any({"mine/wide.cu", "mine/plain.cu"}), ElementsAre(&plain, &wide));
  EXPECT_THAT(files.using_any({}), ElementsAre());
}

TEST_F(WatchTest, NamesTheWrittenFile) {
  Watch watch({one, two});
  write(two, "another");
  EXPECT_THAT(*watch.next(pipe_[0]), ElementsAre(two));
}

TEST_F(WatchTest, TreatsANewFileThatAnEditorRenamedAsASave) {
  Watch watch({one, two});
  write(folder.path() / ".one.cu.swp", "something of the editor's own");
  write(folder.path() / "one.cu~", "new text");
  fs::rename(folder.path() / "one.cu~", one);
  EXPECT_THAT(*watch.next(pipe_[0]), ElementsAre(one));
  // The file is a different one now; the next save is still seen.
  write(one, "newer");
  EXPECT_THAT(*watch.next(pipe_[0]), ElementsAre(one));
}

TEST_F(WatchTest, TakesABurstOfSavesForOne) {
  Watch watch({one, two});
  for (int i = 0; i < 20; ++i) write(one, std::to_string(i));
  write(two, "also");
  EXPECT_THAT(*watch.next(pipe_[0]), ElementsAre(one, two));
  stop();
  EXPECT_FALSE(watch.next(pipe_[0])) << "and says nothing about it a second time";
}

TEST_F(WatchTest, WaitsForAMissingFile) {
  fs::remove(one);
  Watch watch({one});
  std::thread later([&] { write(one, "here now"); });
  EXPECT_THAT(*watch.next(pipe_[0]), ElementsAre(one));
  later.join();
}

TEST_F(WatchTest, SeesSavesBetweenWaits) {
  Watch watch({one, two});
  write(one, "while a step was graded");
  write(two, "likewise");
  EXPECT_THAT(*watch.next(pipe_[0]), ElementsAre(one, two));
}

TEST_F(WatchTest, ReadsAreNoSavesAndTheDescriptorEndsIt) {
  Watch watch({one});
  std::ifstream(one).get();
  std::thread later([&] { stop(); });
  EXPECT_FALSE(watch.next(pipe_[0]));
  later.join();
}

}  // namespace
}  // namespace warpgrade::steps
