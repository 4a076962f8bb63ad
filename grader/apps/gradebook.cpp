// ./gradebook: what instructors run.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cmath>
#include <cstdio>
#include <functional>

#include "apps/calibrate.hpp"
#include "apps/command_line.hpp"
#include "apps/facts.hpp"
#include "apps/gradebook_commands.hpp"
#include "apps/lint_files.hpp"
#include "batch/cluster.hpp"
#include "batch/database.hpp"
#include "grading/grading.hpp"
#include "score/score.hpp"
#include "setup/course_root.hpp"
#include "setup/files.hpp"
#include "setup/guarded.hpp"
#include "setup/supervise.hpp"

namespace warpgrade::apps {
namespace {

/// Reads every file of one assignment and looks for what students would stumble over.
std::vector<std::string> lint(const std::filesystem::path &root, const std::string &name) {
  std::vector<std::string> problems;
  try {
    const std::filesystem::path folder = std::filesystem::relative(root / "assignments" / name);
    const course::Assignment a = course::read_assignment(folder);
    course::read_all_thresholds(folder, a);
    for (const char *kind : {"starter", "solutions"})
      for (const course::Step &s : a.steps) {
        if (s.beyond && std::string_view(kind) == "starter") continue;
        const std::filesystem::path file = std::filesystem::relative(root / kind / name / s.path());
        if (!std::filesystem::is_regular_file(file))
          problems.push_back(fmt::format("{}: step '{}' of {} needs this file", file.string(), s.id, name));
      }
    for (std::string &one : entries_not_found(root, a)) problems.push_back(std::move(one));
    if (problems.empty()) problems = starter_out_of_step(root, name);
    for (std::string &one : mistakes_in_handout(root, a)) problems.push_back(std::move(one));
  } catch (const course::ConfigError &e) {
    problems.emplace_back(e.what());
  }
  return problems;
}

/// What takes minutes: the solutions must be full, the starter worth nothing, the facts in step with the
/// solutions. On the simulator.
std::vector<std::string> lint_by_grading(const std::filesystem::path &root, const std::string &name) {
  std::vector<std::string> problems;
  Common common;
  common.assignment = name;
  for (const char *kind : {"solutions", "starter"}) {
    common.submission = std::filesystem::relative(root / kind / name).string();
    const Course course = open_course(common, {});
    const course::Assignment &a = course.assignment;
    const auto machine = look_at_machine(root, a, DeviceChoice::simulator, true);
    grading::Grader grader(a, machine->environment, grading_options(common, a));
    for (const course::Step *step : pick_steps(a, {})) {
      const grading::StepRecord record =
          grader.grade(*step, grader.build(*step, course.submission), course.submission);
      const score::StepScore score = score::score_step(*step, machine->thresholds, record);
      const bool solution = std::string_view(kind) == "solutions";
      const double wanted = solution ? score.max_points - score.ungraded_points : 0;
      if (std::fabs(score.points - wanted) < 1e-9 &&
          (!solution || record.verdict == judge::Verdict::accepted))
        continue;
      problems.push_back(fmt::format("{}: {} scores {:g} where {:g} is right ({})",
                                     course.submission.string(), step->id, score.points, wanted,
                                     judge::name_of(record.verdict)));
    }
    const std::filesystem::path facts = root / "assignments" / name / "facts.yaml";
    if (std::string_view(kind) == "starter") continue;
    if (const std::string text = facts_yaml(a, *machine, course.submission);
        text != (std::filesystem::exists(facts) ? read_whole(facts) : std::string()))
      problems.push_back(fmt::format("{} is not what the solutions do: 'gradebook facts {}' writes it anew",
                                     std::filesystem::relative(facts).string(), name));
  }
  if (problems.empty() && std::filesystem::exists(root / "handouts" / (name + ".md")))
    problems = mistakes_in_whole_handout(root, name);
  return problems;
}

int lint_command(const std::vector<std::string> &words) {
  CLI::App app("Checks the files of assignments.", "gradebook lint");
  std::vector<std::string> names;
  bool grade = false;
  app.add_option("assignment", names, "which ones; all of them when none is named");
  app.add_flag("--grade", grade,
               "also grade solutions and starter on the simulator: full and nothing; count the facts again, "
               "and fill in "
               "the handout");
  if (const auto status = parse(app, words)) return *status;
  const std::filesystem::path root = find_root();
  if (names.empty()) names = assignment_names(root);
  std::size_t wrong = 0;
  for (const std::string &name : names) {
    std::vector<std::string> problems = lint(root, name);
    if (grade && problems.empty()) problems = lint_by_grading(root, name);
    for (const std::string &p : problems) fmt::print(stderr, "{}\n", p);
    if (problems.empty()) fmt::print("{}: no mistakes found\n", name);
    if (problems.empty() && !std::filesystem::exists(root / "handouts" / (name + ".md")))
      fmt::print("{}: there is no handout (handouts/{}.md)\n", name, name);
    wrong += problems.size();
  }
  return wrong == 0 ? full_score : usage;
}

struct Command {
  const char *name, *what;
  int (*run)(const std::vector<std::string> &);
};
constexpr Command commands[] = {
    {"run", "grade a class; the same command continues one that was interrupted", gradebook_run},
    {"status", "how far a class is, and what a person should look at", gradebook_status},
    {"report", "write the class as pages: dashboard, leaderboard, a page a student", gradebook_report},
    {"rescore", "apply changed points and thresholds to stored results", gradebook_rescore},
    {"regrade", "grade handins again", gradebook_regrade},
    {"override", "give points by hand", gradebook_override},
    {"export", "write the grades for Canvas, Moodle, Gradescope, GitHub Classroom, JUnit or as CSV",
     gradebook_export},
    {"autograder", "write an autograder for Gradescope, which grades there on the simulator",
     gradebook_autograder},
    {"similar", "lay the code of a class out for JPlag and Dolos", gradebook_similar},
    {"calibrate", "propose thresholds for the GPU of this machine", calibrate},
    {"new", "make an assignment from a template", gradebook_new},
    {"facts", "count in the solutions what the questions of an assignment ask for", gradebook_facts},
    {"kit", "pack what students get", gradebook_kit},
    {"handout", "fill in the handout of an assignment, pictures included", gradebook_handout},
    {"lint", "check the files of assignments", lint_command},
};

int run(const std::vector<std::string> &words) {
  if (!words.empty() && words.front() == task_command)
    return gradebook_task({words.begin() + 1, words.end()});
  if (!words.empty() && words.front() == probe_command)
    return gradebook_probe({words.begin() + 1, words.end()});
  if (!words.empty())
    for (const Command &command : commands)
      if (words.front() == command.name) return command.run({words.begin() + 1, words.end()});
  CLI::App app("What instructors run. Each command has its own --help.", "gradebook");
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
  if (!words.empty() && words.front() == apps::worker_command)
    return apps::guarded_store([&] { return apps::gradebook_worker({words.begin() + 1, words.end()}); });
  occupy_standard_descriptors();
  return guarded("gradebook", [&] {
    return supervise("gradebook", [&] { return apps::guarded_store([&] { return apps::run(words); }); });
  });
}
