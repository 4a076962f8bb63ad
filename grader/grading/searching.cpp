// Looks for a case that fails where those of the step do not: sizes come from the constants and the branches of the
// kernels, so that a search of seconds finds what a thousand random sizes miss.
#include "grading/searching.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>
#include <stdexcept>

#include "build/answers.hpp"
#include "grading/step_grader.hpp"
#include "plan/request.hpp"
#include "search/candidates.hpp"

namespace warpgrade::grading {

struct SearchBudget {
  std::size_t cases = SIZE_MAX;
  std::uint64_t instructions = UINT64_MAX;  ///< of warps, in all cases
  std::uint64_t instructions_of_case = 0;   ///< 0: what a slow kernel needs, many times
  double seconds = 0;
  search::Bounds bounds;
};

namespace {

using Clock = std::chrono::steady_clock;

/// In grading. The numbers of cases and of instructions end it first, unless the machine is busy.
SearchBudget brief_budget() {
  return {16, 4'000'000, 2'000'000, 0.3, {2e7, 8 << 20, 400}};
}

/// Which parameters of kernels are sizes of the case. Nothing is known of an offset that means different things in
/// different kernels, or where two sizes have the value.
std::map<std::uint32_t, std::size_t> sizes_of_parameters(const ptx::Module &module,
                                                         const plan::LaunchPlan &plan, const problem::Case &c,
                                                         const search::Shape &shape) {
  constexpr std::size_t none = SIZE_MAX;
  std::map<std::uint32_t, std::size_t> all;
  for (const plan::Operation &o : plan.operations) {
    const auto *launch = std::get_if<plan::Launch>(&o);
    const ptx::KernelFacts *kernel = launch ? ptx::find_kernel(module, launch->kernel) : nullptr;
    if (!kernel) continue;
    for (const ptx::Parameter &p : kernel->parameters) {
      if ((p.size != 4 && p.size != 8) || p.offset + p.size > launch->arguments.size()) continue;
      std::int64_t value = 0;
      std::memcpy(&value, launch->arguments.data() + p.offset, p.size);  // little-endian, not negative
      std::size_t found = none;
      for (std::size_t s = 0; s < shape.sizes.size(); ++s)
        if (c.integers.at(shape.sizes[s]) == value) found = found == none ? s : none - 1;
      if (found == none - 1) found = none;
      const auto [at, first] = all.emplace(p.offset, found);
      if (!first && at->second != found) at->second = none;
    }
  }
  std::erase_if(all, [](const auto &one) { return one.second == none; });
  return all;
}

}  // namespace

class Searcher {
 public:
  Searcher(StepGrader &grader, const SearchBudget &budget, bool advisory)
      : g_(grader),
        budget_(budget),
        shape_(search::shape_of(grader.step_, advisory)),
        coverage_(grader.coverage_) {}

  /// Runs cases of the step that have not run yet.
  void run_own_cases(bool hidden) {
    for (const course::Case &c : g_.step_.cases) {
      const bool open = c.visibility == course::Visibility::open;
      if (c.gpu_only || c.advisory || !(open || hidden) || (is_over() && !hidden)) continue;
      if (g_.step_.problem->work(c.values) > budget_.bounds.work) continue;
      run(c.values);
    }
  }

  /// goes_on: also after a failure, and the time begins anew. Until a case fails, nothing is left to try, or the budget is spent.
  void look(bool goes_on) {
    if (goes_on) begin_ = Clock::now();
    const auto base = base_case();
    if (!base || shape_.sizes.empty()) return;
    search::Candidates candidates(g_.step_, *base, shape_, knowledge(*base), budget_.bounds);
    for (const course::Case &c : g_.step_.cases) candidates.skip(c.values);
    while (!is_over() && (goes_on || !failed_)) {
      const auto next = candidates.next(coverage_);
      if (!next) break;
      run(*next);
    }
    time_is_up_ = is_over() && candidates.left() > 0;
    by_clock_ = by_clock_ || (time_is_up_ && cases_ < budget_.cases && instructions_ < budget_.instructions);
  }

