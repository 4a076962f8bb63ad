// ./gradebook on a machine with two GPUs: the driver is one of paper, whose GPUs compute nothing.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gpu/retired.hpp"
#include "tests/end_to_end/small_course.hpp"

namespace warpgrade::tests {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

class GradebookGpus : public ::testing::Test {
 protected:
  GradebookGpus() {
    fs::create_directories(course / "driver");
    fs::create_symlink(WARPGRADE_FAKE_DRIVER, course / "driver/libcuda.so.1");
    for (const char *student : {"s1", "s2", "s3"})
      course.write(std::string("class/") + student + "/step0_naive.cu",
                   course.solution("step0_naive.cu") + "// by " + student + "\n");
  }
  CommandResult run(const std::string &words) const {
    return shell("TMPDIR='" + course.root().string() + "' LD_LIBRARY_PATH='" + (course / "driver").string() +
                     "' PAPER_GPUS=2 '" + WARPGRADE_GRADEBOOK + "' run class --assignment hw6 " + words,
                 course.root());
  }
  /// Whether a worker took its turn on the GPU.
  bool used(const std::string &out, int gpu) const {
    return fs::exists(course / (out + "/gpu-0000-0" + std::to_string(gpu + 1) + "-00-0.lock"));
  }
  SmallCourse course;
};

TEST_F(GradebookGpus, BindsWorkersToAllGpusInTurnOrToThoseThatAreNamed) {
  const CommandResult all = run("--out all --device gpu --jobs 2");
  EXPECT_EQ(all.status, 0) << all.output;
  EXPECT_THAT(all.output, HasSubstr("graded on Paper GPU"));
  EXPECT_TRUE(used("all", 0) && used("all", 1)) << all.output;
  const CommandResult second = run("--out second --gpus 1 --jobs 2");
  EXPECT_EQ(second.status, 0) << second.output;
  EXPECT_TRUE(!used("second", 0) && used("second", 1)) << second.output;
  // A GPU that computes nothing gives the simulator's verdict its own: three rows, each judged.
  EXPECT_THAT(text_of(course / "second/grades.csv"), HasSubstr("s3,0,0,0,100,graded"));
}

TEST_F(GradebookGpus, OneThatDidNotComeBackIsNamedAndTheOthersGradeOn) {
  gpu::DeviceInfo gone;
  gone.pci_bus_id = "0000:01:00.0";
  gpu::retire(course.root().string(), gone);
  const std::string out = "GPU 0000:01:00.0 is out since ";
  const CommandResult other = run("--out other --device gpu --jobs 2");
  EXPECT_EQ(other.status, 0) << other.output;
  EXPECT_THAT(other.output, HasSubstr(out));
  EXPECT_TRUE(!used("other", 0) && used("other", 1)) << other.output;
  const CommandResult status = shell(
      "TMPDIR='" + course.root().string() + "' '" + WARPGRADE_GRADEBOOK + "' status other", course.root());
  EXPECT_THAT(status.output, HasSubstr(out));
  gone.pci_bus_id = "0000:02:00.0";
  gpu::retire(course.root().string(), gone);
  const CommandResult none = run("--out none --device gpu");
  EXPECT_EQ(none.status, 2);
  EXPECT_THAT(none.output, HasSubstr(out));
}

TEST_F(GradebookGpus, ThatAreNotThereOrNotUsedAreNamed) {
  const CommandResult unknown = run("--out none --gpus 0,5");
  EXPECT_EQ(unknown.status, 2);
  EXPECT_THAT(unknown.output, HasSubstr("--gpus 0,5: '5' is no GPU here (0 is Paper GPU, 1 is Paper GPU)"));
  const CommandResult simulated = run("--out none --gpus 0 --device sim");
  EXPECT_EQ(simulated.status, 2);
  EXPECT_THAT(simulated.output, HasSubstr("--gpus 0: no GPU is used here: --device sim"));
}

}  // namespace
}  // namespace warpgrade::tests
