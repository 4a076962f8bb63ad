// ./gradebook: what instructors run.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <functional>

#include "apps/calibrate.hpp"
#include "apps/command_line.hpp"
#include "apps/course_root.hpp"
#include "apps/gradebook_commands.hpp"
#include "apps/supervise.hpp"
#include "batch/database.hpp"
#include "report/text.hpp"

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
  } catch (const course::ConfigError &e) {
    problems.emplace_back(e.what());
  }
  return problems;
}

int lint_command(const std::vector<std::string> &words) {
  CLI::App app("Checks the files of assignments.", "gradebook lint");
  std::vector<std::string> names;
  app.add_option("assignment", names, "which ones; all of them when none is named");
  if (const auto status = parse(app, words)) return *status;
  const std::filesystem::path root = find_root();
  if (names.empty()) names = assignment_names(root);
  std::size_t wrong = 0;
  for (const std::string &name : names) {
    const std::vector<std::string> problems = lint(root, name);
    for (const std::string &p : problems) fmt::print(stderr, "{}\n", p);
    if (problems.empty()) fmt::print("{}: no mistakes found\n", name);
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
    {"similar", "lay the code of a class out for JPlag and Dolos", gradebook_similar},
    {"calibrate", "propose thresholds for the GPU of this machine", calibrate},
    {"handout", "fill in the handout of an assignment, pictures included", gradebook_handout},
    {"lint", "check the files of assignments", lint_command},
};

int run(const std::vector<std::string> &words) {
  if (!words.empty())
    for (const Command &command : commands)
      if (words.front() == command.name) return command.run({words.begin() + 1, words.end()});
  CLI::App app("What instructors run. Each command has its own --help.", "gradebook");
  app.require_subcommand(1);
  app.set_version_flag("--version", std::string("warpgrade ") + WARPGRADE_VERSION);
  for (const Command &command : commands) app.add_subcommand(command.name, command.what);
  return parse(app, words).value_or(usage);
}

void say(std::string_view text) {
  std::fputs((report::for_terminal(text, true) + "\n").c_str(), stderr);
}

int guarded(const std::function<int()> &work) {
  try {
    return work();
  } catch (const course::ConfigError &e) {
    say(e.what());
    return usage;
  } catch (const UsageError &e) {
    say(fmt::format("gradebook: {}", e.what()));
    return usage;
  } catch (const batch::StoreError &e) {
    say(fmt::format("gradebook: {}", e.what()));
    return e.kind == batch::StoreError::Kind::unusable ? usage : grader_failed;
  } catch (const std::exception &e) {
    say(fmt::format("gradebook: {}", e.what()));
    return grader_failed;
  }
}

}  // namespace
}  // namespace warpgrade::apps

int main(int argc, char **argv) {
  using namespace warpgrade;
  if (const auto status = gpu::run_as_child(argc, argv)) return *status;
  const std::vector<std::string> words(argv + 1, argv + argc);
  if (!words.empty() && words.front() == apps::worker_command)
    return apps::guarded([&] { return apps::gradebook_worker({words.begin() + 1, words.end()}); });
  apps::occupy_standard_descriptors();
  return apps::guarded([&] {
    return apps::supervise("gradebook", [&] { return apps::guarded([&] { return apps::run(words); }); });
  });
}
