// After a failure: what the first wrong element is made of, and a smaller case that fails alike. Nothing here
// changes a verdict; all of it is bounded by numbers of runs and of instructions, which are the same each time.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <stdexcept>

#include "grading/alone.hpp"
#include "grading/step_grader.hpp"
#include "grading/terms.hpp"
#include "grading/wording.hpp"
#include "plan/describe.hpp"

namespace warpgrade::grading {

namespace {

constexpr double most_work_coded = 4e7;
constexpr std::uint64_t most_instructions_coded = 1'000'000;  // of warps, in the runs of one case
constexpr std::size_t most_runs_coded = 240;
constexpr std::size_t most_cases_coded = 4;
constexpr std::uint64_t most_instructions_tried = 200'000;  // for each case that is tried
constexpr int most_tried = 36;
constexpr double most_recording_seconds = 1;  // of launchers, in all of these

/// Sizes below `now` in ascending order: those at which loops, warps and tiles behave differently.
std::vector<std::int64_t> smaller(std::int64_t now, std::int64_t least, std::int64_t divisor) {
  std::vector<std::int64_t> all;
  const auto add = [&](std::int64_t n) {
    if (n >= least && n < now && n % std::max<std::int64_t>(divisor, 1) == 0) all.push_back(n);
  };
  for (const std::int64_t n : {1, 2, 3, 4, 5, 7}) add(n);
  for (std::int64_t power = 8; power < now; power *= 2)
    for (const std::int64_t beside : {-1, 0, 1}) add(power + beside);
  if (divisor > 1) {
    for (const std::int64_t times : {1, 2, 3}) add(times * divisor);
    std::sort(all.begin(), all.end());
    all.erase(std::unique(all.begin(), all.end()), all.end());
  }
  return all;
}

/// The first error with a line, or else the first error.
const judge::Finding *first_error(const judge::CaseVerdict &v) {
  const judge::Finding *found = nullptr;
  for (const judge::Finding &f : v.findings)
    if (f.severity == "error" && (!found || (found->line == 0 && f.line > 0))) found = &f;
  return found;
}

bool fails_alike(const judge::CaseVerdict &a, const judge::CaseVerdict &b) {
  const judge::Finding *of_a = first_error(a), *of_b = first_error(b);
  if (a.verdict != b.verdict || (of_a == nullptr) != (of_b == nullptr)) return false;
  return !of_a || (of_a->code == of_b->code && of_a->file == of_b->file && of_a->line == of_b->line);
}

}  // namespace

/// The case that a report shows; never a hidden one.
judge::CaseVerdict *StepGrader::shown_case() {
  judge::CaseVerdict *shown = nullptr;
  const auto rank = [&](const judge::CaseVerdict &c) {
    return c.verdict != record_.verdict ? 0 : 1 + judge::telling(c, *step_.problem);
  };
  for (judge::CaseVerdict &c : record_.cases) {
    if (!c.ran() || c.advisory || c.visibility != course::Visibility::open ||
        c.verdict == judge::Verdict::accepted)
      continue;
    if (!shown || rank(c) > rank(*shown)) shown = &c;
  }
  const bool simulated = shown && shown->where.find("sim") != std::string::npos;
  return simulated && step_.problem->work(shown->values) <= most_work_coded ? shown : nullptr;
}

StepGrader::TriedCase StepGrader::try_case(const problem::Case &c, std::uint64_t seed,
                                           std::uint64_t warp_instructions, bool branches) {
  using Outcome = record::Recording::Outcome;
  TriedCase made;
  made.recording = record(c);
  made.by_clock =
      made.recording->outcome == Outcome::time_limit || made.recording->outcome == Outcome::our_failure;
  trial_seconds_ += made.recording->charged_seconds;
  if (made.recording->outcome != Outcome::plan || !plan::launches_anything(made.recording->plan)) return made;
  made.inputs = step_.problem->inputs(c, seed);
  CaseData::Data data;
  data.inputs = made.inputs;
  data.reference = step_.problem->reference(c, data.inputs);
  run::SimulateOptions how = simulate_options(assignment_, options_);
  how.warp_instructions = std::min(how.warp_instructions, warp_instructions);
  how.branches = branches;
  run::Run run = simulator_.simulate(made.recording->plan, data.inputs, how);
  if (run.counters) made.warp_instructions = run.counters->warp_instructions;
  made.by_clock = run.by_clock || run.end == run::End::our_failure;
  Wording(step_, c, *recorder_, *made.recording, guards_).complete(run);
  judge::CaseVerdict &v = made.verdict.emplace();
  v.values = c;
  v.seed = seed;
  v.name = step_.problem->case_name(c);
  if (run.end == run::End::completed) v.comparison = compare(c, data, run.buffers);
  judge::join(
      v, judge::judge_run(run, v.comparison, false, inputs_of(data.inputs), step_.problem->outputs(c) > 0),
      "sim");
  made.outputs = std::move(run.buffers);
  made.branches = std::move(run.branches);
  return made;
}

/// The case once more, within a small budget: its verdict, or nothing if it cannot be had.
std::optional<judge::CaseVerdict> StepGrader::tried(const problem::Case &c, std::uint64_t seed,
                                                    const std::string &cause) {
  if (trial_seconds_ > most_recording_seconds) return std::nullopt;
  TriedCase made = try_case(c, seed, most_instructions_tried, false);
  trials_by_clock_ = trials_by_clock_ || made.by_clock || trial_seconds_ > most_recording_seconds;
  if (!made.verdict || trial_seconds_ > most_recording_seconds) return std::nullopt;
  judge::CaseVerdict &v = *made.verdict;
  if (cause.empty() || !v.comparison || v.comparison->wrong == 0) return std::move(v);
  const std::vector<std::string> known =
      step_.problem->mistakes(c, made.inputs, made.outputs, assignment_.tolerance);
  if (std::find(known.begin(), known.end(), cause) != known.end()) v.comparison->cause = cause;
  return std::move(v);
}

/// Each size as small as it can be, then each factor as simple, while the case fails in the same way.
void StepGrader::find_smallest(judge::CaseVerdict &shown) {
  const problem::Problem &p = *step_.problem;
  search::Shape shape = search::shape_of(step_);
  for (const std::size_t s : shape.sizes)  // a case of another shape failed
    shape.all_alike = shape.all_alike && shown.values.integers[s] == shown.values.integers[shape.sizes[0]];
  const std::string cause = shown.comparison ? shown.comparison->cause : "";
  const bool degenerate = problem::is_degenerate(p, shown.values);
  judge::CaseVerdict best = shown;
  int left = most_tried;
  const auto take = [&](problem::Given given) {
    if (left == 0) return false;
    try {
      const problem::Case c = problem::complete(p, given, step_.with);
      if (c == best.values || problem::parse_case(p, p.case_name(c), step_.with) != c || !p.needs_kernel(c) ||
          p.outputs(c) == 0 || (!degenerate && problem::is_degenerate(p, c)))
        return false;
      --left;
      const auto v = tried(c, shown.seed, cause);
      if (!v || !fails_alike(*v, shown) || (!cause.empty() && v->comparison->cause != cause)) return false;
      best = *v;
      return true;
    } catch (const std::invalid_argument &) {  // no case of this problem
      return false;
    }
  };
  const auto resize = [&](const std::vector<std::size_t> &which) {
    std::int64_t now = 0, least = 1, divisor = 0;
    for (const std::size_t s : which) {
      now = std::max(now, best.values.integers[shape.sizes[s]]);
      least = std::max(least, p.integers()[shape.sizes[s]].least);
      divisor =
          divisor == 0 ? shape.divisors[s] : std::lcm(divisor, std::max<std::int64_t>(shape.divisors[s], 1));
    }
    for (const std::int64_t size : smaller(now, least, divisor)) {
      problem::Given given = problem::sizes_of(p, best.values);
      for (const std::size_t s : which) given.integers[shape.sizes[s]] = size;
      if (take(given)) return;
    }
  };
  if (problem::complete(p, problem::sizes_of(p, shown.values), step_.with) != shown.values) return;
  std::vector<std::size_t> all(shape.sizes.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  if (shape.all_alike && all.size() > 1)
    resize(all);
  else
    for (const std::size_t s : all) resize({s});
  for (std::size_t r = 0; r < best.values.reals.size(); ++r)
    for (const double simple : {1.0, 0.0}) {
      problem::Given given = problem::sizes_of(p, best.values);
      if (given.reals[r] == 0 || given.reals[r] == 1) break;
      given.reals[r] = simple;
      if (take(given)) break;
    }
  if (best.values == shown.values || trial_seconds_ > most_recording_seconds) return;
  shown.smallest = judge::SmallestCase{best.name, best.values, best.reason};
}

/// What the first wrong element of a case is made of.
std::optional<problem::Terms> StepGrader::terms(const problem::Case &c, std::uint64_t seed) {
  const auto recording = record(c);
  if (recording->outcome != record::Recording::Outcome::plan) return std::nullopt;
  run::SimulateOptions how = simulate_options(assignment_, options_);
  how.warp_instructions = std::min(how.warp_instructions, most_instructions_coded);
  how.count = true;
  const std::vector<run::HostBuffer> inputs = step_.problem->inputs(c, seed);
  const run::Run first = simulator_.simulate(recording->plan, inputs, how);
  if (first.end != run::End::completed || !first.counters) return std::nullopt;
  const problem::Comparison found = step_.problem->compare(c, inputs, step_.problem->reference(c, inputs),
                                                           first.buffers, assignment_.tolerance);
  if (found.first.empty()) return std::nullopt;
  const std::uint64_t cost = std::max<std::uint64_t>(first.counters->warp_instructions, 1);
  how.count = false;
  const auto run_again =
      [&](const std::vector<run::HostBuffer> &coded) -> std::optional<std::vector<run::HostBuffer>> {
    run::Run run = simulator_.simulate(recording->plan, coded, how);
    if (run.end != run::End::completed) return std::nullopt;
    return std::move(run.buffers);
  };
  const std::string &element = options_.element.empty() ? found.first.front().where : options_.element;
  return terms_of(*step_.problem, c, inputs, element, run_again,
                  std::min<std::size_t>(most_runs_coded, most_instructions_coded / cost));
}

void StepGrader::explain_failure() {
  judge::CaseVerdict *shown = shown_case();
  if (!shown || record_.verdict == judge::Verdict::not_implemented ||
      shown->verdict == judge::Verdict::time_limit)
    return;
  if (!options_.alone.empty()) return;  // somebody looks at one cause already
  if (!options_.element.empty()) {
    shown->terms = terms(shown->values, shown->seed);
    return;
  }
  find_smallest(*shown);
  if (shown->verdict == judge::Verdict::race) show_order(*shown);
  if (shown->verdict != judge::Verdict::wrong_answer || !shown->comparison || shown->comparison->wrong == 0)
    return;
  // Where everything is wrong, a case in which something is right says more.
  std::vector<const problem::Case *> cases;
  if (shown->smallest) cases.push_back(&shown->smallest->values);
  cases.push_back(&shown->values);
  for (const judge::CaseVerdict &c : record_.cases)
    if (&c != shown && c.ran() && !c.advisory && c.visibility == course::Visibility::open &&
        c.verdict == shown->verdict && c.where.find("sim") != std::string::npos &&
        step_.problem->work(c.values) <= most_work_coded && cases.size() < most_cases_coded)
      cases.push_back(&c.values);
  for (const problem::Case *c : cases) {
    auto found = terms(*c, shown->seed);
    const bool telling = found && found->ranges.size() > 1;
    if (found && (telling || !shown->terms)) shown->terms = std::move(found);
    if (telling) break;
  }
  reduce_inputs(*shown);
}

/// The smallest case again, or the case itself, with inputs that are 0 but for the elements that show it alone.
void StepGrader::reduce_inputs(judge::CaseVerdict &shown) {
  if (!shown.terms || shown.terms->alone.empty()) return;
  const problem::Case c = shown.smallest ? shown.smallest->values : shown.values;
  if (shown.terms->at != step_.problem->case_name(c)) return;
  const auto recording = record(c);
  if (recording->outcome != record::Recording::Outcome::plan) return;
  run::SimulateOptions how = simulate_options(assignment_, options_);
  how.warp_instructions = std::min(how.warp_instructions, most_instructions_tried);
  const std::vector<run::HostBuffer> inputs =
      alone(*step_.problem, c, step_.problem->inputs(c, shown.seed), shown.terms->alone);
  const run::Run run = simulator_.simulate(recording->plan, inputs, how);
  if (run.end != run::End::completed ||
      step_.problem
              ->compare(c, inputs, step_.problem->reference(c, inputs), run.buffers, assignment_.tolerance)
              .wrong == 0)
    return;
  if (!shown.smallest) shown.smallest = judge::SmallestCase{step_.problem->case_name(c), c, shown.reason};
  shown.smallest->alone = shown.terms->alone;
}

}  // namespace warpgrade::grading
