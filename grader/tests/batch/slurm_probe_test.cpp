// A node is looked at before a class is given to it.
#include "batch/slurm_probe.hpp"

#include "tests/batch/paper_cluster.hpp"

namespace warpgrade::tests {
namespace {

using namespace batch;
namespace fs = std::filesystem;
using ::testing::HasSubstr;

using SlurmProbe = OnPaper;

TEST_F(SlurmProbe, ANodeIsInspectedOnceForTheSameQuestion) {
  fs::create_directories(options.folder);
  options.site.poll_seconds = 0.1;
  options.site.grace_seconds = 0.2;
  const auto clock = [this] { return now += 0.1; };
  const auto say = [this](const std::string &line) {
    said.push_back(line);
    NodeFacts facts;
    facts.node = "n1";
    facts.front_end = "nvcc 13.0";
    write_task_file(cluster.jobs.back().folder / "node.json", facts);
  };
  const auto facts = ask_a_node(cluster, options, clock, say, -1);
  ASSERT_TRUE(facts);
  EXPECT_EQ(facts->front_end, "nvcc 13.0");
  EXPECT_EQ(ask_a_node(cluster, options, clock, say, -1), facts);
  EXPECT_EQ(cluster.jobs.size(), 1u);
  options.site.partition = "other";
  EXPECT_TRUE(ask_a_node(cluster, options, clock, say, -1));
  EXPECT_EQ(cluster.jobs.size(), 2u);
  for (const auto &job : cluster.jobs) EXPECT_FALSE(fs::exists(job.folder));
}

TEST_F(SlurmProbe, AFolderThatANodeDoesNotSeeIsReported) {
  fs::create_directories(options.folder);
  options.site.poll_seconds = 0.1;
  options.site.grace_seconds = 0.2;
  cluster.ended_as = "FAILED with exit status 66 on n1";
  const auto clock = [this] { return now += 0.1; };
  const auto say = [this](const std::string &) { cluster.jobs.back().states[0] = "FAILED"; };
  try {
    ask_a_node(cluster, options, clock, say, -1);
    FAIL();
  } catch (const std::runtime_error &e) {
    EXPECT_THAT(e.what(), HasSubstr("It does not see " + options.folder.string() +
                                    ": it must be on a file system that all nodes share"));
  }
}

}  // namespace
}  // namespace warpgrade::tests
