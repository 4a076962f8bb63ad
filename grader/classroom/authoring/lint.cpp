#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "authoring/authoring.hpp"
#include "authoring/facts.hpp"
#include "authoring/lint_branches.hpp"
#include "authoring/lint_files.hpp"
#include "authoring/lint_problem.hpp"
#include "authoring/lint_variants.hpp"
#include "course/handout.hpp"
#include "course/yaml.hpp"
#include "score/score.hpp"
#include "setup/files.hpp"

namespace warpgrade::authoring {
namespace {

/// The cases of each problem that run on the simulator and are small enough to be tried.
std::map<const problem::Problem *, std::vector<problem::Case>> small_cases(const course::Assignment &a) {
  constexpr double most_work = 3e6;
  std::map<const problem::Problem *, std::vector<problem::Case>> cases;
  for (const course::Step &s : a.steps)
    for (const course::Case &c : s.cases) {
      std::vector<problem::Case> &known = cases[s.problem];
      if (!c.gpu_only && s.problem->work(c.values) <= most_work &&
          std::find(known.begin(), known.end(), c.values) == known.end())
        known.push_back(c.values);
    }
  return cases;
}

std::vector<std::string> mistakes_in_problems(const course::Assignment &a) {
  std::vector<std::string> found;
  for (const auto &[problem, some] : small_cases(a))
    for (std::string &one : mistakes_in_problem(*problem, some, a.tolerance)) found.push_back(std::move(one));
  return found;
}

/// Empty: none.
std::string mistake_in_tolerance(const std::filesystem::path &folder, const course::Assignment &a) {
  for (const auto &[problem, some] : small_cases(a))
    if (accepts_half_precision(*problem, some, a.tolerance)) {
      const std::filesystem::path file = folder / "assignment.yaml";
      return fmt::format(
          "{}:{}: 'tolerance' is {:g}, which accepts results of '{}' in half precision in every small case "
          "(docs/tolerance.md says how to choose it)",
          file.string(), course::Yaml::read(file).at("tolerance").line(), a.tolerance, problem->name());
    }
  return "";
}

/// A hunt whose answers nobody could judge.
std::vector<std::string> faults_not_known(const std::filesystem::path &folder, const course::Assignment &a) {
  std::vector<std::string> found;
  for (const course::Step &s : a.steps)
    if (s.hunt && !s.hunt->known())
      found.push_back(fmt::format("{}: 'hunts' does not say where the fault of step '{}' is",
                                  (folder / "hidden.yaml").string(), s.id));
  return found;
}

/// Reads every file of one assignment and looks for what students would stumble over.
std::vector<std::string> mistakes_in_files(const std::filesystem::path &root, const std::string &name) {
  std::vector<std::string> problems;
  try {
    const std::filesystem::path folder = std::filesystem::relative(root / "assignments" / name);
    const course::Assignment a = course::read_assignment(folder);
    course::read_all_thresholds(folder, a);
    // What follows reads these files, and would only repeat that one is missing.
    if (problems = files_not_found(root, a); !problems.empty()) return problems;
    if (std::string one = mistake_in_tolerance(folder, a); !one.empty()) problems.push_back(std::move(one));
    for (std::string &one : mistakes_in_problems(a)) problems.push_back(std::move(one));
    for (std::string &one : faults_not_known(folder, a)) problems.push_back(std::move(one));
    for (std::string &one : entries_not_found(root, a)) problems.push_back(std::move(one));
    for (std::string &one : entries_that_fit_nothing(root, a)) problems.push_back(std::move(one));
    if (problems.empty()) problems = starter_out_of_step(root, name);
    for (std::string &one : mistakes_in_handout(root, a)) problems.push_back(std::move(one));
    if (problems.empty()) problems = mistakes_in_variants(root, name);
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
      problems.push_back(fmt::format("{} does not match the solutions: 'gradebook facts {}' rewrites it",
                                     std::filesystem::relative(facts).string(), name));
  }
  if (const auto file = root / "handouts" / (name + ".md"); std::filesystem::exists(file)) {
    if (problems.empty()) problems = mistakes_in_whole_handout(root, name);
    for (const auto &other : course::translations_of(file))
      if (problems.empty()) problems = mistakes_in_whole_handout(root, other.stem().string());
  }
  return problems;
}

/// Predicted thresholds are right until somebody measures, and are no mistake.
void remark_on_predictions(const std::filesystem::path &root, const std::string &name) {
  const std::filesystem::path folder = std::filesystem::relative(root / "assignments" / name);
  std::vector<std::string> gpus;
  for (const course::Thresholds &t : course::read_all_thresholds(folder, course::read_assignment(folder)))
    if (t.predicted()) gpus.push_back(t.gpu_id);
  if (gpus.empty()) return;
  fmt::print(
      "{}: warning: thresholds for {} GPU{} are predicted ({}{}); 'gradebook calibrate {}' on such a GPU "
      "measures them\n",
      name, gpus.size(), gpus.size() == 1 ? "" : "s", gpus.front(), gpus.size() > 1 ? ", ..." : "", name);
}

}  // namespace

int lint(std::vector<std::string> names, bool grade, bool search) {
  const std::filesystem::path root = find_root();
  if (names.empty()) names = assignment_names(root);
  std::size_t wrong = 0;
  for (const std::string &name : names) {
    std::vector<std::string> problems = mistakes_in_files(root, name);
    if (grade && problems.empty()) problems = lint_by_grading(root, name);
    if (grade && problems.empty()) {
      GradedVariants graded = grade_variants(
          root, name, [&](const std::string &which) { fmt::print(stderr, "{}: {}\n", name, which); });
      problems = std::move(graded.mistakes);
      for (const std::string &remark : graded.remarks) fmt::print("{}\n", remark);
    }
    for (const std::string &p : problems) fmt::print(stderr, "{}\n", p);
    if (problems.empty()) fmt::print("{}: no mistakes found\n", name);
    if (problems.empty()) remark_on_predictions(root, name);
    if (search && problems.empty())
      for (const std::string &remark : branches_not_taken(root, name)) fmt::print("{}\n", remark);
    if (problems.empty() && !std::filesystem::exists(root / "handouts" / (name + ".md")))
      fmt::print("{}: there is no handout (handouts/{}.md)\n", name, name);
    wrong += problems.size();
  }
  return wrong == 0 ? full_score : usage;
}

}  // namespace warpgrade::authoring
