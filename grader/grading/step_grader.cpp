#include "grading/step_grader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <csignal>

#include "base/files.hpp"
#include "gpu/device_lock.hpp"
#include "grading/alone.hpp"
#include "grading/device_code.hpp"
#include "grading/far_end.hpp"
#include "grading/geometry.hpp"
#include "grading/time_so_far.hpp"
#include "grading/wording.hpp"
#include "judge/hunt.hpp"
#include "judge/rules.hpp"
#include "plan/describe.hpp"

namespace warpgrade::grading {

namespace {

/// So many cases that end the launcher or a kernel by force are enough to see; each costs its whole time
/// limit.
constexpr int enough_time_limits = 1, enough_crashes = 3;
/// A case that failed on a GPU only is explained by the simulator when it is no larger than this.
constexpr double most_explained_work = 4e8;
/// A case of at most this size shows which ways of branches are taken.
constexpr double most_searched_work = 1e7;
/// All recorded calls of a step may take this many times the limit of one; an honest launcher needs
/// milliseconds.
constexpr double all_calls_over_one = 3;
/// On a busy machine, where a launcher is kept waiting for a processor.
constexpr double most_stretch = 10;

std::set<std::string> kernels_of(const plan::LaunchPlan &plan) {
  std::set<std::string> names;
  for (const plan::Operation &o : plan.operations)
    if (const auto *launch = std::get_if<plan::Launch>(&o)) names.insert(launch->kernel);
  return names;
}

/// What is left of a step's time when it is compiled.
double seconds_after(double compiling, const course::Limits &limits) {
  return std::max(limits.step_wall_seconds / 2, limits.step_wall_seconds - compiling);
}

run::SimulatorLimits simulator_limits_within(const course::Limits &all, double seconds) {
  run::SimulatorLimits limits = simulator_limits(all);
  limits.wall_seconds = seconds;
  return limits;
}

bool same(const judge::Finding &a, const judge::Finding &b) {
  return a.code == b.code && a.file == b.file && a.line == b.line && a.severity == b.severity;
}

}  // namespace

judge::Verdict verdict_of(record::Recording::Outcome outcome) {
  switch (outcome) {
    case record::Recording::Outcome::plan:
      return judge::Verdict::accepted;
    case record::Recording::Outcome::crashed:
      return judge::Verdict::crashed;
    case record::Recording::Outcome::time_limit:
      return judge::Verdict::time_limit;
    case record::Recording::Outcome::bad_plan:
      return judge::Verdict::bad_plan;
    case record::Recording::Outcome::our_failure:
      break;
  }
  return judge::Verdict::grader_error;
}

std::vector<std::string> inputs_of(const std::vector<run::HostBuffer> &buffers) {
  std::vector<std::string> names;
  for (const run::HostBuffer &b : buffers)
    if (b.role == run::Role::input) names.push_back(b.name);
  return names;
}

std::uint64_t enough_instructions(const problem::Problem &p, const problem::Case &c) {
  constexpr double least = 5e6, of_operation = 10;
  return static_cast<std::uint64_t>(least + of_operation * p.work(c));
}

void add_once(std::vector<judge::Finding> &all, const judge::Finding &f) {
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const judge::Finding &g) { return same(f, g); });
  if (found == all.end()) {
    all.push_back(f);
    return;
  }
  found->count += f.count;
  if (!f.follows) found->follows.reset();  // it was seen on its own
}

StepGrader::StepGrader(const course::Assignment &assignment, const Environment &environment,
                       const Options &options, CaseData &data, Timekeeping *timekeeping,
                       const course::Step &step, const build::Build &build, const std::string &source)
    : assignment_(assignment),
      environment_(environment),
      options_(options),
      data_(data),
      timekeeping_(timekeeping),
      step_(step),
      build_(build),
      only_(options.only.contains(step.id) ? &options.only.at(step.id) : nullptr),
      most_seconds_(seconds_after(build.charged_seconds, assignment.limits)),
      source_(source),
      guards_(build.module, step.file, source),
      simulator_(environment.simulator, build.fatbin,
                 simulator_limits_within(assignment.limits, most_seconds_)),
      company_{environment.lock_directory, environment.gpu_wait_seconds} {
  record_.id = step.id;
  record_.title = step.title;
  record_.file = step.file;
}

