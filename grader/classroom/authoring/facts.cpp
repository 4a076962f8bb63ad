#include "authoring/facts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "authoring/authoring.hpp"
#include "grading/grading.hpp"
#include "judge/answers.hpp"
#include "setup/files.hpp"
#include "setup/selection.hpp"

namespace warpgrade::authoring {

namespace {

/// The kernels of the solutions, each built and counted once at each size.
class Counting {
 public:
  Counting(const course::Assignment &a, const Machine &machine, std::filesystem::path solutions)
      : assignment_(a), solutions_(std::move(solutions)), grader_(a, machine.environment, options(a)) {}

  std::string fact(const course::Question &q, const problem::Case &on) {
    const course::Step &step = find_kernel(assignment_, q.kernel);
    const Counted &counted = at(step, on);
    const auto fact = judge::fact_of(q, counted.counters, counted.threads, kernel(step).source);
    if (!fact)
      throw std::runtime_error(fmt::format("{}: {} of {} cannot be counted: the kernel has no such access",
                                           q.id, course::name_of(q.count), q.kernel));
    return *fact;
  }

 private:
  struct Kernel {
    build::Build build;
    std::vector<std::string> source;
  };
  struct Counted {
    simt::Counters counters;
    std::uint64_t threads = 0;
  };

  static grading::Options options(const course::Assignment &a) {
    grading::Options o;
    o.seed = a.seed;
    return o;
  }

  const Kernel &kernel(const course::Step &step) {
    const auto found = kernels_.find(step.id);
    if (found != kernels_.end()) return found->second;
    return kernels_[step.id] = {grader_.build(step, solutions_),
                                lines_of(read_whole(step.source_in(solutions_)))};
  }

  const Counted &at(const course::Step &step, const problem::Case &on) {
    const auto key = std::pair(step.id, on.integers);
    if (const auto found = counted_.find(key); found != counted_.end()) return found->second;
    Counted &made = counted_[key];
    const build::Build &build = kernel(step).build;
    const plan::LaunchPlan plan = grader_.plan(step, build, on);
    for (const plan::Operation &o : plan.operations)
      if (const auto *launch = std::get_if<plan::Launch>(&o))
        made.threads += launch->grid.count() * launch->block.count();
    made.counters = grader_.count(step, build, on).counts;
    return made;
  }

  const course::Assignment &assignment_;
  std::filesystem::path solutions_;
  grading::Grader grader_;
  std::map<std::string, Kernel> kernels_;
  std::map<std::pair<std::string, std::vector<std::int64_t>>, Counted> counted_;
};

std::string case_text(const problem::Problem &p, const problem::Case &c) {
  std::string text;
  for (std::size_t i = 0; i < p.integers().size(); ++i)
    text += fmt::format("{}{}: {}", i == 0 ? "" : ", ", p.integers()[i].name, c.integers[i]);
  return text;
}

}  // namespace

std::string facts_yaml(const course::Assignment &a, const Machine &machine,
                       const std::filesystem::path &solutions) {
  Counting counting(a, machine, solutions);
  std::string text;
  for (const course::Step &s : a.steps)
    for (const course::Question &q : s.questions) {
      text += fmt::format("  {}:\n", q.id);
      for (const problem::Case &on : q.on)
        text += fmt::format("    - {{{}, value: {}}}\n", case_text(a.problem_of(q.kernel), on),
                            counting.fact(q, on));
    }
  if (text.empty()) return "";
  return fmt::format(
      "# What the simulator counts in the solutions of {0}, for the questions of assignment.yaml. 'gradebook "
      "facts {0}'\n"
      "# writes this file, 'gradebook lint {0}' finds it out of date.\n"
      "assignment: {0}\n"
      "facts:\n{1}",
      a.name, text);
}

int write_facts(const Common &common) {
  const Course course = open_course(common, {});
  const course::Assignment &a = course.assignment;
  const auto machine = look_at_machine(course.root, a, DeviceChoice::simulator, !common.no_sandbox);
  const std::string text = facts_yaml(a, *machine, course.root / "solutions" / a.name);
  const std::filesystem::path file =
      std::filesystem::relative(course.root / "assignments" / a.name / "facts.yaml");
  if (text.empty()) throw UsageError(fmt::format("{} has no questions", a.name));
  write_whole(file, text);
  fmt::print("{} is written\n", file.string());
  return full_score;
}

}  // namespace warpgrade::authoring
