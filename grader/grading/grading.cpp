#include "grading/grading.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "base/files.hpp"
#include "build/source_text.hpp"
#include "grading/step_grader.hpp"
#include "grading/wording.hpp"
#include "judge/hunt.hpp"
#include "judge/rules.hpp"
#include "ptx/architecture.hpp"

namespace warpgrade::grading {

record::Limits record_limits(const course::Limits &l) {
  record::Limits limits;
  limits.wall_seconds = l.record.wall_seconds;
  limits.cpu_seconds = static_cast<std::uint32_t>(std::ceil(l.record.cpu_seconds));
  limits.memory_bytes = l.record.memory_bytes;
  limits.output_bytes = l.record.output_bytes;
  limits.plan.plan_bytes = l.plan.plan_bytes;
  limits.plan.operations = static_cast<std::uint32_t>(l.plan.operations);
  limits.plan.launches = static_cast<std::uint32_t>(l.plan.launches);
  limits.plan.buffers = static_cast<std::uint32_t>(l.plan.buffers);
  limits.plan.scratch_bytes = l.plan.scratch_bytes;
  limits.plan.threads = l.plan.threads;
  return limits;
}

run::SimulatorLimits simulator_limits(const course::Limits &l) {
  run::SimulatorLimits limits;
  limits.memory_bytes = l.simulate.memory_bytes;
  limits.wall_seconds = l.step_wall_seconds;
  return limits;
}

build::Limits build_limits(const course::Limits &l) {
  build::Limits limits;
  limits.wall_seconds = l.compile.wall_seconds;
  limits.memory_bytes = l.compile.memory_bytes;
  limits.file_bytes = l.compile.file_bytes;
  limits.log_bytes = l.compile.log_bytes;
  return limits;
}

std::uint64_t seed_of(const Options &options, const problem::Problem &problem, const problem::Case &c) {
  constexpr double large = 1e8;  // beyond what is simulated
  return problem.work(c) > large ? options.seed_of_large.value_or(options.seed) : options.seed;
}

int devices_of(const course::Step &step) {
  int most = 1;
  if (step.has_kernel())
    for (const course::Case &c : step.cases) most = std::max<int>(most, step.problem->devices(c.values));
  return most;
}

std::vector<gpu::DeviceInfo> gpus_for(const Environment &environment, int devices) {
  std::vector<gpu::DeviceInfo> gpus{*environment.gpu};
  for (const gpu::DeviceInfo &gpu : environment.more_gpus)
    if (gpus.size() < static_cast<std::size_t>(devices)) gpus.push_back(gpu);
  return gpus;
}

int most_devices_of(const course::Step &step, const Environment &environment, const Options &options) {
  int most = devices_of(step);
  if (const auto only = options.only.find(step.id); only != options.only.end())
    most = std::max<int>(most, step.problem->devices(only->second.values));
  const course::StepThresholds *timed =
      environment.thresholds ? environment.thresholds->find(step.id) : nullptr;
  return timed ? std::max<int>(most, step.problem->devices(timed->size)) : most;
}

namespace {

/// Of a step whose cases are all for several devices: the fewest of a case. 1: some case is for one device.
int fewest_devices_of(const course::Step &step) {
  int fewest = devices_of(step);
  if (step.has_kernel())
    for (const course::Case &c : step.cases) fewest = std::min<int>(fewest, step.problem->devices(c.values));
  return fewest;
}

}  // namespace

Environment for_step(Environment environment, const course::Step &step) {
  const ptx::Architecture arch(step.arch);
  const std::optional<gpu::DeviceInfo> &gpu = environment.gpu;
  if (const int fewest = fewest_devices_of(step);
      gpu && gpus_for(environment, fewest).size() < static_cast<std::size_t>(fewest)) {
    environment.why_not_this_gpu = fmt::format(
        "not measured: the step is for {} GPUs of one kind that can access each other's memory; here {} {} "
        "{}",
        fewest, environment.more_gpus.empty() ? "is" : "are", 1 + environment.more_gpus.size(), gpu->name);
    environment.why_no_gpu = environment.why_not_this_gpu;
    environment.gpu.reset();
    return environment;
  }
  if (!gpu || arch.runs_on(gpu->major, gpu->minor)) return environment;
  environment.why_not_this_gpu =
      fmt::format("not measured: needs an sm_{} GPU{}; {} is sm_{}{}", arch.capability,
                  arch.exact ? "" : " or a newer one", gpu->name, gpu->major, gpu->minor);
  environment.why_no_gpu = environment.why_not_this_gpu;
  environment.gpu.reset();
  return environment;
}

plan::CallRequest call_request(const course::Step &step, const Environment &environment,
                               const problem::Case &c) {
  plan::CallRequest request;
  request.parameters = std::string(step.problem->launcher());
  request.integers = step.problem->arguments(c);
  request.reals = c.reals;
  request.buffers = step.problem->buffers(c);
  request.devices = step.problem->devices(c);
  request.device = environment.gpu ? environment.gpu->properties
                                   : plan::simulated_device(ptx::Architecture(step.arch).capability);
  return request;
}

namespace {

StepRecord without_a_run(const course::Step &step, judge::Verdict verdict, std::string reason) {
  StepRecord r;
  r.id = step.id;
  r.title = step.title;
  r.file = step.file;
  r.verdict = verdict;
  r.reason = std::move(reason);
  return r;
}

/// A file of the student's own that `make` finds and that is not there when the grader compiles a step: what
/// to do about it; empty where the step includes none.
std::string file_that_stays_behind(const course::Step &step, const build::Request &request) {
  constexpr std::uint64_t most_bytes = 1 << 20;
  const auto bytes = read_regular(request.source, most_bytes);
  if (!bytes) return "";
  const std::string_view text(reinterpret_cast<const char *>(bytes->data()), bytes->size());
  for (const build::Include &include : build::includes_of(text)) {
    const bool step_file = std::filesystem::path(include.name).extension() == ".cu";
    const bool known = request.headers.contains(include.name) ||
                       (!step_file && std::filesystem::exists(request.starter / include.name));
    if (include.angled || known || !std::filesystem::exists(request.source.parent_path() / include.name))
      continue;
    return fmt::format(
        "{0}:{1} includes \"{2}\", which is missing when the step is graded: only the step's files are "
        "handed "
        "in ({3}){4}. Move what {0} needs of it into {0}",
        step.file, include.line, include.name, fmt::join(step.files(), ", "),
        step_file ? ", and each step is compiled by itself" : "");
  }
  return "";
}

}  // namespace

StepRecord missing_step(const course::Step &step, std::string reason) {
  StepRecord r = without_a_run(step, judge::Verdict::missing, std::move(reason));
  r.build.why_no_registers = "there is no file";
  r.why_no_counters = r.why_no_performance = "the step was not accepted";
  return r;
}

StepRecord our_failure(const course::Step &step, std::string reason) {
  StepRecord r = without_a_run(step, judge::Verdict::grader_error, std::move(reason));
  r.build.why_no_registers = r.why_no_counters = r.why_no_performance = "the grader failed";
  return r;
}

gpu::ReplayLimits replay_limits(const course::Assignment &assignment) {
  return {assignment.limits.gpu_wall_seconds, assignment.limits.plan.scratch_bytes};
}

Grader::Grader(const course::Assignment &assignment, Environment environment, Options options)
    : assignment_(assignment), environment_(std::move(environment)), options_(std::move(options)) {
  if (!environment_.gpu) return;
  timekeeping_.reset(new Timekeeping{
      {}, gpu::Referee(gpus_for(environment_, plan::most_devices), environment_.gpu_children)});
  // A context and cuBLAS take a second to set up: while the first step is built and judged.
  if (options_.measure && options_.only.empty()) timekeeping_->referee.start_early();
}

void Grader::set_up_gpu_for(const course::Step &step) {
  const Environment environment = for_step(environment_, step);
  if (!timekeeping_ || !environment.gpu || !step.has_kernel()) return;
  auto ahead =
      std::make_unique<gpu::Replay>(gpus_for(environment, most_devices_of(step, environment, options_)),
                                    replay_limits(assignment_), environment.gpu_children);
  ahead->start_early();
  timekeeping_->ahead = std::move(ahead);
}

void Grader::use_seed(std::uint64_t seed) {
  options_.seed = seed;
  data_.forget_all_but(options_.seed_of_large);
}

build::Build Grader::build(const course::Step &step, const std::filesystem::path &submission,
                           const build::Build *same_host) const {
  if (!step.has_kernel()) return {};
  build::Request request;
  request.starter = environment_.starter;
  request.source = step.source_in(submission);
  request.file = step.file;
  request.entry = step.entry;
  for (const std::string &header : step.headers)
    request.headers[header] = step.source_in(submission).parent_path() / header;
  request.parameters = std::string(step.problem->launcher());
  request.arch = step.arch;
  request.same_host = same_host;
  if (const auto gpu = for_step(environment_, step).gpu)
    request.sass = ptx::Architecture(step.arch).machine_code(gpu->major, gpu->minor);
  build::Build build = environment_.front_end->build(request);
  if (build.reason == build::Reason::compile_error)
    if (const std::string why = file_that_stays_behind(step, request); !why.empty()) build.message = why;
  return build;
}

build::Build Grader::with_machine_code(const build::Build &build, const std::string &sm) const {
  return environment_.front_end->with_machine_code(build, sm);
}

StepRecord Grader::grade(const course::Step &step, const build::Build &build,
                         const std::filesystem::path &submission,
                         const std::function<void()> &before_timing) {
  if (!step.has_kernel()) return grade_answers(assignment_, step, submission);
  const Environment environment = for_step(environment_, step);
  const std::string source = build.ok ? build.source : read_or_empty(step.source_in(submission));
  StepRecord r =
      StepGrader(assignment_, environment, options_, data_, timekeeping_.get(), step, build, source)
          .grade(before_timing);
  if (step.hunt && r.verdict != judge::Verdict::missing)
    r.answers = judge::judge_hunt(step, source, read_or_empty(environment.starter / step.path()));
  if (build.ok && build.front_end.starts_with("clang")) {
    for (const judge::Finding &f : judge::refused_by_nvcc(build.module, source)) add_once(r.findings, f);
  }
  return r;
}

std::shared_ptr<CaseData::Ahead> Grader::expect(const course::Step &step) {
  if (!step.has_kernel() || options_.only.contains(step.id) || !options_.alone.empty()) return nullptr;
  std::vector<std::pair<problem::Case, std::uint64_t>> all;
  for (const course::Case &c : step.cases)
    if (!c.gpu_only && !c.advisory) all.emplace_back(c.values, seed_of(options_, *step.problem, c.values));
  return data_.begin_in_turn(*step.problem, std::move(all));
}

DeviceRecord Grader::device() const {
  DeviceRecord d;
  d.gpu = environment_.gpu.has_value();
  d.name = d.gpu ? environment_.gpu->name : "Warpgrade simulator";
  d.arch =
      d.gpu ? fmt::format("sm_{}{}", environment_.gpu->major, environment_.gpu->minor) : assignment_.arch;
  d.why_no_gpu = environment_.why_no_gpu;
  return d;
}

CounterRecord Grader::count(const course::Step &step, const build::Build &build,
                            const problem::Case &c) const {
  const Recorded recorded = record(step, build, c);
  run::Simulator simulator(environment_.simulator, build.fatbin, simulator_limits(assignment_.limits));
  const auto line_of = [&](std::size_t operation) {
    return line_of_operation(*recorded.by, recorded.recording, operation);
  };
  Counting counting = count_call(assignment_, step, options_, recorded.recording.plan, simulator, c, line_of);
  if (!counting.counters) throw std::runtime_error(counting.why_not);
  return std::move(*counting.counters);
}

std::vector<simt::TracedRequest> Grader::trace(const course::Step &step, const build::Build &build,
                                               const problem::Case &c, std::uint64_t block) const {
  run::Simulator simulator(environment_.simulator, build.fatbin, simulator_limits(assignment_.limits));
  return trace_call(assignment_, step, options_, plan(step, build, c), simulator, c, block);
}

Grader::Recorded Grader::record(const course::Step &step, const build::Build &build,
                                const problem::Case &c) const {
  if (!build.ok)
    throw std::runtime_error(fmt::format("{} does not build: {}\n{}", step.file, build.message, build.log));
  Recorded made;
  made.by = std::make_unique<record::Recorder>(*environment_.sandbox, build,
                                               record_limits(assignment_.limits), environment_.record_server);
  made.recording = made.by->record(call(step, c));
  if (made.recording.outcome != record::Recording::Outcome::plan)
    throw std::runtime_error(made.recording.message);
  return made;
}

plan::CallRequest Grader::call(const course::Step &step, const problem::Case &c) const {
  return call_request(step, for_step(environment_, step), c);
}

plan::LaunchPlan Grader::plan(const course::Step &step, const build::Build &build,
                              const problem::Case &c) const {
  return std::move(record(step, build, c).recording.plan);
}

}  // namespace warpgrade::grading
