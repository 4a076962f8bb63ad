// A run on a cluster that is stopped, killed or started again loses nothing and repeats nothing.
#include <random>

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

using SlurmRestart = OnPaper;

TEST_F(SlurmRestart, JobsOfARunThatWasKilledGoOnAndTheirResultsAreTaken) {
  begin().round();
  work(cluster.jobs[0], 0);
  run.reset();
  begin();
  EXPECT_THAT(cluster.cancelled, IsEmpty());
  EXPECT_THAT(said, ElementsAre("5 files are with jobs of an earlier run, which continue"));
  work(cluster.jobs[0], 1);
  work(cluster.jobs[0], 2);
  EXPECT_FALSE(round_after(1));
  EXPECT_EQ(cluster.jobs.size(), 1u);
  expect_all_answered();
}

TEST_F(SlurmRestart, JobsOfAnEarlierRunAreKnownBeforeTheNextOne) {
  begin().round();
  run.reset();
  EXPECT_EQ(under_way(options.folder, options.orders), pending);
  TaskOrders others = options.orders;
  others.fingerprint = "g";
  EXPECT_THAT(under_way(options.folder, others), IsEmpty());
  EXPECT_THAT(under_way(folder / "nothing", options.orders), IsEmpty());
}

TEST_F(SlurmRestart, AJobWhoseNumberWasNotYetNotedIsFoundByItsName) {
  options.site.tries = 1;
  cluster.ended_as = "";
  begin().round();
  fs::remove(cluster.jobs[0].folder / "job");
  run.reset();
  begin();
  cluster.jobs[0].states.assign(3, "RUNNING");
  round_after(10);
  EXPECT_EQ(cluster.jobs.size(), 1u);
  cluster.jobs[0].states.assign(3, "TIMEOUT");
  round_after(10);
  round_after(61);
  ASSERT_EQ(outcomes.size(), 5u);
  EXPECT_THAT(outcomes.at(0).text, HasSubstr("task 100_0 ended: TIMEOUT on n1"));
}

TEST_F(SlurmRestart, WorkThatNeverReachedTheQueueIsSubmittedAgain) {
  begin().round();
  cluster.jobs.clear();  // killed before sbatch
  run.reset();
  begin();
  round_after(10);
  round_after(61);
  EXPECT_EQ(cluster.jobs.size(), 1u);
}

TEST_F(SlurmRestart, HalfWrittenWorkIsThrownAway) {
  fs::create_directories(options.folder / "arrays/abc.new");
  fs::create_directories(options.folder / "arrays/def");
  std::ofstream(options.folder / "arrays/def/array.json") << "warpgrade array 1 50";
  begin().round();
  EXPECT_FALSE(fs::exists(options.folder / "arrays/abc.new"));
  EXPECT_FALSE(fs::exists(options.folder / "arrays/def"));
  EXPECT_THAT(cluster.cancelled, ElementsAre("warpgrade-hw-def"));
  EXPECT_EQ(cluster.jobs.size(), 1u);
}

TEST_F(SlurmRestart, JobsThatGradeUnderOtherConditionsAreCancelled) {
  begin().round();
  run.reset();
  options.orders.fingerprint = "g";
  begin();
  EXPECT_THAT(cluster.cancelled, ElementsAre(cluster.jobs[0].name));
  EXPECT_FALSE(fs::exists(cluster.jobs[0].folder));
  run->round();
  EXPECT_EQ(cluster.jobs.size(), 2u);
}

TEST_F(SlurmRestart, ResultsKeptBeforeAKillAreNotTakenAgain) {
  begin().round();
  work(cluster.jobs[0], 0);
  run.reset();
  const Task kept = pending[0];
  pending.erase(pending.begin());  // the store has it; its file was not yet removed
  begin();
  work(cluster.jobs[0], 1);
  work(cluster.jobs[0], 2);
  EXPECT_FALSE(round_after(1));
  expect_all_answered();
}

TEST_F(SlurmRestart, ResultsOfFilesToGradeAgainAreForgotten) {
  begin().round();
  work(cluster.jobs[0], 0);
  run.reset();
  forget_results(options.folder, {pending[1]});
  EXPECT_TRUE(fs::exists(cluster.jobs[0].folder / result_name(0, 0)));
  EXPECT_FALSE(fs::exists(cluster.jobs[0].folder / result_name(0, 1)));
}

TEST_F(SlurmRestart, CancellingTakesFinishedResultsAndLeavesNoJobAndNoWork) {
  begin().round();
  work(cluster.jobs[0], 0);
  EXPECT_TRUE(run->cancel());
  EXPECT_EQ(outcomes.size(), 2u);
  EXPECT_THAT(cluster.cancelled, ElementsAre(cluster.jobs[0].name));
  EXPECT_THAT(left_behind(), IsEmpty());
}

TEST_F(SlurmRestart, JobsThatCannotBeCancelledAreNamedAndKeptForTheNextRun) {
  begin().round();
  cluster.silent = true;
  EXPECT_FALSE(run->cancel());
  EXPECT_THAT(said, Contains(HasSubstr("'scancel --name=" + cluster.jobs[0].name + "' does it")));
  EXPECT_THAT(left_behind(), SizeIs(1));
}

TEST_F(SlurmRestart, RandomTroubleNeverLosesNorDoublesAnOutcome) {
  const auto seed = static_cast<std::uint32_t>(std::random_device()());
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  const auto chance = [&random](int percent) { return static_cast<int>(random() % 100) < percent; };
  options.site.tries = 100;
  options.site.files_per_task = 3;
  cluster.longest = 4;
  for (int i = 5; i < 30; ++i) pending.push_back({"base", "hash" + std::to_string(i)});
  const std::vector<Task> all = pending;
  std::set<std::string> done;
  for (int restart = 0; restart < 2000 && done.size() < all.size(); ++restart) {
    // What the store would say is pending.
    std::erase_if(pending, [&](const Task &task) { return done.contains(task.file); });
    outcomes.clear();
    run.reset();
    begin();
    for (int i = 0; i < 5; ++i) {
      round_after(chance(50) ? 5 : 65);
      for (auto &job : cluster.jobs)
        for (std::size_t t = 0; t < job.states.size(); ++t) {
          if (job.states[t] != "PENDING" || chance(60) || !fs::exists(job.folder / work_name(t))) continue;
          work(job, t, random() % 4, chance(50) ? "NODE_FAIL" : "COMPLETED");
          const fs::path result = job.folder / result_name(t, 0);
          if (chance(20) && fs::exists(result)) fs::resize_file(result, fs::file_size(result) / 2);
        }
    }
    for (const auto &[place, outcome] : outcomes) {
      EXPECT_TRUE(outcome.answered) << outcome.text;
      EXPECT_EQ(outcome.text, "record of " + pending[place].file);
      EXPECT_TRUE(done.insert(pending[place].file).second);
    }
  }
  EXPECT_EQ(done.size(), all.size());
}

}  // namespace
}  // namespace warpgrade::tests
