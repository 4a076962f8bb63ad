// A cluster of paper, and a small class that is graded on it.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <deque>
#include <map>

#include "batch/slurm.hpp"
#include "tests/batch/a_class.hpp"

namespace warpgrade::tests {

/// Takes jobs and runs none: tests say what becomes of them.
class PaperCluster final : public batch::Cluster {
 public:
  struct Job {
    std::string number, name;
    std::vector<std::string> words;
    std::filesystem::path folder;
    std::vector<std::string> states;
  };

  std::string submit(const std::vector<std::string> &words) override {
    if (!objections.empty()) {
      const batch::ClusterError objection = objections.front();
      objections.pop_front();
      throw objection;
    }
    Job job;
    job.words = words;
    job.folder = std::filesystem::path(words.back()).parent_path();
    std::size_t tasks = 0;
    for (const std::string &word : words) {
      if (word.starts_with("--job-name=")) job.name = word.substr(11);
      if (word.starts_with("--array=0-")) tasks = std::stoul(word.substr(10)) + 1;
    }
    if (tasks > most_tasks)
      throw batch::ClusterError(batch::ClusterError::Kind::too_long, "Invalid job array specification");
    job.number = std::to_string(100 + jobs.size());
    job.states.assign(tasks, "PENDING");
    jobs.push_back(job);
    return job.number;
  }
  std::vector<batch::QueuedTask> queue() override {
    ++questions;
    if (silent)
      throw batch::ClusterError(batch::ClusterError::Kind::silent,
                                "the cluster does not answer: connect failure");
    std::vector<batch::QueuedTask> all;
    for (const Job &job : jobs)
      for (std::size_t t = 0; t < job.states.size(); ++t)
        if (!job.states[t].empty()) all.push_back({job.name, job.number, t, job.states[t], reason, "n1"});
    return all;
  }
  std::string how_it_ended(const std::string &, std::size_t) override { return ended_as; }
  void cancel(const std::string &name) override {
    if (silent)
      throw batch::ClusterError(batch::ClusterError::Kind::silent,
                                "the cluster does not answer: connect failure");
    cancelled.push_back(name);
  }
  std::size_t longest_array() override { return longest; }

  std::deque<batch::ClusterError> objections;
  std::deque<Job> jobs;
  std::vector<std::string> cancelled;
  std::size_t longest = 1000, most_tasks = 1000;
  int questions = 0;
  bool silent = false;
  std::string reason = "Resources", ended_as;
};

/// Five files, two a task, and a clock that tests set.
class OnPaper : public ::testing::Test {
 protected:
  OnPaper() {
    options.site.files_per_task = 2;
    options.site.poll_seconds = 10;
    options.site.grace_seconds = 60;
    options.orders.version = "1";
    options.orders.fingerprint = "f";
    options.orders.assignment = "hw";
    options.folder = folder / "work";
    options.program = "/opt/gradebook";
    options.command = {"grade-array"};
    options.label = "hw";
    for (int i = 0; i < 5; ++i) pending.push_back({"base", "hash" + std::to_string(i)});
  }

  batch::SlurmRun &begin() {
    run.emplace(
        cluster, options, pending, [](const batch::Task &task) { return "text of " + task.file; },
        [this](const batch::TaskOutcome &o) {
          EXPECT_TRUE(outcomes.emplace(o.task, o).second) << "two outcomes of " << o.task;
        },
        [this] { return now; }, [this](const std::string &line) { said.push_back(line); });
    run->adopt();
    return *run;
  }
  bool round_after(double seconds) {
    now += seconds;
    return run->round();
  }

  /// As a task would: grades all of its work, or the first `most` of it.
  static void work(PaperCluster::Job &job, std::size_t task, std::size_t most = 100,
                   const std::string &end = "COMPLETED") {
    const auto todo = batch::read_task_file<batch::TaskWork>(job.folder / batch::work_name(task));
    ASSERT_TRUE(todo);
    for (std::size_t i = 0; i < std::min(most, todo->items.size()); ++i) {
      EXPECT_EQ(todo->items[i].text, "text of " + todo->items[i].file);
      batch::write_task_file(
          job.folder / batch::result_name(task, i),
          batch::TaskResult{todo->items[i].step, todo->items[i].file, todo->orders.fingerprint, 1.5, "n1",
                            true, "record of " + todo->items[i].file});
    }
    job.states[task] = end;
  }
  static void work_all(PaperCluster::Job &job) {
    for (std::size_t t = 0; t < job.states.size(); ++t) work(job, t);
  }
  std::vector<std::filesystem::path> left_behind() const {
    std::vector<std::filesystem::path> found;
    for (const auto &entry : std::filesystem::directory_iterator(options.folder / "arrays"))
      found.push_back(entry.path());
    return found;
  }
  void expect_all_answered() const {
    ASSERT_EQ(outcomes.size(), pending.size());
    for (const auto &[place, outcome] : outcomes) {
      EXPECT_TRUE(outcome.answered);
      EXPECT_EQ(outcome.text, "record of " + pending[place].file);
    }
    EXPECT_THAT(left_behind(), ::testing::IsEmpty());
  }

  Folder folder;
  PaperCluster cluster;
  batch::SlurmOptions options;
  std::vector<batch::Task> pending;
  std::optional<batch::SlurmRun> run;
  std::map<std::size_t, batch::TaskOutcome> outcomes;
  std::vector<std::string> said;
  double now = 1000;
};

}  // namespace warpgrade::tests
