// ./gradebook: what instructors run.
#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "apps/calibrate.hpp"
#include "apps/command_line.hpp"
#include "apps/course_root.hpp"

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

int run(int argc, char **argv) {
  CLI::App app("What instructors run.", "gradebook");
  app.require_subcommand(1);
  app.set_version_flag("--version", std::string("warpgrade ") + WARPGRADE_VERSION);
  app.add_subcommand("calibrate",
                     "propose thresholds for the GPU of this machine: 'gradebook calibrate --help'");
  if (argc > 1 && std::string_view(argv[1]) == "calibrate") return calibrate({argv + 2, argv + argc});
  CLI::App *check = app.add_subcommand("lint", "check the files of assignments");
  std::vector<std::string> names;
  check->add_option("assignment", names, "which ones; all of them when none is named");
  if (const auto status = parse(app, {argv + 1, argv + argc})) return *status;

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

}  // namespace
}  // namespace warpgrade::apps

int main(int argc, char **argv) {
  if (const auto status = warpgrade::gpu::run_as_child(argc, argv)) return *status;
  try {
    return warpgrade::apps::run(argc, argv);
  } catch (const warpgrade::course::ConfigError &e) {
    fmt::print(stderr, "{}\n", e.what());
    return warpgrade::apps::usage;
  } catch (const warpgrade::apps::UsageError &e) {
    fmt::print(stderr, "gradebook: {}\n", e.what());
    return warpgrade::apps::usage;
  } catch (const std::exception &e) {
    fmt::print(stderr, "gradebook: {}\n", e.what());
    return warpgrade::apps::grader_failed;
  }
}