bool StepGrader::begin() {
  if (!built()) return false;
  simulator_.start_early();
  recorder_ = std::make_unique<record::Recorder>(
      *environment_.sandbox, build_, record_limits(assignment_.limits), environment_.record_server);
  return true;
}

StepRecord StepGrader::grade(const std::function<void()> &before_timing) {
  record_.why_no_counters = record_.why_no_performance = "the step was not accepted";
  if (!begin()) return std::move(record_);
  set_up_gpu();
  begin_large_cases();
  look_ahead();
  run_cases();
  name_causes();
  try_other_calls();
  run_in_turn();
  explain_gpu_failure();
  check_rules();
  conclude();
  if (record_.verdict != judge::Verdict::accepted) explain_failure();
  if (record_.verdict == judge::Verdict::accepted) count();
  if (record_.verdict == judge::Verdict::accepted && options_.is_right) options_.is_right();
  if (record_.verdict == judge::Verdict::accepted) measure(before_timing);
  if (options_.is_measured) options_.is_measured();
  if (record_.verdict == judge::Verdict::accepted && !others_wait()) search_briefly();
  if (record_.verdict == judge::Verdict::accepted && !others_wait()) run_advisory();
  if (record_.verdict == judge::Verdict::accepted) prove_if_wanted();
  return std::move(record_);
}

void StepGrader::set_up_gpu() {
  if (!environment_.gpu) return;
  const std::vector<gpu::DeviceInfo> gpus =
      gpus_for(environment_, most_devices_of(step_, environment_, options_));
  if (timekeeping_ && timekeeping_->ahead && timekeeping_->ahead->devices() == gpus)
    gpu_ = std::move(timekeeping_->ahead);
  else
    gpu_ = std::make_unique<gpu::Replay>(gpus, replay_limits(assignment_), environment_.gpu_children);
  gpu_->use_code(build_.fatbin);
  gpu_->start_early();
}

bool StepGrader::runs_on_gpu(const problem::Case &c) const {
  return gpu_ && step_.problem->devices(c) <= gpu_->devices().size();
}

bool StepGrader::others_wait() const {
  return options_.others_wait && options_.others_wait();
}

bool StepGrader::built() {
  BuildRecord &b = record_.build;
  b.ok = build_.ok;
  b.seconds = build_.seconds;
  b.front_end = build_.front_end;
  b.registers = build_.registers;
  b.spill_bytes = build_.spill_bytes;
  if (build_.ok) b.static_shared_bytes = build_.static_shared_bytes;
  if (!b.registers)
    b.why_no_registers = build_.why_no_registers.empty()
                             ? "no machine code was made: registers are known for a GPU only"
                             : build_.why_no_registers;
  b.log = build_.log;
  if (build_.ok) b.code = hash_without_names(build_.module);
  if (build_.ok) return true;
  record_.reason = build_.message;
  record_.try_again = build_.try_again;
  switch (build_.reason) {
    case build::Reason::missing_file:
      record_.verdict = judge::Verdict::missing;
      break;
    case build::Reason::our_failure:
      record_.verdict = judge::Verdict::grader_error;
      break;
    default:
      record_.verdict = judge::Verdict::build_error;
  }
  return false;
}

/// The references of the cases that only a GPU runs take a core longer than the GPU takes: computed while the
/// small cases run.
void StepGrader::begin_large_cases() {
  if (!environment_.gpu || only_) return;
  for (const course::Case &c : step_.cases)
    if (c.gpu_only && !c.advisory && runs_on_gpu(c.values))
      data_.begin(*step_.problem, c.values, seed_of(options_, *step_.problem, c.values));
}