  bool is_over() const {
    return cases_ >= budget_.cases || instructions_ >= budget_.instructions || seconds() >= budget_.seconds;
  }
  double seconds() const { return std::chrono::duration<double>(Clock::now() - begin_).count(); }
  std::size_t cases() const { return cases_; }
  bool time_is_up() const { return time_is_up_; }
  /// Whether a faster machine, or a less busy one, might have found more.
  bool by_clock() const { return by_clock_; }
  std::optional<judge::CaseVerdict> &failed() { return failed_; }

  std::vector<search::LineCoverage> lines() const {
    return search::by_line(search::branches_of(g_.build_.module, launched_), coverage_);
  }
  const std::vector<NewWay> &new_ways() const { return new_ways_; }
  std::vector<std::string> not_launched() const {
    std::vector<std::string> names;
    for (const ptx::KernelFacts &kernel : g_.build_.module.kernels)
      if (!launched_.contains(kernel.name)) names.push_back(ptx::demangle(kernel.name));
    return names;
  }

  /// The case that failed, or a smaller one that fails as it does.
  judge::CaseVerdict smallest() {
    judge::CaseVerdict found = *failed_;
    find_smallest(found);
    if (!found.smallest) return found;
    StepGrader::TriedCase again =
        g_.try_case(found.smallest->values, found.seed, instructions_for(found.smallest->values), false);
    // What seemed to fail alike within little work may only be slow.
    if (!again.verdict || again.verdict->verdict == judge::Verdict::accepted) return *failed_;
    return std::move(*again.verdict);
  }

 private:
  std::uint64_t instructions_for(const problem::Case &c) const {
    return budget_.instructions_of_case != 0 ? budget_.instructions_of_case
                                             : enough_instructions(*g_.step_.problem, c);
  }

  /// A case whose sizes differ, if the step has one: then the plan tells which is which.
  std::optional<problem::Case> base_case() const {
    const problem::Case *best = nullptr;
    for (const course::Case &c : g_.step_.cases) {
      if (c.visibility != course::Visibility::open || c.gpu_only || c.advisory) continue;
      if (!best || distinct(c.values) > distinct(*best)) best = &c.values;
    }
    return best ? std::optional(*best) : std::nullopt;
  }
  std::size_t distinct(const problem::Case &c) const {
    std::set<std::int64_t> values;
    for (const std::size_t s : shape_.sizes) values.insert(c.integers.at(s));
    return values.size();
  }

  search::Knowledge knowledge(const problem::Case &base) {
    search::Knowledge known;
    const ptx::Module &module = g_.build_.module;
    std::set<std::string> kernels;
    for (const ptx::KernelFacts &kernel : module.kernels) kernels.insert(kernel.name);
    known.branches = branches_ = search::branches_of(module, kernels);
    known.constants = search::constants_of(module, kernels);
    known.literals = search::literals_of(g_.source_);
    const auto recording = g_.record(base);
    if (recording->outcome == record::Recording::Outcome::plan) {
      known.geometry = search::constants_of(recording->plan, base, shape_);
      known.size_of = sizes_of_parameters(module, recording->plan, base, shape_);
    } else {
      by_clock_ = true;  // it gave a plan before
    }
    return known;
  }

  void run(const problem::Case &c) {
    ++cases_;
    const std::uint64_t seed = seed_of(g_.options_, *g_.step_.problem, c);
    StepGrader::TriedCase made = g_.try_case(c, seed, instructions_for(c), true);
    instructions_ += made.warp_instructions;
    by_clock_ = by_clock_ || made.by_clock;
    note_ways(made.branches, c);
    using Outcome = record::Recording::Outcome;
    if (made.recording->outcome == Outcome::plan)
      for (const plan::Operation &o : made.recording->plan.operations)
        if (const auto *launch = std::get_if<plan::Launch>(&o)) launched_.insert(launch->kernel);
    if (!made.verdict) made.verdict = without_run(c, seed, *made.recording);
    if (failed_ || !made.verdict || made.verdict->verdict == judge::Verdict::accepted ||
        made.verdict->verdict == judge::Verdict::grader_error || !is_confirmed(*made.verdict))
      return;
    failed_ = std::move(made.verdict);
  }

