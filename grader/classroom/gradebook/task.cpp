// What runs on a node of a cluster: a task of a job array. It reads what to grade from a file, has the same
// processes grade it as `gradebook run` does on its own machine, and writes each result as a file, whole or
// not at all. It never sees the class's store.
#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <map>

#include "batch/task_files.hpp"
#include "batch/workers.hpp"
#include "gradebook/class_run.hpp"
#include "gradebook/processes.hpp"
#include "sandbox/sandbox.hpp"
#include "setup/course_root.hpp"
#include "setup/interruption.hpp"

namespace warpgrade::gradebook {

namespace fs = std::filesystem;

namespace {

std::string node_name() {
  if (std::string name = environment("SLURMD_NODENAME"); !name.empty()) return name;
  char name[256] = "";
  ::gethostname(name, sizeof name - 1);
  return name;
}

/// Those that Slurm gave this task; others of the machine belong to others.
int cores_of_task() {
  for (const char *name : {"SLURM_CPUS_PER_TASK", "SLURM_CPUS_ON_NODE"})
    if (const int cores = std::atoi(environment(name).c_str()); cores > 0) return cores;
  return 1;
}

struct Place {
  fs::path folder;
  std::size_t task;
};

Place place_of(const std::vector<std::string> &words) {
  if (words.size() != 2) throw UsageError("this is for job arrays that gradebook submits");
  return {words[0], std::stoul(words[1])};
}

batch::TaskWork work_of(const Place &place) {
  auto work = batch::read_task_file<batch::TaskWork>(place.folder / batch::work_name(place.task));
  if (!work)
    throw std::runtime_error(
        fmt::format("{} is missing", (place.folder / batch::work_name(place.task)).string()));
  return *work;
}

ClassGrader grader_for(const batch::TaskOrders &orders) {
  ClassCourse course{orders.root, fs::path(orders.root) / "assignments" / orders.assignment, {}};
  course.assignment = course::read_assignment(course.folder);
  GradingWords how;
  how.assignment = orders.assignment;
  how.device = orders.device;
  how.toolchain = orders.toolchain;
  how.jobs = orders.jobs;
  how.no_sandbox = orders.no_sandbox;
  return look_here(std::move(course), how, orders.seed);
}

/// Why this node cannot grade as it was told to; empty: it can.
std::string objection(const ClassGrader &grader, const batch::TaskOrders &orders) {
  if (orders.version != WARPGRADE_VERSION)
    return fmt::format("the run was started by gradebook {}, but this node has {}", orders.version,
                       WARPGRADE_VERSION);
  try {
    demand_sandbox(*grader.machine->sandbox, orders.no_sandbox);
  } catch (const UsageError &e) {
    return e.what();
  }
  if (!orders.fingerprint.empty() && batch::fingerprint_of(grader.setup()) != orders.fingerprint)
    return fmt::format(
        "it would grade on {} with {}, under other conditions than the run began with; 'constraint:', "
        "'gres:' "
        "or 'partition:' of the Slurm file can ask for nodes of one kind",
        grader.device.name, grader.front_end);
  return "";
}

int refuse(const Place &place, const std::string &why) {
  batch::write_task_file(place.folder / batch::refusal_name(place.task),
                         batch::TaskRefusal{node_name(), why});
  fmt::print(stderr, "refused: {}\n", why);
  return usage;
}

int grade_items(const Place &place, const batch::TaskWork &work, const ClassGrader &grader) {
  std::vector<std::size_t> items;
  for (std::size_t i = 0; i < work.items.size(); ++i)
    if (!fs::exists(place.folder / batch::result_name(place.task, i))) items.push_back(i);
  batch::Workers workers(worker_options(grader, items.size(), cores_of_task()));
  std::size_t next = 0;
  const auto next_request = [&]() -> std::optional<batch::Request> {
    if (next == items.size()) return std::nullopt;
    const std::size_t i = items[next++];
    return batch::Request{std::to_string(i), work.items[i].step + "\n" + work.items[i].text};  // told_of()
  };
  const auto take = [&](const batch::Reply &reply) {
    const std::size_t i = std::stoul(reply.request);
    const batch::TaskItem &item = work.items.at(i);
    batch::write_task_file(place.folder / batch::result_name(place.task, i),
                           batch::TaskResult{item.step, item.file, work.orders.fingerprint, reply.seconds,
                                             node_name(), reply.answered, reply.text});
  };
  const Interruption interruption;
  if (workers.run(next_request, take, interruption.descriptor())) return full_score;
  return 128 + interruption.signal().value_or(2);
}

}  // namespace

int task(const std::vector<std::string> &words) {
  const Place place = place_of(words);
  const batch::TaskWork work = work_of(place);
  std::optional<ClassGrader> grader;
  try {
    grader = grader_for(work.orders);
  } catch (const std::exception &e) {  // no compiler, no GPU, no course
    return refuse(place, e.what());
  }
  if (const std::string why = objection(*grader, work.orders); !why.empty()) return refuse(place, why);
  return grade_items(place, work, *grader);
}

int probe(const std::vector<std::string> &words) {
  const Place place = place_of(words);
  const batch::TaskWork work = work_of(place);
  batch::NodeFacts facts;
  facts.node = node_name();
  facts.version = WARPGRADE_VERSION;
  try {
    const ClassGrader grader = grader_for(work.orders);
    facts.device = grader.device;
    facts.front_end = grader.front_end;
    facts.sandbox = grader.sandbox;
    facts.problem = objection(grader, work.orders);
  } catch (const std::exception &e) {
    facts.problem = e.what();
  }
  batch::write_task_file(place.folder / "node.json", facts);
  return full_score;
}

}  // namespace warpgrade::gradebook