void StepGrader::run_cases() {
  int time_limits = 0, crashes = 0;
  std::vector<course::Case> cases = step_.cases;
  if (only_) cases = {*only_};
  for (const course::Case &c : cases) {
    judge::CaseVerdict v;
    v.name = c.name;
    v.values = c.values;
    v.visibility = c.visibility;
    v.seed = seed_of(options_, *step_.problem, c.values);
    v.advisory = c.advisory && !only_;
    if (v.advisory || time_limits >= enough_time_limits || crashes >= enough_crashes)
      v.skipped = true;
    else {
      if (options_.progress)
        options_.progress(fmt::format("case {} of {}", record_.cases.size() + 1, cases.size()));
      v = run_case(c);
    }
    time_limits += v.ran() && v.verdict == judge::Verdict::time_limit;
    crashes += v.ran() && v.verdict == judge::Verdict::crashed;
    record_.cases.push_back(std::move(v));
    compute_ahead();
  }
}

std::shared_ptr<const CaseData::Data> StepGrader::data_for(const problem::Case &c, std::uint64_t seed) {
  if (options_.alone.empty()) return data_.get(*step_.problem, c, seed);
  auto data = std::make_shared<CaseData::Data>();
  data->inputs = inputs_for(options_, *step_.problem, c, seed);
  data->reference = step_.problem->reference(c, data->inputs);
  return data;
}

judge::CaseVerdict StepGrader::run_case(const course::Case &c) {
  judge::CaseVerdict v;
  v.name = c.name;
  v.values = c.values;
  v.visibility = c.visibility;
  v.seed = seed_of(options_, *step_.problem, c.values);
  const double waited = simulator_.seconds() - simulator_.processor_seconds();
  if (const TimeSoFar time = time_so_far(seconds(), waited, most_seconds_); time != TimeSoFar::left) {
    const bool busy = time == TimeSoFar::machine_was_busy;
    v.verdict = busy ? judge::Verdict::grader_error : judge::Verdict::time_limit;
    v.reason =
        busy ? fmt::format(
                   "this machine was too busy: of the {:.1f} s that the step took so far, "
                   "simulations waited {:.1f} s for a processor",
                   build_.charged_seconds + seconds(), waited)
             : fmt::format("the step took {:.1f} s so far, {:.1f} s of it to compile; it may take {:g} s",
                           build_.charged_seconds + seconds(), build_.charged_seconds,
                           assignment_.limits.step_wall_seconds);
    record_.try_again = record_.try_again || busy;
    any_operation_ = true;
    return v;
  }
  const auto kept = record(c.values);
  const record::Recording &recording = *kept;
  if (record_.printed.empty() && c.visibility == course::Visibility::open)
    record_.printed = recording.printed;
  launcher_seconds_ += 2 * recording.charged_seconds;  // a call is recorded twice
  launcher_wall_seconds_ += 2 * recording.seconds;
  const double most = all_calls_over_one * assignment_.limits.record.wall_seconds;
  if (launcher_seconds_ > most || launcher_wall_seconds_ > most_stretch * most) {
    v.verdict = judge::Verdict::time_limit;
    v.reason = fmt::format("the calls of the launcher took {:.1f} s so far; all of a step's may take {:g} s",
                           launcher_seconds_ > most ? launcher_seconds_ : launcher_wall_seconds_, most);
    any_operation_ = any_effect_ = true;
    return v;
  }
  if (recording.outcome != record::Recording::Outcome::plan) {
    refuse(v, recording);
    record_.try_again =
        record_.try_again || v.verdict == judge::Verdict::grader_error;  // it was not even run
    any_operation_ = any_effect_ = true;
    return v;
  }
  any_operation_ = any_operation_ || !recording.plan.operations.empty();
  any_effect_ = any_effect_ || !only_stubs(recording.plan);
  const bool launches = plan::launches_anything(recording.plan);
  if (!launches && step_.problem->needs_kernel(c.values)) {
    // An untouched stub launches nothing anywhere; conclude() tells that from a launcher that cheats or gives
    // up.
    v.verdict = recording.plan.operations.empty() ? judge::Verdict::wrong_answer : judge::Verdict::bad_plan;
    v.reason = recording.plan.operations.empty()
                   ? "the launcher returned without launching a kernel"
                   : "the launcher copies or sets memory and launches no kernel";
    return v;
  }
  if (launches && c.visibility == course::Visibility::open) note_rules(recording.plan);
  const bool on_gpu = runs_on_gpu(c.values);
  if (c.gpu_only && !on_gpu && !only_) {
    check_plan(v, recording);
    return v;
  }
  if (only_ && !on_gpu && is_too_large(*step_.problem, c.values)) {
    // More than memory holds, and more than a simulation ends with: the last blocks show an index that overflows.
    look_at_the_far_end(v, recording.plan);
    v.waits_for_gpu = v.verdict != judge::Verdict::out_of_bounds;
    if (v.waits_for_gpu) v.verdict = judge::Verdict::grader_error;
    return v;
  }
  const auto data = data_for(c.values, v.seed);
  if (!c.gpu_only || !on_gpu) simulate(v, recording, *data, c.gpu_only ? 100 : 1);
  if (v.verdict == judge::Verdict::accepted && !threads_bound_results_.has_value())
    threads_bound_results_ = true;
  if (v.verdict == judge::Verdict::accepted &&
      too_few_threads(*step_.problem, c.values, build_.module, recording.plan))
    threads_bound_results_ = false;
  if (on_gpu) replay_on_gpu(v, recording.plan, *data);
  if (c.visibility == course::Visibility::hidden) hold_to_rules(v, recording.plan);
  return v;
}