  void note_ways(const std::vector<simt::BranchCount> &counts, const problem::Case &c) {
    const search::Coverage before = coverage_;
    if (!coverage_.add(counts)) return;
    for (const search::Branch &one : branches_)
      for (const bool holds : {true, false})
        if (coverage_.taken(one, holds) && !before.taken(one, holds))
          new_ways_.push_back({one.at, one.to[holds ? 0 : 1], g_.step_.problem->case_name(c)});
  }

  /// Of a launcher that gave no plan, or one that launches nothing.
  std::optional<judge::CaseVerdict> without_run(const problem::Case &c, std::uint64_t seed,
                                                const record::Recording &recording) const {
    if (recording.outcome == record::Recording::Outcome::our_failure) return std::nullopt;
    judge::CaseVerdict v;
    v.values = c;
    v.seed = seed;
    v.name = g_.step_.problem->case_name(c);
    const bool has_plan = recording.outcome == record::Recording::Outcome::plan;
    if (has_plan && !g_.step_.problem->needs_kernel(c)) return std::nullopt;  // there is nothing to compute
    v.verdict = has_plan ? judge::Verdict::wrong_answer : verdict_of(recording.outcome);
    v.reason = has_plan ? "the launcher returned without launching a kernel" : recording.message;
    return v;
  }

  void find_smallest(judge::CaseVerdict &of) {
    g_.trial_seconds_ = 0;
    g_.trials_by_clock_ = false;
    g_.find_smallest(of);
    by_clock_ = by_clock_ || g_.trials_by_clock_;
  }

  /// A kernel that is merely slow must not count as wrong: a smaller case tells, since that ends unless it never does.
  bool is_confirmed(const judge::CaseVerdict &v) {
    if (v.verdict != judge::Verdict::time_limit) return true;
    if (budget_.instructions_of_case != 0) return false;
    const auto never_ends = [&](const problem::Case &c) {
      const StepGrader::TriedCase again = g_.try_case(c, v.seed, UINT64_MAX, false);
      return again.verdict && again.verdict->verdict == judge::Verdict::time_limit;
    };
    if (is_large(v.values) && ++large_ > most_large) return false;
    judge::CaseVerdict smaller = v;
    find_smallest(smaller);
    if (g_.trials_by_clock_) return false;
    const problem::Case &least = smaller.smallest ? smaller.smallest->values : v.values;
    return !is_large(least) && never_ends(least);
  }

  static constexpr int most_large = 3;  // whose smaller cases are looked at

  /// Whether a launch may reach the limit of instructions by its size alone: in each warp, two loops may count up to the
  /// largest size, one in the other, or the warp may do all the work of the case.
  bool is_large(const problem::Case &c) {
    constexpr double of_round = 100;  // instructions of a round of a loop
    double largest = 1;
    for (const std::size_t s : shape_.sizes)
      largest = std::max(largest, static_cast<double>(c.integers.at(s)));
    const double rounds = std::max(largest * largest, g_.step_.problem->work(c));
    double warps = 0;
    const auto recording = g_.record(c);
    if (recording->outcome == record::Recording::Outcome::plan)
      for (const plan::Operation &o : recording->plan.operations)
        if (const auto *l = std::get_if<plan::Launch>(&o))
          warps += 1.0 * l->grid.x * l->grid.y * l->grid.z *
                   std::ceil(1.0 * l->block.x * l->block.y * l->block.z / 32);
    return warps * rounds * of_round > static_cast<double>(g_.assignment_.limits.simulate.warp_instructions);
  }

