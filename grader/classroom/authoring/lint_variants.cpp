#include "authoring/lint_variants.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "authoring/lint_files.hpp"
#include "authoring/lint_problem.hpp"
#include "base/files.hpp"
#include "batch/conditions.hpp"
#include "course/assignment.hpp"
#include "score/score.hpp"
#include "setup/selection.hpp"
#include "variants/variants.hpp"

namespace warpgrade::authoring {

namespace fs = std::filesystem;

namespace {

/// The choices of a variant that are not the first ones.
std::string short_name(const variants::Variants &all, const variants::Variant &v) {
  std::string name;
  for (std::size_t i = 0; i < v.size(); ++i)
    if (v[i] != 0)
      name += fmt::format("{}{}={}", name.empty() ? "" : " ", all.parameters[i].name,
                          all.parameters[i].values[v[i]].name);
  return name.empty() ? "the files as they are" : name;
}

/// The course of a variant in a folder of its own.
struct VariantCourse {
  Scratch scratch;
  course::Assignment assignment;
  fs::path folder() const { return scratch.path() / "assignments" / assignment.name; }
  fs::path solutions() const { return scratch.path() / "solutions" / assignment.name; }
  VariantCourse(const fs::path &root, const variants::Variants &all, const variants::Variant &v) {
    variants::write_course(root, all, v, scratch.path());
    assignment = course::read_assignment(scratch.path() / "assignments" / all.assignment);
  }
};

/// Without the folder, which is gone when people read it.
std::string without(std::string sentence, const fs::path &folder) {
  const std::string prefix = folder.string() + "/";
  for (std::size_t at = 0; (at = sentence.find(prefix)) != std::string::npos;)
    sentence.erase(at, prefix.size());
  return sentence;
}

std::vector<std::string> mistakes_in_course(const VariantCourse &course,
                                            std::set<std::string> &problems_seen) {
  const course::Assignment &a = course.assignment;
  course::read_all_thresholds(course.folder(), a);
  std::vector<std::string> found = entries_not_found(course.scratch.path(), a);
  constexpr double most_work = 3e5;
  for (const course::Step &step : a.steps) {
    if (!step.has_kernel() || !problems_seen.insert(std::string(step.problem->name())).second) continue;
    std::vector<problem::Case> small;
    for (const course::Case &c : step.cases)
      if (!c.gpu_only && step.problem->work(c.values) <= most_work) small.push_back(c.values);
    for (std::string &one : mistakes_in_problem(*step.problem, small, a.tolerance))
      found.push_back(std::move(one));
  }
  return found;
}

/// What a step of a variant is graded by, and its solution.
std::string identity_of(const VariantCourse &course, const course::Thresholds &thresholds,
                        const course::Step &step) {
  batch::ClassSetup setup;
  setup.assignment = &course.assignment;
  setup.thresholds = &thresholds;
  setup.assignment_folder = course.folder();
  setup.starter = course.scratch.path() / "starter" / course.assignment.name;
  return batch::grading_of(setup, step).fingerprint + read_or_empty(course.solutions() / step.path());
}

std::uint64_t median(std::vector<std::uint64_t> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

}  // namespace

std::vector<std::string> mistakes_in_variants(const fs::path &root, const std::string &name) {
  const fs::path folder = fs::relative(root / "assignments" / name);
  const auto all = variants::read_variants(folder);
  if (const fs::path unused = folder / variants::variants_file; !all && fs::exists(unused))
    return {fmt::format("{}: unused: add the line 'variants: {}' to assignment.yaml, or delete this file",
                        unused.string(), variants::variants_file)};
  if (!all) return {};
  std::vector<std::string> found;
  std::set<std::string> problems;
  for (std::size_t i = 0; i < all->size() && found.empty(); ++i) {
    const variants::Variant v = all->at(i);
    try {
      const VariantCourse course(root, *all, v);
      for (std::string &one : mistakes_in_course(course, problems))
        found.push_back(
            fmt::format("{} ({})", without(std::move(one), course.scratch.path()), all->name_of(v)));
    } catch (const course::ConfigError &e) {
      found.push_back(fmt::format("{} ({})", e.what(), all->name_of(v)));
    }
  }
  return found;
}

std::vector<std::string> harder_than_others(const std::vector<CountedVariant> &steps) {
  constexpr double much = 1.1;
  std::vector<std::string> sentences;
  for (std::size_t c = 0; c < CountedVariant::names.size() && !steps.empty(); ++c) {
    std::vector<std::uint64_t> counts;
    for (const CountedVariant &one : steps) counts.push_back(one.counts[c]);
    const auto usual = static_cast<double>(median(counts));
    std::vector<std::string> harder;
    for (const CountedVariant &one : steps)
      if (usual > 0 && static_cast<double>(one.counts[c]) > much * usual)
        harder.push_back(fmt::format("{} ({:.0f} %)", one.variant,
                                     100 * (static_cast<double>(one.counts[c]) / usual - 1)));
    if (!harder.empty())
      sentences.push_back(fmt::format("more than 10 % more {} than the median variant: {}",
                                      CountedVariant::names[c], fmt::join(harder, "; ")));
  }
  return sentences;
}

GradedVariants grade_variants(const fs::path &root, const std::string &name,
                              const std::function<void(const std::string &)> &before_each) {
  GradedVariants found;
  const auto all = variants::read_variants(fs::relative(root / "assignments" / name));
  if (!all) return found;
  std::map<std::string, std::vector<CountedVariant>> counted;  // by step
  std::set<std::string> graded;
  for (std::size_t i = 0; i < all->size(); ++i) {
    const variants::Variant v = all->at(i);
    const VariantCourse course(root, *all, v);
    const course::Assignment &a = course.assignment;
    const course::Thresholds thresholds = course::read_thresholds(course.folder(), a, "none");
    if (before_each) before_each(fmt::format("variant {} of {}: {}", i + 1, all->size(), all->name_of(v)));
    std::unique_ptr<Machine> machine;
    std::unique_ptr<grading::Grader> grader;
    for (const course::Step &step : a.steps) {
      if (step.beyond || !graded.insert(step.id + identity_of(course, thresholds, step)).second) continue;
      if (!machine) {
        machine = look_at_machine(course.scratch.path(), a, DeviceChoice::simulator, true);
        grader = std::make_unique<grading::Grader>(a, machine->environment, grading_options({}, a));
      }
      const grading::StepRecord record =
          grader->grade(step, grader->build(step, course.solutions()), course.solutions());
      const score::StepScore score = score::score_step(step, machine->thresholds, record);
      const double wanted = score.max_points - score.ungraded_points;
      if (record.verdict != judge::Verdict::accepted || std::fabs(score.points - wanted) > 1e-9)
        found.mistakes.push_back(
            fmt::format("{}, {}: the solution of {} scores {:g} where {:g} is right ({})", name,
                        all->name_of(v), step.id, score.points, wanted, judge::name_of(record.verdict)));
      if (record.counters)
        counted[step.id].push_back(
            {short_name(*all, v),
             {record.counters->counts.warp_instructions, record.counters->counts.sectors(),
              record.counters->counts.wavefronts()}});
    }
  }
  for (const auto &[step, steps] : counted)
    for (const std::string &sentence : harder_than_others(steps))
      found.remarks.push_back(fmt::format("{}: {}: {}", name, step, sentence));
  return found;
}

}  // namespace warpgrade::authoring