/// A case that only a GPU runs: its plan may show already that it fails there.
void StepGrader::check_plan(judge::CaseVerdict &v, const record::Recording &recording) {
  if (v.visibility == course::Visibility::hidden) hold_to_rules(v, recording.plan);
  if (const auto refused = Wording(step_, v.values, *recorder_, recording, guards_).launch_error())
    judge::join(v, *refused, "");
  if (threads_bound_results_.value_or(false))
    if (auto why = too_few_threads(*step_.problem, v.values, build_.module, recording.plan))
      judge::join(v, {judge::Verdict::wrong_answer, {}, std::move(*why), {}}, "");
  v.where.clear();
  v.waits_for_gpu = v.verdict == judge::Verdict::grader_error;
}

namespace {

/// Compiled to nothing, although it is given arguments.
bool is_stub(const ptx::Module &module, const std::string &kernel) {
  const ptx::Function *f = ptx::find_function(module, kernel);
  return f && f->defined && !f->parameters.empty() &&
         std::all_of(f->instructions.begin(), f->instructions.end(),
                     [](const ptx::Instruction &i) { return i.opcode == "ret" || i.opcode == "exit"; });
}

}  // namespace

/// Whether all that the plan does is to launch stubs, as where the course's own header launches them.
bool StepGrader::only_stubs(const plan::LaunchPlan &plan) const {
  return std::all_of(plan.operations.begin(), plan.operations.end(), [&](const plan::Operation &o) {
    const auto *launch = std::get_if<plan::Launch>(&o);
    return launch && is_stub(build_.module, launch->kernel);
  });
}

double StepGrader::seconds() const {
  return spent_seconds_ + company_.spent_seconds + simulator_.seconds();
}

void StepGrader::note_rules(const plan::LaunchPlan &plan) {
  launched_.merge(kernels_of(plan));
  if (rule_findings_.empty()) rule_findings_ = judge::check_plan_rules(step_.rules, build_.module, plan);
}