  StepGrader &g_;
  const SearchBudget budget_;
  const search::Shape shape_;
  Clock::time_point begin_ = Clock::now();
  search::Coverage coverage_;
  std::set<std::string> launched_;
  std::vector<search::Branch> branches_;  // of all kernels, once the search begins
  std::vector<NewWay> new_ways_;
  std::size_t cases_ = 0;
  int large_ = 0;
  std::uint64_t instructions_ = 0;
  bool time_is_up_ = false, by_clock_ = false;
  std::optional<judge::CaseVerdict> failed_;
};

namespace {

std::vector<std::byte> bytes_of(const std::optional<problem::Case> &found) {
  Writer answer;
  answer.put<std::uint8_t>(found.has_value());
  if (!found) return answer.bytes();
  for (const std::int64_t value : found->integers) answer.put(value);
  for (const double value : found->reals) answer.put(value);
  return answer.bytes();
}

/// Whoever can write to a cache must not decide what is run. Throws WireError or std::invalid_argument for a case that a
/// search would not try.
std::optional<problem::Case> case_in(std::span<const std::byte> answer, const course::Step &step) {
  const problem::Problem &p = *step.problem;
  Reader from(answer);
  if (from.get<std::uint8_t>() == 0) return std::nullopt;
  problem::Case found;
  for (std::size_t i = 0; i < p.integers().size(); ++i) found.integers.push_back(from.get<std::int64_t>());
  for (std::size_t r = 0; r < p.reals().size(); ++r) found.reals.push_back(from.get<double>());
  if (!from.at_end() || !search::may_try(found, step, brief_budget().bounds))
    throw WireError("a search would not try this case");
  return found;
}

}  // namespace

/// What a brief search finds, unless an earlier one was asked the same: the same code, judged in the same way.
std::optional<problem::Case> StepGrader::search_or_recall() {
  const bool keeps = !options_.kept.folder.empty();
  Writer asked;
  if (keeps) ask_of_search(asked);
  const build::Answers answers(options_.kept.folder);
  try {
    if (const auto known = keeps ? answers.find(asked.bytes()) : std::nullopt) return case_in(*known, step_);
  } catch (const std::exception &) {  // damaged, or of another version
  }
  Searcher searcher(*this, brief_budget(), false);
  searcher.look(false);
  std::optional<problem::Case> found;
  if (searcher.failed()) found = searcher.smallest().values;
  if (keeps && !searcher.by_clock()) answers.keep(asked.bytes(), bytes_of(found));
  return found;
}

/// All that decides what a search finds.
void StepGrader::ask_of_search(Writer &asked) const {
  asked.put_string("warpgrade search 2").put_string(options_.kept.contract).put_string(step_.id);
  build::put_identity(asked, build_);
  asked.put_bytes(plan::encode(call_request(step_, environment_, step_.counters_on),
                               record_limits(assignment_.limits).plan));
  asked.put(options_.seed).put(options_.seed_of_large.value_or(options_.seed)).put_string(source_);
  asked.put(environment_.sandbox->mode());
}

/// What it finds is one more advisory case, which run_advisory() runs and words.
void StepGrader::search_briefly() {
  if (only_ || !options_.search) return;
  const std::optional<problem::Case> found = search_or_recall();
  if (!found) return;
  const bool known = std::any_of(record_.cases.begin(), record_.cases.end(),
                                 [&](const judge::CaseVerdict &c) { return c.values == *found; });
  if (known) return;
  judge::CaseVerdict advisory;
  advisory.name = step_.problem->case_name(*found);
  advisory.values = *found;
  advisory.seed = seed_of(options_, *step_.problem, *found);
  advisory.advisory = advisory.skipped = true;
  record_.cases.push_back(std::move(advisory));
}

SearchResult Grader::search(const course::Step &step, const build::Build &build, const std::string &source,
                            const SearchOptions &how) const {
  if (!build.ok)
    throw std::runtime_error(fmt::format("{} does not build: {}\n{}", step.file, build.message, build.log));
  Environment environment = environment_;
  environment.gpu.reset();
  Options options = options_;
  options.only.clear();
  options.measure = false;
  CaseData data;
  StepGrader grader(assignment_, environment, options, data, nullptr, step, build, source);
  if (!grader.begin()) throw std::runtime_error(build.message);
  SearchBudget budget;
  budget.seconds = how.seconds;
  Searcher searcher(grader, budget, true);
  SearchResult made;
  searcher.run_own_cases(how.all_cases);
  made.of_cases = searcher.lines();
  if (how.all_cases || !searcher.failed()) searcher.look(how.all_cases);
  made.cases = searcher.cases();
  made.time_is_up = searcher.time_is_up();
  made.seconds = searcher.seconds();
  made.lines = searcher.lines();
  made.new_ways = searcher.new_ways();
  made.not_launched = searcher.not_launched();
  if (!searcher.failed()) return made;
  made.found_at = searcher.failed()->name;
  made.failed = searcher.smallest();
  if (made.failed->name == made.found_at) made.found_at.clear();
  return made;
}

}  // namespace warpgrade::grading
