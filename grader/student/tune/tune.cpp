#include "tune/tune.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "setup/selection.hpp"
#include "tune/tuning.hpp"

namespace warpgrade::tune {

namespace {

constexpr std::size_t most_variants = 256;

std::vector<problem::Case> sizes_of(const std::vector<std::string> &texts, const course::Step &step,
                                    const course::StepThresholds *timed, bool gpu) {
  std::vector<problem::Case> sizes;
  for (const std::string &text : texts) try {
      sizes.push_back(problem::parse_case(*step.problem, text, step.with));
    } catch (const std::invalid_argument &e) {
      throw UsageError(fmt::format("--sizes: {}", e.what()));
    }
  if (sizes.empty()) sizes.push_back(gpu && timed ? timed->size : step.counters_on);
  return sizes;
}

std::string one_figure(const course::Step &step, const grading::BenchPoint &p) {
  if (const auto rate = rate_of(step, p))
    return fmt::format("{:>10.0f} {}", *rate, step.problem->rate_unit());
  if (!p.counters) return for_terminal(p.why_not);
  const simt::Counters &c = p.counters->counts;
  using simt::per;
  return fmt::format("{:>8.4f} bytes/flop, {:>8} conflicts, {:>9} wavefronts",
                     per(c.requested_bytes(), c.fp32_flops()), c.conflicts(), c.wavefronts());
}

void print(const std::vector<Variant> &variants, const std::vector<problem::Case> &sizes,
           const course::Step &step, bool gpu) {
  std::size_t width = 8;
  for (const Variant &v : variants) width = std::max(width, name_of(v.setting).size());
  for (std::size_t s = 0; s < sizes.size(); ++s) {
    fmt::print("\n{}\n", step.problem->case_name(sizes[s]));
    for (const Variant &v : variants)
      if (v.why_not.empty())
        fmt::print("  {:<{}}  {}\n", name_of(v.setting), width, one_figure(step, v.points[s]));
    if (const Variant *best = best_of(variants, step, s)) fmt::print("  best: {}\n", name_of(best->setting));
  }
  bool any = false;
  for (const Variant &v : variants) {
    if (v.why_not.empty()) continue;
    if (!any) fmt::print("\nnot possible\n");
    any = true;
    fmt::print("  {:<{}}  {}\n", name_of(v.setting), width, for_terminal(v.why_not));
  }
  if (!gpu) fmt::print("\nCounters only: without a GPU nothing can be said about which is fastest.\n");
}

}  // namespace

int tune(const TuneOptions &w) {
  if (w.definitions.empty() && w.sets.empty())
    throw UsageError(
        "which constants? Say -D NAME=VALUES, or --set \"NAME=VALUE NAME=VALUE\" for each choice");

  const Course course = open_course(w.common, {w.step});
  const course::Assignment &a = course.assignment;
  const course::Step &step = find_kernel(a, w.step);
  const Tunable tunable(step, course.submission, course.root / "starter" / a.name);
  std::vector<Choice> choices;
  for (const std::string &text : w.definitions) choices.push_back(parse_choice(text));
  std::vector<Setting> settings = w.sets.empty() ? combinations(choices) : std::vector<Setting>();
  for (const std::string &text : w.sets)  // each of them in every combination of the others
    for (const Setting &others : combinations(choices)) {
      settings.push_back(parse_setting(text));
      settings.back().insert(settings.back().end(), others.begin(), others.end());
    }
  for (const Setting &setting : settings)
    for (const auto &[name, value] : setting) tunable.expect(name);
  std::vector<Variant> variants;
  for (Setting &setting : settings) variants.push_back({std::move(setting)});
  if (variants.size() > most_variants)
    throw UsageError(fmt::format("{} combinations are more than {}", variants.size(), most_variants));

  const auto machine = look_at_machine(course.root, a, w.common.device_choice(), !w.common.no_sandbox,
                                       toolchain_named(w.common.toolchain));
  grading::Options options = grading_options(w.common, a);
  options.measure = false;
  grading::Grader grader(a, machine->environment, options);
  const bool gpu = machine->environment.gpu.has_value();
  const std::vector<problem::Case> sizes = sizes_of(w.sizes, step, machine->thresholds.find(step.id), gpu);
  fmt::print("{} variants of {}, {} sizes\n", variants.size(), step.id, sizes.size());
  measure_variants(variants, grader, step, tunable, sizes, options.threads);
  print(variants, sizes, step, gpu);
  return std::any_of(variants.begin(), variants.end(), [](const Variant &v) { return v.why_not.empty(); })
             ? full_score
             : below;
}

}  // namespace warpgrade::tune
