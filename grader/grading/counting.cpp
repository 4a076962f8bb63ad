#include <fmt/format.h>

#include <cmath>

#include "grading/step_grader.hpp"
#include "grading/wording.hpp"
#include "judge/rules.hpp"
#include "problem/random.hpp"

namespace warpgrade::grading {

namespace {

constexpr std::int64_t warp = 32;

/// The same case with every size rounded up to whole warps. An edge costs a kernel as much as a full tile, so
/// a size that is not a multiple is held against the work of the next one that is: a threshold that holds
/// there then holds below it.
problem::Case whole_warps(const problem::Problem &p, problem::Case c) {
  for (std::size_t i = 0; i < c.integers.size(); ++i)
    if (p.integers()[i].size) c.integers[i] = (c.integers[i] + warp - 1) / warp * warp;
  return c;
}

/// The one of these that the seed chooses; null when there is none.
const problem::Case *chosen(const std::vector<problem::Case> &cases, std::uint64_t seed) {
  if (cases.empty()) return nullptr;
  return &cases[problem::random_bits(seed, 29, cases.size()) % cases.size()];
}

bool uses_tensor_cores(const ptx::Module &module) {
  for (const ptx::Function &f : module.functions)
    for (const ptx::Instruction &i : f.instructions)
      if (i.opcode.starts_with("mma") || i.opcode.starts_with("wmma") || i.opcode.starts_with("wgmma"))
        return true;
  return false;
}

/// About how many flops a few blocks of the call do, if its launches share the work alike.
double sampled_flops(const problem::Problem &p, const plan::LaunchPlan &plan, const problem::Case &c) {
  constexpr double few = 16;  // run::choose_blocks
  double blocks = 0, sampled = 0;
  for (const plan::Operation &operation : plan.operations)
    if (const auto *launch = std::get_if<plan::Launch>(&operation)) {
      const double grid = static_cast<double>(launch->grid.x) * launch->grid.y * launch->grid.z;
      blocks += grid, sampled += std::min(grid, few);
    }
  return blocks > 0 ? p.flops(c) * sampled / blocks : 0;
}

/// A verdict that counts against a submission.
bool stands(judge::Verdict v) {
  return v != judge::Verdict::accepted && v != judge::Verdict::grader_error;
}

}  // namespace

run::SimulateOptions simulate_options(const course::Assignment &a, const Options &options) {
  run::SimulateOptions o;
  o.warp_instructions = a.limits.simulate.warp_instructions;
  o.printed_bytes = a.limits.simulate.printed_bytes;
  o.scratch_bytes = a.limits.plan.scratch_bytes;
  o.threads = options.threads;
  if (options.threads_at_once) o.alone_until = 0;
  o.count = false;
  return o;
}

// No warp does more than 32 multiplications with an addition, 2 flops each, in one instruction.
bool too_large_to_count(const course::Assignment &a, const course::Step &step, const problem::Case &c) {
  return step.problem->flops(c) / 64 > static_cast<double>(a.limits.simulate.warp_instructions);
}

Counting count_call(const course::Assignment &a, const course::Step &step, const Options &options,
                    const plan::LaunchPlan &plan, run::Simulator &simulator, const problem::Case &c,
                    const LineOfOperation &line_of, const run::CodeChanges &changes) {
  run::SimulateOptions how = simulate_options(a, options);
  how.count = how.sample_lanes = true;
  run::Run run =
      simulator.simulate(plan, step.problem->inputs(c, seed_of(options, *step.problem, c)), how, changes);
  Counting counting;
  counting.why_not = run.message;
  if (run.end != run::End::completed) {
    if (!run.diagnostics.empty()) counting.why_not = judge::finding(run.diagnostics.back()).message;
    if (run.end == run::End::time_limit && !run.diagnostics.empty())  // else it was the wall clock
      counting.why_not = fmt::format(
          "counting at {} takes more than the {:.0e} warp instructions that the simulator may spend; a "
          "smaller size shows the same",
          step.problem->case_name(c), static_cast<double>(a.limits.simulate.warp_instructions));
    counting.run = std::move(run);
    return counting;
  }
  CounterRecord &counters = counting.counters.emplace();
  counters.counts = std::move(*run.counters);
  counters.useful_flops = step.problem->flops(c);
  counting.workers = judge::workers_of(plan, run.launch_flops, counters.useful_flops);
  if (counting.workers.threads > 0)
    counters.outputs_per_thread = static_cast<double>(step.problem->outputs(c)) / counting.workers.threads;
  counters.on = c;
  counters.shared_forbidden = step.rules.shared_memory == course::Permission::forbidden;
  counters.samples = std::move(run.samples);
  counters.links = link_counts(step, plan, run.moved, line_of);
  counting.run = std::move(run);
  return counting;
}

std::vector<simt::TracedRequest> trace_call(const course::Assignment &a, const course::Step &step,
                                            const Options &options, const plan::LaunchPlan &plan,
                                            run::Simulator &simulator, const problem::Case &c,
                                            std::uint64_t block) {
  run::SimulateOptions how = simulate_options(a, options);
  how.trace = simt::TraceOptions{.block = block};
  run::Run run = simulator.simulate(plan, step.problem->inputs(c, options.seed), how);
  if (run.end != run::End::completed) throw std::runtime_error(run.message);
  if (run.trace.size() >= how.trace->most)
    throw std::runtime_error(fmt::format("{} makes more than {} requests in block {}; take a smaller size",
                                         step.problem->case_name(c), how.trace->most, block));
  return std::move(run.trace);
}

namespace {

constexpr std::uint64_t most_looked_at = std::uint64_t{1} << 28;  ///< bytes

/// Whether numbers in the inputs may be places or digits, which decide where a kernel reads, writes and waits.
bool has_whole_numbers(const problem::Problem &problem) {
  const std::string_view launcher = problem.launcher();
  return launcher.find("const int *") != std::string_view::npos ||
         launcher.find("const unsigned *") != std::string_view::npos;
}

}  // namespace

SampledCall Grader::sample(const course::Step &step, const build::Build &build, const problem::Case &c,
                           const std::optional<SampleCost> &most) const {
  const std::vector<plan::Buffer> buffers = step.problem->buffers(c);
  std::uint64_t bytes = 0;
  bool dependent = false;
  for (std::size_t b = 0; b < buffers.size(); ++b) {
    bytes += buffers[b].bytes;
    dependent = dependent || !step.problem->may_exchange(c, b);
  }
  if (dependent && bytes > most_looked_at)
    throw std::runtime_error("the time depends on the numbers in its inputs, which are too many to look at");
  const bool whole = dependent || (has_whole_numbers(*step.problem) && bytes <= most_looked_at);
  const plan::LaunchPlan plan = this->plan(step, build, c);
  if (!plan.streams.empty()) throw std::runtime_error("the step is for several devices");
  if (most && uses_tensor_cores(build.module) && sampled_flops(*step.problem, plan, c) > most->tensor_flops)
    throw NotSampled(run::End::time_limit, "its tensor core operations take too long to simulate");
  // Fractions decide nothing in a regular kernel, so few are enough: those of a small case, repeated.
  problem::Case small = c;
  constexpr std::int64_t few = 64;
  for (std::size_t i = 0; !whole && i < small.integers.size(); ++i)
    if (step.problem->integers()[i].size) small.integers[i] = std::min(small.integers[i], few);
  run::SimulateOptions how = simulate_options(assignment_, options_);
  how.count = how.sample_blocks = true;
  if (most) how.warp_instructions = std::min(how.warp_instructions, most->warp_instructions);
  run::Simulator simulator(environment_.simulator, build.fatbin, simulator_limits(assignment_.limits));
  run::Run run = simulator.simulate(plan, step.problem->inputs(small, options_.seed), how);
  if (run.end != run::End::completed) throw NotSampled(run.end, run.message, run.by_clock);
  SampledCall call{std::move(run.sampled), std::move(run.samples), {}};
  for (const plan::Operation &operation : plan.operations)
    if (const auto *set = std::get_if<plan::SetMemory>(&operation))
      call.moves.push_back(set->width * set->rows);
    else if (const auto *copy = std::get_if<plan::CopyWithin>(&operation))
      call.moves.push_back(2 * copy->width * copy->rows);
    else if (const auto *in = std::get_if<plan::CopyIn>(&operation))
      call.moves.push_back(in->bytes.size());
  for (const plan::Buffer &b : plan.buffers) call.buffer_bytes[b.name] = b.bytes;
  return call;
}

CounterRecord as_near(const course::Step &step, CounterRecord counted) {
  const problem::Problem &p = *step.problem;
  const problem::Case whole = whole_warps(p, counted.on);
  counted.useful_flops = p.flops(whole);
  if (counted.outputs_per_thread > 0) {
    const double threads =
        std::round(static_cast<double>(p.outputs(counted.on)) / counted.outputs_per_thread);
    counted.outputs_per_thread = static_cast<double>(p.outputs(whole)) / threads;
  }
  counted.counts.lines.clear();
  counted.counts.accesses.clear();
  counted.counts.products.clear();
  counted.samples.clear();
  if (counted.links) counted.links->lines.clear();
  return counted;
}

/// What is counted is compared, too: a kernel that behaves well at this size has to be right there.
std::optional<Counting> StepGrader::count_and_compare(const problem::Case &c,
                                                      const run::CodeChanges &changes) {
  const auto recording = record(c);
  record_.why_no_counters = recording->message;
  if (recording->outcome != record::Recording::Outcome::plan) {
    hold(verdict_of(recording->outcome),
         fmt::format("at the counted size {}: {}", step_.problem->case_name(c), recording->message));
    return std::nullopt;
  }
  const auto line_of = [&](std::size_t operation) {
    return line_of_operation(*recorder_, *recording, operation);
  };
  Counting counting =
      count_call(assignment_, step_, options_, recording->plan, simulator_, c, line_of, changes);
  record_.why_no_counters = counting.why_not;
  // More work than the simulator may do is not a mistake: these points wait.
  if (counting.run.end == run::End::time_limit) return std::nullopt;
  std::optional<problem::Comparison> comparison;
  if (counting.counters)
    comparison =
        compare(c, *data_.get(*step_.problem, c, seed_of(options_, *step_.problem, c)), counting.run.buffers);
  const judge::RunVerdict v = judge::judge_run(counting.run, comparison, environment_.gpu.has_value());
  if (stands(v.verdict)) {
    hold(v.verdict, fmt::format("at the counted size {}: {}", step_.problem->case_name(c), v.reason));
    for (const judge::Finding &f : v.findings) add_once(record_.findings, f);
    return std::nullopt;
  }
  if (!counting.counters) return std::nullopt;
  return counting;
}

/// The cases that count() asks for, in that order. recorded: also those of which it needs nothing but the plan.
std::vector<problem::Case> StepGrader::counted_cases(bool recorded) const {
  std::vector<problem::Case> all = {step_.counters_on};
  if (const auto &rule = step_.rules.outputs_per_thread) {
    const problem::Case *near = chosen(rule->near, options_.seed);
    if (recorded || near == nullptr) all.push_back(rule->on);
    if (near != nullptr) all.push_back(*near);
  }
  if (const problem::Case *near = chosen(step_.counters_near, options_.seed)) all.push_back(*near);
  return all;
}

void StepGrader::count() {
  if (only_) {
    record_.why_no_counters = "only one case was run";
    return;
  }
  const std::size_t held_before = held_.size();
  std::optional<Counting> counting = count_and_compare(step_.counters_on, {});
  const run::CodeChanges changes = counting ? without_idle_accesses(*counting->counters) : run::CodeChanges{};
  if (changes != run::CodeChanges{}) {
    const simt::Counters all = std::move(counting->counters->counts);
    counting = count_and_compare(step_.counters_on, changes);
    if (counting) warn_of_idle_accesses(all, counting->counters->counts);
  }
  if (counting) {
    check_counted_rules(*counting);
    record_.counters = std::move(counting->counters);
    note_shared_arrays(*record_.counters, step_, build_, source_);
    const problem::Case *near = chosen(step_.counters_near, options_.seed);
    if (auto there = near ? count_and_compare(*near, changes) : std::nullopt) {
      record_.counters_near = as_near(step_, std::move(*there->counters));
    } else if (near) {
      record_.counters.reset();  // with the reason that it left
    }
  } else if (step_.rules.outputs_per_thread) {
    check_threads(step_.rules.outputs_per_thread->on, {}, false);
  }
  if (held_.size() == held_before) return;
  conclude();
  record_.counters.reset();
  record_.counters_near.reset();
  record_.why_no_counters = "the step was not accepted";
}

namespace {

/// wgmma has at least one factor in shared memory, and reads it without a load that could be counted or
/// disturbed.
bool multiplies_shared_tiles(const ptx::Module &module) {
  return std::any_of(module.functions.begin(), module.functions.end(), [](const ptx::Function &f) {
    return std::any_of(f.instructions.begin(), f.instructions.end(),
                       [](const ptx::Instruction &i) { return i.opcode.starts_with("wgmma.mma_async"); });
  });
}

}  // namespace

void StepGrader::check_counted_rules(const Counting &counting) {
  const problem::Problem &p = *step_.problem;
  const problem::Case &c = counting.counters->on;
  const double least = multiplies_shared_tiles(build_.module) ? 0 : p.least_shared_bytes(c);
  for (const judge::Finding &f :
       judge::check_shared_traffic(step_.rules, counting.counters->counts, least, p.case_name(c))) {
    hold(judge::Verdict::rule_violation, f.message);
    add_once(record_.findings, f);
  }
  if (!step_.rules.outputs_per_thread) return;
  const course::Rules::OutputsPerThread &rule = *step_.rules.outputs_per_thread;
  const problem::Case *near = chosen(rule.near, options_.seed);
  check_threads(rule.on, counting.workers.idle, near == nullptr);
  if (near) check_threads(*near, counting.workers.idle, true);
}

/// The rule on results per thread at one size. A launcher could choose another kernel just there, so its
/// result is `compared`, too.
void StepGrader::check_threads(const problem::Case &c, const std::set<std::string> &idle, bool compared) {
  const problem::Problem &p = *step_.problem;
  const auto recording = record(c);
  if (recording->outcome != record::Recording::Outcome::plan)
    return hold(verdict_of(recording->outcome), fmt::format("at {}: {}", p.case_name(c), recording->message));
  const double whole = static_cast<double>(p.outputs(whole_warps(p, c)));
  const double at_least =
      step_.rules.outputs_per_thread->at_least * static_cast<double>(p.outputs(c)) / whole;
  for (const judge::Finding &f : judge::check_outputs_per_thread(
           at_least, judge::threads_of(recording->plan, idle), p.outputs(c), p.case_name(c))) {
    hold(judge::Verdict::rule_violation, f.message);
    add_once(record_.findings, f);
  }
  if (!compared) return;
  judge::CaseVerdict v;
  v.name = p.case_name(c);
  v.values = c;
  simulate(v, *recording, *data_.get(p, c, seed_of(options_, p, c)));
  if (!stands(v.verdict) || v.verdict == judge::Verdict::time_limit) return;
  hold(v.verdict, fmt::format("at {}: {}", v.name, v.reason));
  for (const judge::Finding &f : v.findings) add_once(record_.findings, f);
}

/// What is read from shared memory must matter: the same call is run with every such number disturbed, and
/// must then be wrong.
void StepGrader::check_use_of_shared_memory() {
  if (step_.rules.shared_memory != course::Permission::required || only_) return;
  if (multiplies_shared_tiles(build_.module)) return;
  const judge::CaseVerdict *c = case_to_repeat();
  if (!c) return;
  const auto recording = record(c->values);
  if (recording->outcome != record::Recording::Outcome::plan) return;
  const auto data = data_.get(*step_.problem, c->values, c->seed);
  const run::Run run =
      simulator_.simulate(recording->plan, data->inputs, simulate_options(assignment_, options_),
                          {.disturb_shared_loads = true, .left_out = {}});
  if (run.end != run::End::completed) return;  // it mattered: to an address, or to the number of turns
  const problem::Comparison comparison = compare(c->values, *data, run.buffers);
  // At an edge few numbers come from tiles; half of all results is far more than chance and far less than
  // all.
  if (2 * comparison.wrong >= comparison.checked) return;
  rule_findings_.push_back(
      {"rule_violation", "error", "", 0,
       fmt::format(
           "this step must use shared memory; {} of {} results at {} do not depend on what the kernels "
           "read from it",
           comparison.checked - comparison.wrong, comparison.checked, c->name),
       1});
}

}  // namespace warpgrade::grading