/// A rule that a hidden case breaks is this case's verdict and no finding of the step: a kernel's name or
/// line, or its shared bytes, could spell the size.
void StepGrader::hold_to_rules(judge::CaseVerdict &v, const plan::LaunchPlan &plan) const {
  // Where nothing is to be computed and nothing runs, no kernel can use what a rule requires.
  if (!step_.problem->needs_kernel(v.values) && !plan::launches_anything(plan)) return;
  const std::set<std::string> names = kernels_of(plan);
  judge::RunVerdict broken;
  broken.verdict = judge::Verdict::rule_violation;
  broken.findings = judge::check_plan_rules(step_.rules, build_.module, plan);
  for (judge::Finding &f :
       judge::check_code_rules(step_.rules, build_.module, build_.machine_code, {names.begin(), names.end()}))
    broken.findings.push_back(std::move(f));
  if (broken.findings.empty()) return;
  broken.reason = broken.findings.front().message;
  const std::string ran_on = v.where;
  judge::join(v, broken, "");
  v.where = ran_on;
}

problem::Comparison StepGrader::compare(const problem::Case &c, const CaseData::Data &data,
                                        const std::vector<run::HostBuffer> &outputs) const {
  const problem::Problem &p = *step_.problem;
  if (data.reference) return p.compare(c, data.inputs, *data.reference, outputs, assignment_.tolerance);
  problem::Comparison comparison;
  comparison.checked = p.outputs(c);
  if (const auto wrong = p.spot_check(c, data.inputs, outputs, assignment_.tolerance, options_.seed)) {
    comparison.wrong = 1;  // at least
    comparison.located = *wrong;
  }
  return comparison;
}

void StepGrader::refuse(judge::CaseVerdict &v, const record::Recording &recording) {
  v.verdict = verdict_of(recording.outcome);
  v.reason = recording.message;
  const bool crashed = recording.outcome == record::Recording::Outcome::crashed;
  if (recording.outcome != record::Recording::Outcome::bad_plan && !crashed) return;
  const int line = recorder_->line_of(recording.callers);
  if (crashed && recording.signal == SIGILL) {
    if (const std::string cause = guards_.known_error(line); !cause.empty())
      v.reason = fmt::format("the host code of this step crashed: {}", cause);
  } else if (!crashed) {
    v.reason = Wording(step_, v.values, *recorder_, recording, guards_).reason();
  }
  if (line > 0)
    v.findings.push_back({std::string(judge::name_of(v.verdict)), "error", step_.file, line, v.reason});
}

void StepGrader::simulate(judge::CaseVerdict &v, const record::Recording &recording,
                          const CaseData::Data &data, std::uint64_t times_instructions) {
  run::SimulateOptions options = simulate_options(assignment_, options_);
  options.warp_instructions *= times_instructions;
  // Hidden cases must not decide what a search tries.
  options.branches =
      v.visibility == course::Visibility::open && step_.problem->work(v.values) <= most_searched_work;
  run::Run run = simulator_.simulate(recording.plan, data.inputs, options);
  coverage_.add(run.branches);
  Wording(step_, v.values, *recorder_, recording, guards_).complete(run);
  std::optional<problem::Comparison> comparison;
  if (run.end == run::End::completed) comparison = compare(v.values, data, run.buffers);
  judge::join(v,
              judge::judge_run(run, comparison, runs_on_gpu(v.values), inputs_of(data.inputs),
                               step_.problem->outputs(v.values) > 0),
              "sim");
  v.comparison = comparison;
  find_mistakes(v, data.inputs, run);
  v.printed = run.printed;
}

