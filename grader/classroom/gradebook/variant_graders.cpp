#include "gradebook/variant_graders.hpp"

#include <algorithm>
#include <set>

#include "base/files.hpp"
#include "base/source_text.hpp"
#include "batch/conditions.hpp"
#include "build/files.hpp"
#include "setup/selection.hpp"

namespace warpgrade::gradebook {

namespace {

/// The two cases that take most work, of those that the simulator runs: results by chance are not right there.
std::vector<course::Case> telling_cases(const course::Step &step) {
  constexpr std::size_t enough = 2;
  std::vector<course::Case> cases;
  for (const course::Case &c : step.cases)
    if (!c.gpu_only && !c.advisory) cases.push_back(c);
  std::stable_sort(cases.begin(), cases.end(), [&](const course::Case &a, const course::Case &b) {
    return step.problem->work(a.values) > step.problem->work(b.values);
  });
  if (cases.size() > enough) cases.resize(enough);
  return cases;
}

/// The headers without comments and the parameters of the launcher.
std::string compiled_with(const VariantGrader &g, const course::Step &step) {
  std::string all(step.problem->launcher());
  for (const std::filesystem::path &file : build::support_files(g.environment.starter))
    all += file.string() + without_comments(read_or_empty(g.environment.starter / file));
  std::erase_if(all, [](char c) { return c == ' ' || c == '\n'; });
  return all;
}

std::size_t differences(const variants::Variant &a, const variants::Variant &b) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < a.size(); ++i) count += a[i] != b[i];
  return count;
}

}  // namespace

const variants::Variants &VariantGraders::all() {
  if (!all_) all_ = variants::demand_variants(class_.course.folder, class_.course.assignment.name);
  return *all_;
}

VariantGrader &VariantGraders::of(const std::string &variant) {
  std::unique_ptr<VariantGrader> &made = graders_[variant];
  if (made) return *made;
  const grading::Environment &here = class_.machine->environment;
  auto g =
      std::make_unique<VariantGrader>(class_.course.root, all(), variant, here.gpu ? here.gpu->name : "none");
  g->assignment.without_gpu = class_.course.assignment.without_gpu;  // as the class counts
  g->environment = here;
  g->environment.starter = g->starter();
  g->environment.thresholds = &g->thresholds;
  made = std::move(g);
  return *made;
}

grading::Grader &VariantGraders::grader_of(VariantGrader &g) const {
  if (!g.grader) g.grader = std::make_unique<grading::Grader>(g.assignment, g.environment, options_);
  return *g.grader;
}

std::string VariantGraders::fingerprint_of(const VariantGrader &g, const std::string &step) const {
  batch::ClassSetup setup = class_.setup();
  setup.assignment = &g.assignment;
  setup.thresholds = &g.thresholds;
  setup.assignment_folder = g.folder();
  setup.starter = g.environment.starter;
  return batch::grading_of(setup, find_step(g.assignment, step)).fingerprint;
}

bool VariantGraders::is_right(const VariantGrader &g, const course::Step &step, const build::Build &build,
                              const std::filesystem::path &submission, std::uint64_t seed) const {
  grading::Options options = options_;
  options.seed = seed;
  options.measure = false;
  const std::vector<course::Case> cases = telling_cases(step);
  return build.ok && !cases.empty() && std::all_of(cases.begin(), cases.end(), [&](const course::Case &c) {
           options.only = {{step.id, c}};
           grading::Grader grader(g.assignment, g.environment, options);
           return grader.grade(step, build, submission).verdict == judge::Verdict::accepted;
         });
}

std::string VariantGraders::other_variant(const course::Step &step, const std::string &own_name,
                                          const std::filesystem::path &submission, std::uint64_t seed,
                                          const std::function<void()> &before_each) {
  const variants::Variant own = all().parse(own_name);
  std::vector<variants::Variant> others;
  for (std::size_t i = 0; i < all().size(); ++i) others.push_back(all().at(i));
  // The nearest first: a step that two variants share is that of the nearer one.
  std::stable_sort(others.begin(), others.end(),
                   [&](const auto &a, const auto &b) { return differences(a, own) < differences(b, own); });
  std::set<std::string> tried;
  grading::Options to_build = options_;
  to_build.measure = false;
  // What is right there in its own variant fails for another reason, and may be right for neighbours as well.
  VariantGrader &mine = of(own_name);
  const course::Step &here = find_step(mine.assignment, step.id);
  before_each();
  const build::Build own_build =
      grading::Grader(mine.assignment, mine.environment, to_build).build(here, submission);
  if (is_right(mine, here, own_build, submission, seed)) return "";
  std::map<std::string, build::Build> builds;  // by what the file is compiled with, but for comments
  for (const variants::Variant &other : others) {
    VariantGrader *read = nullptr;
    try {
      read = &of(all().name_of(other));
    } catch (const variants::UnreadableVariant &) {
      continue;
    }
    VariantGrader &g = *read;
    if (!tried.insert(fingerprint_of(g, step.id)).second || other == own) continue;
    before_each();
    const course::Step &there = find_step(g.assignment, step.id);
    const std::string with = compiled_with(g, there);
    auto build = builds.find(with);
    if (build == builds.end())
      build =
          builds
              .emplace(with, grading::Grader(g.assignment, g.environment, to_build).build(there, submission))
              .first;
    if (is_right(g, there, build->second, submission, seed))
      return variants::right_for_another(all(), own, other);
  }
  return "";
}

}  // namespace warpgrade::gradebook
