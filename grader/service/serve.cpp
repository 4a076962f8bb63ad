#include "service/serve.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <sys/wait.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <ctime>
#include <utility>

#include "base/files.hpp"
#include "base/process.hpp"
#include "base/text.hpp"
#include "batch/content.hpp"
#include "service/grade_queue.hpp"
#include "service/own_variants.hpp"
#include "service/policy.hpp"
#include "service/service_store.hpp"
#include "service/workspace/trial_queue.hpp"
#include "setup/interruption.hpp"
#include "setup/selection.hpp"

namespace warpgrade::service {

namespace fs = std::filesystem;

namespace {

using Clock = std::chrono::steady_clock;
constexpr auto shortest_rest = std::chrono::milliseconds(200);
constexpr auto longest_rest = std::chrono::seconds(30);
constexpr auto long_life = std::chrono::seconds(30);
constexpr double seconds_to_end = 10;

/// A process that is started again whenever it ends, ever more slowly while it ends at once. One that says on
/// its first start that it was called wrongly would say so again: it has `refused`, unless the service can do
/// without it.
struct Kept {
  std::string name;
  Start start;
  Child child = {};
  Clock::time_point started = {}, next = {};
  Clock::duration rest = shortest_rest;
  bool first = true, refused = false;
  bool needed = true;  ///< the service ends where it cannot start

  void look_after() {
    if (child.running()) {
      if (!child.ended()) return;
      const int status = child.status().value_or(0);
      refused = std::exchange(first, false) && needed && Clock::now() - started < long_life &&
                WIFEXITED(status) && WEXITSTATUS(status) == usage;
      if (refused) return child.forget();
      rest = Clock::now() - started > long_life ? Clock::duration(shortest_rest)
                                                : std::min<Clock::duration>(rest * 2, longest_rest);
      next = Clock::now() + rest;
      fmt::print(stderr, "{} ended ({}); it is started again in {:.1f} s\n", name,
                 how_it_ended(child.status().value_or(0)), std::chrono::duration<double>(rest).count());
      child.forget();
    }
    if (Clock::now() < next) return;
    started = Clock::now();
    child = Child(start);
  }
};

/// Notes in the audit log what the policies are when they are not those of the start before.
void note_policy(ServiceStore &store, const fs::path &folder) {
  const std::string hash = batch::hash_of(read_or_empty(folder / policy_file_name));
  store.change([&] {
    batch::Statement last =
        store.database().prepare("SELECT detail FROM audit WHERE what = 'policy' ORDER BY id DESC LIMIT 1");
    if (last.step() && last.text_at(0) == hash) return;
    note_in_audit(store.database(), std::time(nullptr), "the administrator", "policy", policy_file_name,
                  hash);
  });
}

Start start_of(const fs::path &program, std::vector<std::string> words) {
  Start start{.program = program.string(), .arguments = {program.string()}};
  start.arguments.insert(start.arguments.end(), words.begin(), words.end());
  start.descriptors = {{1, 1}, {2, 2}};
  start.dies_with_us = true;
  return start;
}

}  // namespace

int serve(const ServeOptions &o) {
  const fs::path here = fs::read_symlink("/proc/self/exe"), http = here.parent_path() / http_program;
  if (!fs::exists(http))
    throw UsageError(fmt::format("there is no {} beside {}: 'make' builds it", http_program, here.string()));
  const fs::path root = find_root();
  const std::vector<std::string> known = assignment_names(root);
  for (const std::string &name : o.assignments)
    if (std::find(known.begin(), known.end(), name) == known.end())
      throw UsageError(
          fmt::format("there is no assignment '{}' (there are: {})", name, fmt::join(known, ", ")));
  const fs::path folder = fs::absolute(o.folder);
  ServiceStore store(folder, ServiceStore::Access::create);
  (void)read_policies(folder / policy_file_name, known);  // a mistake in it is better found now
  note_policy(store, folder);
  for (const std::string &name : o.assignments) settle_variants(store, folder, root, name, o.secret);
  // The next start must not find where the last one listened.
  fs::remove(folder / url_file_name);

  const Interruption interruption;
  std::vector<Kept> processes;
  std::vector<std::string> words = {folder.string(), o.address, std::to_string(o.port)};
  words.insert(words.end(), o.assignments.begin(), o.assignments.end());
  processes.push_back({http_program, start_of(http, words)});
  for (const std::string &name : o.assignments) {
    gradebook::GradingWords grading = o.grading;
    grading.assignment = name;
    processes.push_back({fmt::format("the process that grades {}", name),
                         start_of("/proc/self/exe", words_of(folder, grading))});
    processes.push_back({fmt::format("the process that runs trials of {}", name),
                         start_of("/proc/self/exe", trial_words_of(folder, grading))});
    processes.back().needed = false;  // a machine in front of a cluster may have no compiler
  }
  bool said = false;
  const auto refused = [&processes] {
    return std::find_if(processes.begin(), processes.end(), [](const Kept &p) { return p.refused; });
  };
  while (!interruption.signal() && refused() == processes.end()) {
    for (Kept &process : processes) process.look_after();
    if (const std::string url = read_or_empty(folder / url_file_name); !said && !url.empty()) {
      fmt::print("listening on {}\n", trimmed(url));
      std::fflush(stdout);
      // A port that was free is kept when the process is started again.
      processes.front().start.arguments[3] = trimmed(url).substr(url.rfind(':') + 1);
      said = true;
    }
    pollfd stop{interruption.descriptor(), POLLIN, 0};
    ::poll(&stop, 1, 100);
  }
  const auto why = refused();
  if (why != processes.end()) fmt::print(stderr, "{} cannot start; the reason is above\n", why->name);
  fmt::print(stderr, "ending; what is queued stays queued, and the same command continues\n");
  for (Kept &process : processes)
    if (process.child.running()) ::kill(process.child.id(), SIGTERM);
  for (Kept &process : processes)
    if (process.child.running() && !process.child.ended(seconds_to_end)) process.child.kill();
  fs::remove(folder / url_file_name);
  return why == processes.end() ? 0 : usage;
}

}  // namespace warpgrade::service
