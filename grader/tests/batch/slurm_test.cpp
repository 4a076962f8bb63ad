// A class on a cluster of paper: whatever becomes of tasks and files, each file has one outcome in the end.
#include "tests/batch/paper_cluster.hpp"

namespace warpgrade::tests {
namespace {

using namespace batch;
namespace fs = std::filesystem;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

using Slurm = OnPaper;

TEST_F(Slurm, EveryFileIsGradedOnceAndNothingIsLeftBehind) {
  begin();
  EXPECT_TRUE(round_after(0));
  ASSERT_EQ(cluster.jobs.size(), 1u);
  EXPECT_THAT(cluster.jobs[0].words, Contains("--array=0-2"));  // 5 files, 2 a task
  work_all(cluster.jobs[0]);
  EXPECT_FALSE(round_after(1));
  expect_all_answered();
  EXPECT_EQ(outcomes.at(0).seconds, 1.5);
}

TEST_F(Slurm, ResultsOfATaskThatStillRunsCountImmediately) {
  begin().round();
  work(cluster.jobs[0], 0, 1, "RUNNING");
  EXPECT_TRUE(round_after(1));
  EXPECT_EQ(outcomes.size(), 1u);
}

TEST_F(Slurm, ALostTaskIsSubmittedAgainWithEachOfItsFilesAloneOnceTheNetworkHadItsTime) {
  begin().round();
  work(cluster.jobs[0], 0);
  work(cluster.jobs[0], 1, 1, "NODE_FAIL");  // the second of its two files has no result
  work(cluster.jobs[0], 2);
  round_after(10);
  EXPECT_EQ(outcomes.size(), 4u);
  round_after(59);
  EXPECT_EQ(cluster.jobs.size(), 1u) << "the result may still be on its way";
  cluster.ended_as = "NODE_FAIL on n1";
  round_after(2);
  EXPECT_THAT(said,
              ElementsAre("1 task ended without its results, the first: task 100_1 ended: NODE_FAIL on n1"));
  ASSERT_EQ(cluster.jobs.size(), 2u);
  EXPECT_THAT(cluster.jobs[1].words, Contains("--array=0-0"));
  work_all(cluster.jobs[1]);
  EXPECT_FALSE(round_after(1));
  expect_all_answered();
}

TEST_F(Slurm, AResultThatComesLateButInTimeIsTaken) {
  begin().round();
  for (std::string &state : cluster.jobs[0].states) state = "COMPLETED";
  round_after(10);
  round_after(50);
  work_all(cluster.jobs[0]);
  EXPECT_FALSE(round_after(5));
  EXPECT_EQ(cluster.jobs.size(), 1u);
  expect_all_answered();
}

TEST_F(Slurm, AJobThatTheClusterNoLongerKnowsIsLost) {
  begin().round();
  for (std::string &state : cluster.jobs[0].states) state.clear();
  round_after(10);
  round_after(61);
  ASSERT_EQ(cluster.jobs.size(), 2u);
  EXPECT_THAT(cluster.jobs[1].words, Contains("--array=0-4"));  // each in a separate task now
}

TEST_F(Slurm, AFileLostTooOftenIsOurFailureWithTheReason) {
  options.site.tries = 2;
  pending.resize(1);
  cluster.ended_as = "OUT_OF_MEMORY on n1";
  begin().round();
  std::ofstream(cluster.jobs[0].folder / log_name(0)) << "words of it\n";
  for (std::size_t i = 0; i < 2; ++i) {
    ASSERT_EQ(cluster.jobs.size(), i + 1);
    cluster.jobs[i].states[0] = "OUT_OF_MEMORY";
    round_after(10);
    round_after(61);
  }
  ASSERT_EQ(outcomes.size(), 1u);
  EXPECT_FALSE(outcomes.at(0).answered);
  EXPECT_TRUE(outcomes.at(0).lost);
  EXPECT_EQ(outcomes.at(0).text,
            "the cluster returned no result in 2 tries; the last time task 101_0 ended: OUT_OF_MEMORY on n1");
  EXPECT_FALSE(run->round());
  EXPECT_EQ(cluster.jobs.size(), 2u);
  EXPECT_THAT(left_behind(), IsEmpty());
}

TEST_F(Slurm, AResultThatIsCutShortIsRefusedAndItsFileGradedAgain) {
  pending.resize(1);
  begin().round();
  work(cluster.jobs[0], 0);
  const fs::path file = cluster.jobs[0].folder / result_name(0, 0);
  fs::resize_file(file, fs::file_size(file) - 1);
  round_after(10);
  EXPECT_THAT(outcomes, IsEmpty()) << "the rest may be on its way";
  round_after(61);
  ASSERT_EQ(cluster.jobs.size(), 2u);
  work_all(cluster.jobs[1]);
  EXPECT_FALSE(round_after(1));
  expect_all_answered();
}

TEST_F(Slurm, AResultOfAnotherProtocolOrOfAnotherFileIsNoResult) {
  options.site.tries = 1;
  pending.resize(2);
  begin().round();
  work(cluster.jobs[0], 0);
  const fs::path file = cluster.jobs[0].folder / result_name(0, 0);
  std::ifstream in(file);
  std::string text{std::istreambuf_iterator<char>(in), {}};
  text.replace(text.find(" 2 "), 3, " 3 ");
  std::ofstream(file) << text;
  write_task_file(cluster.jobs[0].folder / result_name(0, 1),
                  TaskResult{"base", "another", "f", 1, "n1", true, "record"});
  round_after(10);
  round_after(61);
  ASSERT_EQ(outcomes.size(), 2u);
  EXPECT_THAT(outcomes.at(0).text, HasSubstr("it uses protocol 3, and this gradebook reads 2"));
  EXPECT_THAT(outcomes.at(1).text, HasSubstr("it is the result of something else"));
}

TEST_F(Slurm, AnArrayIsNoLongerThanTheClusterTakes) {
  options.site.files_per_task = 1;
  cluster.longest = 2;
  begin().round();
  ASSERT_EQ(cluster.jobs.size(), 3u);
  EXPECT_THAT(cluster.jobs[0].words, Contains("--array=0-1"));
  EXPECT_THAT(cluster.jobs[2].words, Contains("--array=0-0"));
  for (auto &job : cluster.jobs) work_all(job);
  EXPECT_FALSE(round_after(1));
  expect_all_answered();
}

TEST_F(Slurm, AnArrayRefusedAsTooLongIsSplit) {
  options.site.files_per_task = 1;
  cluster.most_tasks = 2;
  begin().round();
  EXPECT_THAT(cluster.jobs, SizeIs(3));
  for (auto &job : cluster.jobs) work_all(job);
  EXPECT_FALSE(round_after(1));
  expect_all_answered();
}

TEST_F(Slurm, NoMoreTasksAreInTheQueueThanTheSiteSays) {
  options.site.files_per_task = 1;
  options.site.queued_tasks = 2;
  begin().round();
  ASSERT_EQ(cluster.jobs.size(), 1u);
  EXPECT_EQ(run->outstanding(), 2u);
  work(cluster.jobs[0], 0);
  round_after(1);
  ASSERT_EQ(cluster.jobs.size(), 2u);
  EXPECT_THAT(cluster.jobs[1].words, Contains("--array=0-0"));
}

TEST_F(Slurm, ATaskThatIsNoLongerNeededIsCancelledAtTheEnd) {
  options.site.tries = 5;
  begin().round();
  cluster.jobs[0].states = {"RUNNING", "NODE_FAIL", "RUNNING"};
  round_after(10);
  round_after(61);
  ASSERT_EQ(cluster.jobs.size(), 2u);  // the files of the second task
  run.reset();
  for (int i = 0; i < 2; ++i)
    work(cluster.jobs[0], static_cast<std::size_t>(i));  // it was not dead after all
  work(cluster.jobs[0], 2);
  begin();
  EXPECT_FALSE(round_after(1));
  EXPECT_THAT(cluster.cancelled, Contains(cluster.jobs[1].name));
  expect_all_answered();
}

TEST_F(Slurm, ARefusedDirectiveEndsTheRunAndLeavesNoWork) {
  begin();
  cluster.objections.emplace_back(ClusterError::Kind::rejected, "invalid partition specified: x");
  EXPECT_THROW(run->round(), ClusterError);
  EXPECT_THAT(left_behind(), IsEmpty());
}

TEST_F(Slurm, AFullQueueIsWaitedForWhileTasksAreUnderWay) {
  options.site.files_per_task = 1;
  cluster.longest = 4;
  begin();
  cluster.most_tasks = 4;
  run->round();  // four and one
  ASSERT_EQ(cluster.jobs.size(), 2u);
  work_all(cluster.jobs[0]);
  cluster.jobs[1].states[0] = "CANCELLED";
  round_after(10);
  ASSERT_EQ(outcomes.size(), 4u);
  run.reset();

  // The last is lost; two more are there, and the queue takes one task alone.
  pending = {pending[4], {"base", "more"}, {"base", "yet more"}};
  outcomes.clear();
  begin();
  cluster.objections.emplace_back(ClusterError::Kind::full, "job submit limit");  // two
  round_after(10);                                                                // halved: one, then one
  ASSERT_EQ(cluster.jobs.size(), 4u);
  cluster.objections.emplace_back(ClusterError::Kind::full, "job submit limit");
  round_after(61);
  EXPECT_EQ(cluster.jobs.size(), 4u);
  EXPECT_THAT(said, Contains("the queue takes no more of this user's tasks for now"));
  round_after(20);
  EXPECT_EQ(cluster.jobs.size(), 5u);
}

TEST_F(Slurm, AQueueThatTakesNothingAtAllEndsTheRun) {
  pending.resize(1);
  begin();
  cluster.objections.emplace_back(ClusterError::Kind::full, "job submit limit");
  EXPECT_THROW(run->round(), ClusterError);
}

TEST_F(Slurm, AClusterThatIsDownAtTheBeginningIsReported) {
  begin();
  cluster.objections.emplace_back(ClusterError::Kind::silent, "the cluster does not answer: connect failure");
  EXPECT_THROW(run->round(), ClusterError);
}

TEST_F(Slurm, AClusterThatDoesNotAnswerLosesNoTask) {
  begin().round();
  cluster.silent = true;
  for (int i = 0; i < 20; ++i) EXPECT_TRUE(round_after(30));
  EXPECT_EQ(cluster.jobs.size(), 1u);
  EXPECT_THAT(said, ElementsAre(HasSubstr("connect failure; waiting")));
  work(cluster.jobs[0], 1);
  round_after(1);
  EXPECT_EQ(outcomes.size(), 2u) << "results come all the same";
  cluster.silent = false;
  round_after(30);
  EXPECT_THAT(said, Contains("the cluster answers again"));
}

TEST_F(Slurm, TheReasonForAWaitIsReportedOnceAndNotImmediately) {
  begin().round();
  EXPECT_THAT(said, IsEmpty());
  for (int i = 0; i < 5; ++i) round_after(30);
  EXPECT_THAT(said, ElementsAre("3 tasks wait in the queue, none runs: Resources"));
}

TEST_F(Slurm, TheClusterIsPolledNoMoreOftenThanTheSiteSays) {
  begin().round();
  for (int i = 0; i < 100; ++i) round_after(1);
  EXPECT_LE(cluster.questions, 12);
}

TEST_F(Slurm, ANodeThatWouldNotGradeIsAvoided) {
  begin().round();
  write_task_file(cluster.jobs[0].folder / refusal_name(0),
                  TaskRefusal{"n7", "bubblewrap is missing\nInstall it"});
  round_after(1);
  ASSERT_EQ(cluster.jobs.size(), 2u);
  EXPECT_THAT(cluster.jobs[1].words, Contains("--exclude=n7"));
  EXPECT_THAT(
      said,
      Contains("node n7 refused to grade: bubblewrap is missing. Install it; jobs avoid it from now on"));
}

TEST_F(Slurm, ACourseThatChangesMeanwhileEndsTheRunAndItsJobs) {
  options.changed = [] { return true; };
  begin().round();
  write_task_file(cluster.jobs[0].folder / refusal_name(0), TaskRefusal{"n7", "other conditions"});
  try {
    round_after(1);
    FAIL();
  } catch (const std::runtime_error &e) {
    EXPECT_THAT(e.what(), HasSubstr("the files of hw have changed since this run began"));
  }
  EXPECT_THAT(cluster.cancelled, SizeIs(1));
}

TEST_F(Slurm, NoNameAndNoPathIsReadAsSomethingElse) {
  options.folder = folder / "it's $(touch x) `y` \"z\" %a\n#SBATCH --wrap=x";
  options.site.setup = {"module load cuda"};
  begin().round();
  ASSERT_EQ(cluster.jobs.size(), 1u);
  std::ifstream in(cluster.jobs[0].folder / "job.sh");
  const std::string script{std::istreambuf_iterator<char>(in), {}};
  EXPECT_THAT(script, HasSubstr("\nmodule load cuda\n"));
  // As bash reads it: the folder round-trips.
  const fs::path echo = folder / "echo.sh";
  std::string with_echo = script.substr(0, script.find("[ -d"));
  std::ofstream(echo) << with_echo << "printf %s \"$folder\" >" << (folder / "said").string() << "\n";
  ASSERT_EQ(run_command({"bash", echo.string()}, 10).status, 0);
  std::ifstream read(folder / "said");
  const std::string back{std::istreambuf_iterator<char>(read), {}};
  EXPECT_EQ(back, cluster.jobs[0].folder.string());
  EXPECT_FALSE(fs::exists("x"));
}

TEST_F(Slurm, FilesThatAreAddedGoToTheQueueWithTheNextRound) {
  begin().round();
  const std::vector<Task> more = {{"base", "hash5"}, {"base", "hash6"}, {"base", "hash7"}};
  run->add(more, 1);
  pending.insert(pending.end(), more.begin(), more.end());
  EXPECT_EQ(run->progress().waiting, 8u);
  round_after(1);
  ASSERT_EQ(cluster.jobs.size(), 2u);
  EXPECT_THAT(cluster.jobs[1].states, SizeIs(3)) << "one file in a task";
  work_all(cluster.jobs[1]);
  EXPECT_TRUE(round_after(1)) << "the first five are still to come";
  EXPECT_EQ(outcomes.count(5) + outcomes.count(6) + outcomes.count(7), 3u);
  work_all(cluster.jobs[0]);
  EXPECT_FALSE(round_after(1));
  expect_all_answered();
}

TEST_F(Slurm, ATaskHasNoMoreFilesThanTheSiteWants) {
  begin().round();
  run->add({{"base", "hash5"}, {"base", "hash6"}, {"base", "hash7"}}, 20);
  round_after(1);
  EXPECT_THAT(cluster.jobs.at(1).states, SizeIs(2));
}

TEST_F(Slurm, SaysHowManyFilesRunAndHowManyWait) {
  begin().round();
  EXPECT_EQ(run->progress().running, 0u);
  EXPECT_EQ(run->progress().waiting, 5u);
  cluster.jobs[0].states[0] = "RUNNING";
  round_after(10);
  EXPECT_EQ(run->progress().running, 2u);
  EXPECT_EQ(run->progress().waiting, 3u);
  work(cluster.jobs[0], 0, 1, "RUNNING");
  round_after(1);
  EXPECT_EQ(run->progress().running, 1u) << "the other one has its result";
}

TEST(SlurmSite, EveryDirectiveReachesSbatchAsOneWord) {
  course::SlurmSite site;
  site.partition = "gpu";
  site.gres = "gpu:1";
  site.time = "30";
  site.throttle = 4;
  site.cpus_per_task = 2;
  site.sbatch = {"--reservation=a class"};
  const auto words = sbatch_words(site, "warpgrade-hw-1", 8, {"n1", "n2"}, "/shared/job.sh");
  EXPECT_THAT(words, ElementsAre("--job-name=warpgrade-hw-1", "--array=0-7%4", "--nodes=1", "--ntasks=1",
                                 "--no-requeue", "--output=/dev/null", "--chdir=/", "--partition=gpu",
                                 "--gres=gpu:1", "--time=30", "--cpus-per-task=2", "--exclude=n1,n2",
                                 "--reservation=a class", "/shared/job.sh"));
}

}  // namespace
}  // namespace warpgrade::tests
