// ./gradebook: what instructors run.
#include <fmt/format.h>

#include <cstdio>
#include <functional>

#include "apps/command_line.hpp"
#include "apps/gradebook_commands.hpp"
#include "batch/cluster.hpp"
#include "batch/database.hpp"
#include "gpu/gpu.hpp"
#include "gradebook/processes.hpp"
#include "service/grade_queue.hpp"
#include "service/workspace/trial_queue.hpp"
#include "setup/course_root.hpp"
#include "setup/guarded.hpp"
#include "setup/supervise.hpp"

namespace warpgrade::apps {
namespace {

struct Command {
  const char *name, *what;
  int (*run)(const std::vector<std::string> &);
};
constexpr Command commands[] = {
    {"run", "grade a class; the same command continues one that was interrupted", gradebook_run},
    {"status", "the progress of a class, and what needs a person's attention", gradebook_status},
    {"report", "write the class as pages: dashboard, leaderboard, one page per student", gradebook_report},
    {"rescore", "apply changed points and thresholds to stored results", gradebook_rescore},
    {"regrade", "grade handins again", gradebook_regrade},
    {"override", "give points by hand", gradebook_override},
    {"export", "write the grades for Canvas, Moodle, Gradescope, Classroom 50 and others, or as CSV",
     gradebook_export},
    {"push", "send the grades to a platform, over LTI 1.3", gradebook_push},
    {"autograder", "write an autograder for Gradescope, which grades there on the simulator",
     gradebook_autograder},
    {"serve", "run a service that grades what students submit over the network", gradebook_serve},
    {"tokens", "make, list and revoke the tokens with which people use a service", gradebook_tokens},
    {"similar", "write the code of a class in the layout of JPlag and Dolos", gradebook_similar},
    {"viva", "questions for each student about their own code", gradebook_viva},
    {"calibrate", "propose thresholds for the GPU of this machine, or describe it", gradebook_calibrate},
    {"new", "make an assignment from a template", gradebook_new},
    {"facts", "count in the solutions what the questions of an assignment ask for", gradebook_facts},
    {"kit", "pack what students get", gradebook_kit},
    {"variants", "list the variants of an assignment, or write the course of one", gradebook_variants},
    {"handout", "fill in the handout of an assignment, pictures included", gradebook_handout},
    {"table", "write the assignments of the course as a table", gradebook_table},
    {"lint", "check the files of assignments", gradebook_lint},
    {"harden", "measure the cases of an assignment with mutants of its solutions", gradebook_harden},
    {"hunt", "make bug hunts from the solutions of an assignment", gradebook_hunt},
};

int run(const std::vector<std::string> &words) {
  if (!words.empty() && words.front() == gradebook::task_command)
    return gradebook::task({words.begin() + 1, words.end()});
  if (!words.empty() && words.front() == service::grade_queue_command)
    return service::grade_queue({words.begin() + 1, words.end()});
  if (!words.empty() && words.front() == service::trial_queue_command)
    return service::trial_queue({words.begin() + 1, words.end()});
  if (!words.empty() && words.front() == gradebook::probe_command)
    return gradebook::probe({words.begin() + 1, words.end()});
  if (!words.empty())
    for (const Command &command : commands)
      if (words.front() == command.name) return command.run({words.begin() + 1, words.end()});
  CLI::App app("Commands for instructors. Each has its own --help.", "gradebook");
  app.require_subcommand(1);
  app.set_version_flag("--version", std::string("warpgrade ") + WARPGRADE_VERSION);
  for (const Command &command : commands) app.add_subcommand(command.name, command.what);
  return parse(app, words).value_or(usage);
}

/// A store or a cluster that cannot be used is the caller's mistake, one that fails is ours.
int guarded_store(const std::function<int()> &work) {
  return guarded("gradebook", [&]() -> int {
    try {
      return work();
    } catch (const batch::StoreError &e) {
      complain(fmt::format("gradebook: {}", e.what()));
      return e.kind == batch::StoreError::Kind::unusable ? usage : grader_failed;
    } catch (const batch::ClusterError &e) {
      complain(fmt::format("gradebook: {}", e.what()));
      return e.kind == batch::ClusterError::Kind::silent ? grader_failed : usage;
    }
  });
}

}  // namespace
}  // namespace warpgrade::apps

int main(int argc, char **argv) {
  using namespace warpgrade;
  if (const auto status = gpu::run_as_child(argc, argv)) return *status;
  const std::vector<std::string> words(argv + 1, argv + argc);
  if (!words.empty() && words.front() == gradebook::worker_command)
    return apps::guarded_store([&] { return gradebook::worker({words.begin() + 1, words.end()}); });
  if (!words.empty() && words.front() == service::trial_worker_command)
    return apps::guarded_store([&] { return service::trial_worker({words.begin() + 1, words.end()}); });
  occupy_standard_descriptors();
  return guarded("gradebook", [&] {
    return supervise("gradebook", [&] { return apps::guarded_store([&] { return apps::run(words); }); });
  });
}