void StepGrader::replay_on_gpu(judge::CaseVerdict &v, const plan::LaunchPlan &plan,
                               const CaseData::Data &data) {
  const run::Run run = gpu::replay_beside_others(*gpu_, plan, data.inputs, company_);
  std::optional<problem::Comparison> comparison;
  if (run.end == run::End::completed) comparison = compare(v.values, data, run.buffers);
  judge::join(v, judge::judge_run(run, comparison, false, {}, step_.problem->outputs(v.values) > 0), "gpu");
  const bool worse =
      comparison && (!v.comparison || comparison->wrong > v.comparison->wrong ||
                     (v.comparison->wrong == 0 && comparison->max_error > v.comparison->max_error));
  if (worse) v.comparison = comparison;
  if (v.printed.empty()) v.printed = run.printed;
}

/// A failure that only the GPU shows, at a size that was not simulated: the simulator may know the line.
void StepGrader::explain_gpu_failure() {
  if (!environment_.gpu) return;
  judge::CaseVerdict *smallest = nullptr;
  for (judge::CaseVerdict &c : record_.cases) {
    if (!c.ran() || c.verdict == judge::Verdict::accepted) continue;
    if (c.where != "gpu") return;  // simulated already, or never ran
    if (!smallest || step_.problem->work(c.values) < step_.problem->work(smallest->values)) smallest = &c;
  }
  if (!smallest || step_.problem->work(smallest->values) > most_explained_work) return;
  const auto recording = record(smallest->values);
  if (recording->outcome != record::Recording::Outcome::plan) return;
  const auto data = data_for(smallest->values, smallest->seed);
  simulate(*smallest, *recording, *data, 20);
}

namespace {

/// Of a hunt: why its fix changes too much; "" if it does not. None where there is nothing to compare it with.
std::optional<std::string> too_many_changes(const course::Step &step, const std::string &source,
                                            const std::filesystem::path &starter) {
  const std::string given = read_or_empty(starter / step.path());
  if (given.empty()) return std::nullopt;
  return judge::too_many_changes(step, source, given);
}

}  // namespace

void StepGrader::check_rules() {
  if (launched_.empty()) return;
  if (step_.hunt) {
    const auto why = too_many_changes(step_, source_, environment_.starter);
    if (!why) hold(judge::Verdict::grader_error, step_.file + " is missing from the starter");
    if (why && !why->empty())
      rule_findings_.push_back(
          {std::string(judge::name_of(judge::Verdict::rule_violation)), "error", step_.file, 0, *why});
  }
  for (judge::Finding &f : judge::check_code_rules(step_.rules, build_.module, build_.machine_code,
                                                   {launched_.begin(), launched_.end()}))
    rule_findings_.push_back(std::move(f));
  if (rule_findings_.empty()) check_use_of_shared_memory();
  if (!rule_findings_.empty()) hold(judge::Verdict::rule_violation, rule_findings_.front().message);
  for (const judge::Finding &f : rule_findings_) add_once(record_.findings, f);
  for (const judge::Finding &f : judge::remarks(build_.module, build_.machine_code))
    add_once(record_.findings, f);
}

void StepGrader::hold(judge::Verdict v, std::string reason) {
  held_.emplace_back(v, std::move(reason));
}

/// What a student's step learns of hidden cases is how many of them pass. Kinds of failures would be digits
/// in which a kernel spells sizes.
void StepGrader::hold_hidden_cases() {
  const judge::HiddenCount hidden = judge::count_hidden(record_.cases);
  if (hidden.ran == 0) return;
  if (hidden.passed < hidden.ran - hidden.not_judged)
    hold(judge::Verdict::wrong_answer, fmt::format("{} of {} hidden cases pass", hidden.passed, hidden.all));
  if (hidden.not_judged > 0)
    hold(judge::Verdict::grader_error,
         fmt::format("{} of {} hidden cases could not be judged", hidden.not_judged, hidden.all));
  if (hidden.passed > 0) hold(judge::Verdict::accepted, "");
}

