// What Slurm's commands print, and what is made of it.
#include "batch/cluster.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

#include "tests/batch/a_class.hpp"

namespace warpgrade::tests {
namespace {

using namespace batch;
namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(Squeue, ALineIsATask) {
  const auto queue = read_squeue(
      "12|3|PENDING|Resources||warpgrade-hw6-1a\n12|0|RUNNING|None|n1|warpgrade-hw6-1a\n13|N/"
      "A|RUNNING|None|n2|another\n\n");
  ASSERT_EQ(queue.size(), 2u);
  EXPECT_EQ(queue[0], (QueuedTask{"warpgrade-hw6-1a", "12", 3, "PENDING", "Resources", ""}));
  EXPECT_EQ(queue[1], (QueuedTask{"warpgrade-hw6-1a", "12", 0, "RUNNING", "None", "n1"}));
}

TEST(Squeue, TasksThatShareALineAreDistinguished) {
  std::vector<std::size_t> tasks;
  for (const QueuedTask &task : read_squeue("12|1,3-5,8-12:2%4|PENDING|Priority||x\n"))
    tasks.push_back(task.task);
  EXPECT_THAT(tasks, ElementsAre(1, 3, 4, 5, 8, 10, 12));
  for (const char *nonsense : {"5-3", "1-", "-", "x", "1-99999999999", "1:0", "", "1,,2"})
    EXPECT_THAT(read_squeue(std::string("12|") + nonsense + "|PENDING|Priority||x\n"), IsEmpty()) << nonsense;
}

TEST(Squeue, OnlyFinalStatesAreAnEnd) {
  for (const char *state : {"COMPLETED", "FAILED", "NODE_FAIL", "TIMEOUT", "CANCELLED", "PREEMPTED",
                            "OUT_OF_MEMORY", "BOOT_FAIL", "DEADLINE", "REVOKED"})
    EXPECT_TRUE((QueuedTask{"x", "1", 0, state, "", ""}).ended()) << state;
  for (const char *state :
       {"PENDING", "RUNNING", "COMPLETING", "CONFIGURING", "SUSPENDED", "REQUEUED", "STOPPED"})
    EXPECT_FALSE((QueuedTask{"x", "1", 0, state, "", ""}).ended()) << state;
}

TEST(Sacct, SaysHowATaskEnded) {
  const std::string text =
      "12_0|COMPLETED|0:0|n1\n12_1|FAILED|66:0|n2\n12_2|CANCELLED by "
      "1000|0:15|n3\n12_11|NODE_FAIL|1:0|n4\n12_3|PENDING|0:0|None "
      "assigned\n";
  EXPECT_EQ(read_sacct(text, "12", 0), "COMPLETED on n1");
  EXPECT_EQ(read_sacct(text, "12", 1), "FAILED with exit status 66 on n2");
  EXPECT_EQ(read_sacct(text, "12", 2), "CANCELLED by signal 15 on n3");
  EXPECT_EQ(read_sacct(text, "12", 3), "PENDING");
  EXPECT_EQ(read_sacct(text, "12", 4), "");
  EXPECT_EQ(read_sacct("Slurm accounting storage is disabled\n", "12", 0), "");
}

TEST(Scontrol, SaysHowATaskEndedAndHowLongAnArrayMayBe) {
  EXPECT_EQ(
      read_scontrol_job("JobId=6 ArrayJobId=4 JobName=x JobState=FAILED Reason=NonZeroExitCode ExitCode=67:0 "
                        "ReqNodeList=(null) NodeList=n1 BatchHost=n1\n"),
      "FAILED with exit status 67 on n1");
  EXPECT_EQ(read_scontrol_job(""), "");
  EXPECT_EQ(
      read_longest_array("Configuration data as of now\nMaxArraySize            = 1001\nMaxJobCount = 5\n"),
      1001u);
  EXPECT_EQ(read_longest_array("MaxJobCount = 5\n"), std::nullopt);
}

TEST(Sbatch, RefusalsAreDistinguished) {
  using Kind = ClusterError::Kind;
  EXPECT_EQ(kind_of_refusal("Batch job submission failed: Invalid job array specification"), Kind::too_long);
  EXPECT_EQ(
      kind_of_refusal("Batch job submission failed: Unable to contact slurm controller (connect failure)"),
      Kind::silent);
  EXPECT_EQ(kind_of_refusal("Batch job submission failed: Socket timed out on send/recv operation"),
            Kind::silent);
  EXPECT_EQ(kind_of_refusal(
                "Batch job submission failed: Job violates accounting/QOS policy (job submit limit, user's "
                "size and/or time limits)"),
            Kind::full);
  EXPECT_EQ(kind_of_refusal("invalid partition specified: nope"), Kind::rejected);
}

/// Programs of paper on the PATH.
class Commands : public ::testing::Test {
 protected:
  Commands() : before_(std::getenv("PATH")) {
    ::setenv("PATH", (folder_.path().string() + ":/usr/bin:/bin").c_str(), 1);
  }
  ~Commands() override { ::setenv("PATH", before_.c_str(), 1); }
  void program(const std::string &name, const std::string &text) {
    std::ofstream(folder_ / name) << "#!/bin/sh\n" << text << "\n";
    fs::permissions(folder_ / name, fs::perms::owner_all);
  }
  Folder folder_;
  std::string before_;
  SlurmCluster cluster_;
};

TEST_F(Commands, SbatchGetsItsArgumentsUnchanged) {
  program("sbatch", "printf '%s\\n' \"$@\" >" + (folder_ / "words").string() + "; echo '123;cluster'");
  EXPECT_EQ(cluster_.submit({"--array=0-1", "--comment=a 'b' $(c)", "/x y/job.sh"}), "123");
  std::ifstream in(folder_ / "words");
  std::vector<std::string> words;
  for (std::string word; std::getline(in, word);) words.push_back(word);
  EXPECT_THAT(words, ElementsAre("--parsable", "--array=0-1", "--comment=a 'b' $(c)", "/x y/job.sh"));
}

TEST_F(Commands, ARefusalBySbatchIsReportedWithTheCommandThatRepeatsIt) {
  program("sbatch", "echo 'sbatch: error: invalid partition specified: nope' >&2; exit 1");
  try {
    cluster_.submit({"--partition=nope", "/x y/job.sh"});
    FAIL();
  } catch (const ClusterError &e) {
    EXPECT_EQ(e.kind, ClusterError::Kind::rejected);
    EXPECT_STREQ(e.what(),
                 "the cluster rejects the job: invalid partition specified: nope\n  sbatch --parsable "
                 "--partition=nope '/x y/job.sh'");
  }
}

TEST_F(Commands, AMachineWithoutSlurmIsReported) {
  try {
    ::setenv("PATH", folder_.path().c_str(), 1);
    cluster_.submit({"x"});
    FAIL();
  } catch (const ClusterError &e) {
    EXPECT_EQ(e.kind, ClusterError::Kind::no_slurm);
    EXPECT_THAT(e.what(), HasSubstr("there is no sbatch on the PATH"));
  }
}

TEST_F(Commands, WithoutAccountingSacctRunsOnceAndScontrolFromThenOn) {
  program("sacct", "echo x >>" + (folder_ / "asked").string() +
                       "; echo 'Slurm accounting storage is disabled' >&2; exit 1");
  program("scontrol", "echo ' JobState=NODE_FAIL ExitCode=0:0 NodeList=n1'");
  EXPECT_EQ(cluster_.how_it_ended("12", 3), "NODE_FAIL on n1");
  EXPECT_EQ(cluster_.how_it_ended("12", 4), "NODE_FAIL on n1");
  EXPECT_EQ(fs::file_size(folder_ / "asked"), 2u);
}

TEST_F(Commands, AQueueThatCannotBeQueriedIsNotEmpty) {
  program("squeue", "echo 'slurm_load_jobs error: Unable to contact slurm controller' >&2; exit 1");
  EXPECT_THROW(cluster_.queue(), ClusterError);
}

TEST_F(Commands, CancellingAnEndedJobSucceedsButSilenceIsAnError) {
  program("scancel", "echo 'scancel: error: Kill job error: Job/step already completing' >&2; exit 1");
  EXPECT_NO_THROW(cluster_.cancel("x"));
  program("scancel",
          "echo 'scancel: error: slurm_load_jobs: Unable to contact slurm controller' >&2; exit 1");
  EXPECT_THROW(cluster_.cancel("x"), ClusterError);
}

TEST_F(Commands, AProgramThatHangsIsEndedWithWhatItStarted) {
  program("hang", "sleep 100 & sleep 100");
  const CommandOutcome outcome = run_command({"hang"}, 0.2);
  EXPECT_TRUE(outcome.started);
  EXPECT_FALSE(outcome.in_time);
}

TEST_F(Commands, AProcessThatAProgramLeavesDoesNotKeepUsWaiting) {
  program("leave", "echo said; sleep 3 & exit 0");
  const CommandOutcome outcome = run_command({"leave"}, 60);
  EXPECT_TRUE(outcome.ok());
  EXPECT_EQ(outcome.out, "said\n");
}

}  // namespace
}  // namespace warpgrade::tests
