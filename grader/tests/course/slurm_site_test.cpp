// What a site says of its cluster: strict, with file and line.
#include "course/slurm_site.hpp"

#include <gtest/gtest.h>

#include <fstream>

#include "course/assignment.hpp"

namespace warpgrade::tests {
namespace {

namespace fs = std::filesystem;

class SlurmFile : public ::testing::Test {
 protected:
  SlurmFile() { fs::create_directories(folder_); }
  ~SlurmFile() override { fs::remove_all(folder_); }
  course::SlurmSite read(const std::string &text) {
    std::ofstream(folder_ / "slurm.yaml") << text;
    return course::read_slurm_site(folder_ / "slurm.yaml");
  }
  std::string mistake(const std::string &text) {
    try {
      read(text);
      return "none";
    } catch (const course::ConfigError &e) {
      return std::string(e.what()).substr(folder_.string().size() + 1);
    }
  }
  fs::path folder_ =
      fs::path(::testing::TempDir()) /
      ("slurm-site-" + std::string(::testing::UnitTest::GetInstance()->current_test_info()->name()));
};

TEST_F(SlurmFile, IsReadWithDefaultsForTheRest) {
  const auto site = read(
      "partition: gpu\ngres: gpu:1\ntime: 1:00:00\ncpus_per_task: 4\nthrottle: 8\nfiles_per_task: 10\n"
      "tries: 2\ngrace_seconds: 30\npoll_seconds: 5\nqueued_tasks: 100\nmemory: 16G\naccount: course\nqos: "
      "normal\n"
      "constraint: h100\nfolder: /scratch/course\nsbatch: [--reservation=a class, --exclusive]\nsetup: "
      "[module load cuda]\n");
  course::SlurmSite want;
  want.partition = "gpu";
  want.gres = "gpu:1";
  want.time = "1:00:00";
  want.cpus_per_task = 4;
  want.throttle = 8;
  want.files_per_task = 10;
  want.tries = 2;
  want.grace_seconds = 30;
  want.poll_seconds = 5;
  want.queued_tasks = 100;
  want.memory = "16G";
  want.account = "course";
  want.qos = "normal";
  want.constraint = "h100";
  want.folder = "/scratch/course";
  want.sbatch = {"--reservation=a class", "--exclusive"};
  want.setup = {"module load cuda"};
  EXPECT_EQ(site, want);
  EXPECT_EQ(read("partition: gpu\n").tries, 3);
}

TEST_F(SlurmFile, MistakesAreNamedWithTheirLine) {
  EXPECT_TRUE(mistake("partitoin: gpu\n").starts_with("slurm.yaml:1: unknown key 'partitoin'"));
  EXPECT_EQ(mistake("partition: gpu\nthrottle: 0\n"),
            "slurm.yaml:2: 'throttle' is '0', should be a whole number from 1 to 100000");
  EXPECT_EQ(mistake("folder: work\n"),
            "slurm.yaml:1: 'work' should be an absolute path, the same on all nodes");
  EXPECT_EQ(mistake("partition: \"a\\nb\"\n"),
            "slurm.yaml:1: control characters and line ends mean nothing here");
}

TEST_F(SlurmFile, OptionsThatTheGraderNeedsForItselfAreRefusedAlsoWhenShortened) {
  EXPECT_EQ(mistake("sbatch: [--array=1-3]\n"), "slurm.yaml:1: --array is set by gradebook itself");
  EXPECT_EQ(mistake("sbatch:\n  - --exclusive\n  - --out=x\n"),
            "slurm.yaml:3: --output is set by gradebook itself");
  EXPECT_EQ(mistake("sbatch: [--wrap=reboot]\n"), "slurm.yaml:1: --wrap is set by gradebook itself");
  EXPECT_EQ(mistake("sbatch: [-a, 1]\n"),
            "slurm.yaml:1: '-a' is not an option of sbatch; accepted: --NAME or --NAME=VALUE");
  EXPECT_EQ(mistake("sbatch: [--mem 4G]\n"),
            "slurm.yaml:1: '--mem 4G': write --NAME=VALUE, with no blank between them");
}

}  // namespace
}  // namespace warpgrade::tests