void StepGrader::conclude() {
  std::size_t ran = 0;
  std::vector<const judge::CaseVerdict *> open;
  for (const judge::CaseVerdict &c : record_.cases) {
    if (!c.ran() || c.advisory) continue;
    ++ran;
    if (c.visibility == course::Visibility::open) open.push_back(&c);
  }
  // The case that tells most comes first: the step's reason and the places in its findings are of that case.
  std::stable_sort(open.begin(), open.end(), [&](const judge::CaseVerdict *a, const judge::CaseVerdict *b) {
    return judge::telling(*a, *step_.problem) > judge::telling(*b, *step_.problem);
  });
  for (const judge::CaseVerdict *c : open) {
    for (const judge::Finding &f : c->findings) add_once(record_.findings, f);
    hold(c->verdict, c->reason);
    for (const judge::Verdict v : c->also) hold(v, c->reason);
  }
  hold_hidden_cases();
  if (ran == 0) hold(judge::Verdict::grader_error, "no case could be run");
  if (ran > 0 && !any_operation_)
    hold(judge::Verdict::not_implemented, "the launcher does nothing yet: it launches no kernel");
  else if (ran > 0 && !any_effect_)
    hold(judge::Verdict::not_implemented,
         fmt::format("{} does nothing yet: it is empty, or nothing that it computes reaches memory",
                     launched_.empty() ? "the kernel" : ptx::demangle(*launched_.begin())));

  // The first of the strongest: among cases that tell as much, sizes ascend, so it is the smallest one.
  const auto strongest = std::max_element(held_.begin(), held_.end(),
                                          [](const auto &a, const auto &b) { return a.first < b.first; });
  record_.verdict = strongest->first;
  record_.reason = strongest->first == judge::Verdict::accepted ? "" : strongest->second;
  record_.try_again = record_.try_again && record_.verdict == judge::Verdict::grader_error;
  std::set<judge::Verdict> others;
  for (const auto &[v, reason] : held_)
    if (v != record_.verdict && v != judge::Verdict::accepted && v != judge::Verdict::grader_error)
      others.insert(v);
  if (record_.verdict == judge::Verdict::not_implemented) {  // what a stub breaks besides says nothing
    others.clear();
    record_.findings.clear();
  }
  record_.also.assign(others.rbegin(), others.rend());
}

void StepGrader::measure(const std::function<void()> &before_timing) {
  if (!environment_.gpu) {
    record_.why_no_performance =
        environment_.why_not_this_gpu.empty() ? "there is no GPU here" : environment_.why_not_this_gpu;
    return;
  }
  if (only_ || !options_.measure) {
    record_.why_no_performance = only_ ? "only one case was run" : "timing was switched off";
    return;
  }
  const course::StepThresholds *thresholds =
      environment_.thresholds ? environment_.thresholds->find(step_.id) : nullptr;
  if (!thresholds) {
    record_.why_no_performance = "this step is not timed";
    return;
  }
  if (!runs_on_gpu(thresholds->size)) {
    const std::size_t here = gpu_->devices().size();
    record_.why_no_performance = fmt::format(
        "the timed size is for {} GPUs of one kind that can access each other's memory, and here {} {}",
        step_.problem->devices(thresholds->size), here == 1 ? "is" : "are", here);
    return;
  }
  stop_recording_ahead();  // a launcher would disturb the timing
  const auto recording = record(thresholds->size);
  if (recording->outcome != record::Recording::Outcome::plan) {
    hold(verdict_of(recording->outcome),
         fmt::format("at the timed size {}: {}", step_.problem->case_name(thresholds->size),
                     recording->message));
    conclude();
    return;
  }
  if (before_timing) before_timing();
  Timing timing = time_step(assignment_, step_, environment_, thresholds->size, recording->plan, *gpu_,
                            *timekeeping_, thresholds, options_);
  record_.performance = std::move(timing.performance);
  record_.why_no_performance = timing.why_not;
  if (timing.verdict == judge::Verdict::accepted) return;
  hold(timing.verdict, timing.why_not);
  conclude();
}

}  // namespace warpgrade::grading
