#include "batch/slurm_probe.hpp"

#include <fmt/format.h>
#include <poll.h>

#include <algorithm>
#include <random>
#include <utility>

#include "base/files.hpp"
#include "batch/content.hpp"

namespace warpgrade::batch {

namespace {

namespace fs = std::filesystem;

constexpr const char *answer_name = "node.json";

/// All that the answer depends on, for telling answers to other questions.
std::string question_of(const SlurmOptions &o) {
  std::string all =
      fmt::format("{}\n{}\n{}\n{}\n{}\n{}\n", o.orders.version, o.orders.root, o.orders.assignment,
                  o.orders.device, o.orders.toolchain, o.orders.no_sandbox);
  for (const std::string &word : sbatch_words(o.site, "", 1, {}, o.program)) all += word + "\n";
  for (const std::string &line : o.site.setup) all += line + "\n";
  return hash_of(all);
}

/// What a person can do about a task that left no answer.
std::string advice(const SlurmOptions &o, const std::string &how) {
  if (how.find(fmt::format("exit status {}", static_cast<int>(folder_not_there))) != std::string::npos)
    return fmt::format(
        "It does not see {}: it must be on a file system that all nodes share; 'folder:' in the "
        "Slurm file names another place for it.",
        o.folder.string());
  if (how.find(fmt::format("exit status {}", static_cast<int>(program_not_there))) != std::string::npos)
    return fmt::format(
        "It does not see {}: the course and its programs must be on a file system that all nodes share.",
        o.program.string());
  return fmt::format(
      "Is {} the same folder on that node? It must be on a file system that all nodes share. Does the "
      "program start there, after the lines of 'setup:'?",
      o.folder.string());
}

class Probe {
 public:
  Probe(Cluster &cluster, const SlurmOptions &options, const SlurmRun::Clock &clock, const SlurmRun::Say &say)
      : cluster_(cluster), options_(options), clock_(clock), say_(say) {
    std::random_device random;
    const std::string id = fmt::format("{:08x}{:04x}", random(), random() & 0xffff);
    name_ = fmt::format("warpgrade-{}-probe-{}", options_.label, id);
    folder_ = options_.folder / ("probe-" + id);
    fs::create_directories(folder_);
    fs::permissions(options_.folder, fs::perms::owner_all);
  }
  ~Probe() {
    std::error_code none;
    fs::remove_all(folder_, none);
  }
  Probe(const Probe &) = delete;
  Probe &operator=(const Probe &) = delete;

  std::optional<NodeFacts> ask(int stop_descriptor) {
    write_task_file(folder_ / work_name(0), TaskWork{options_.orders, {}});
    write_atomically(folder_ / "job.sh",
                     job_script(folder_, options_.program, options_.command, options_.site.setup));
    const std::string job =
        cluster_.submit(sbatch_words(options_.site, name_, 1, options_.avoid, folder_ / "job.sh"));
    say_(fmt::format("job {} inspects a node of the cluster", job));
    try {
      return wait_for_answer(job, stop_descriptor);
    } catch (...) {
      try {
        cluster_.cancel(name_);
      } catch (const ClusterError &) {  // without its folder it ends at once
      }
      throw;
    }
  }

 private:
  std::optional<NodeFacts> wait_for_answer(const std::string &job, int stop_descriptor) {
    for (double next_question = clock_();;) {
      std::string bad;
      try {
        if (auto facts = read_task_file<NodeFacts>(folder_ / answer_name)) return facts;
      } catch (const RefusedFile &e) {
        bad = e.what();
      }
      if (clock_() >= next_question) {
        look_at_queue();
        next_question = clock_() + options_.site.poll_seconds;
      }
      if (ended_ && clock_() >= ended_at_ + options_.site.grace_seconds) fail(job, bad);
      pollfd stop = {stop_descriptor, POLLIN, 0};
      ::poll(&stop, 1, static_cast<int>(std::min(1.0, options_.site.poll_seconds) * 1000));
      if (stop.revents != 0) {
        cluster_.cancel(name_);
        return std::nullopt;
      }
    }
  }

  void look_at_queue() {
    try {
      std::optional<QueuedTask> mine;
      for (QueuedTask &task : cluster_.queue())
        if (task.name == name_) mine = std::move(task);
      if (mine && !mine->ended()) {
        ended_ = false;
        const std::string why = mine->state == "PENDING" && mine->reason != "None" ? mine->reason : "";
        if (!why.empty() && why != waits_for_) say_(fmt::format("it waits in the queue: {}", why));
        if (!why.empty()) waits_for_ = why;
      } else if (!std::exchange(ended_, true)) {
        ended_at_ = clock_();
      }
    } catch (const ClusterError &e) {
      if (e.kind != ClusterError::Kind::silent) throw;
    }
  }

  [[noreturn]] void fail(const std::string &job, const std::string &bad) {
    const std::string how = cluster_.how_it_ended(job, 0);
    const std::string printed = read_or_empty(folder_ / log_name(0));
    throw std::runtime_error(
        fmt::format("a task that only inspects a node returned no answer: job {} ended{}{}. {}{}{}", job,
                    how.empty() ? "" : ": " + how, bad.empty() ? "" : ", " + bad, advice(options_, how),
                    printed.empty() ? "" : "\nIt printed:\n", printed.substr(0, 2000)));
  }

  Cluster &cluster_;
  const SlurmOptions &options_;
  const SlurmRun::Clock &clock_;
  const SlurmRun::Say &say_;
  std::string name_, waits_for_;
  bool ended_ = false;
  double ended_at_ = 0;
  fs::path folder_;
};

}  // namespace

std::optional<NodeFacts> ask_a_node(Cluster &cluster, const SlurmOptions &options,
                                    const SlurmRun::Clock &clock, const SlurmRun::Say &say,
                                    int stop_descriptor) {
  const std::string question = question_of(options);
  const fs::path kept = options.folder / answer_name;
  try {
    if (auto before = read_task_file<NodeFacts>(kept); before && before->asked == question) return before;
  } catch (const RefusedFile &) {
  }
  std::optional<NodeFacts> facts = Probe(cluster, options, clock, say).ask(stop_descriptor);
  if (!facts) return facts;
  facts->asked = question;
  if (facts->problem.empty()) write_task_file(kept, *facts);
  return facts;
}

void forget_node(const fs::path &folder) {
  std::error_code none;
  fs::remove(folder / answer_name, none);
}

}  // namespace warpgrade::batch
