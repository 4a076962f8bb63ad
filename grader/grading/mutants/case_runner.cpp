#include "mutants/case_runner.hpp"

#include <fmt/format.h>

#include "grading/step_grader.hpp"
#include "plan/request.hpp"

namespace warpgrade::mutants {

namespace {

run::SimulatorLimits limits_of_many_runs(const course::Limits &l) {
  constexpr double seconds = 600;
  run::SimulatorLimits limits = grading::simulator_limits(l);
  limits.wall_seconds = seconds;
  return limits;
}

}  // namespace

std::shared_ptr<const record::Recording> Recordings::find(const std::string &call) const {
  const std::scoped_lock lock(mutex_);
  const auto found = all_.find(call);
  return found == all_.end() ? nullptr : found->second;
}

void Recordings::keep(const std::string &call, std::shared_ptr<const record::Recording> made) {
  const std::scoped_lock lock(mutex_);
  all_.emplace(call, std::move(made));
}

CaseRunner::CaseRunner(const course::Assignment &a, const grading::Environment &e, const grading::Options &o,
                       const course::Step &step, const build::Build &build, grading::CaseData &data,
                       Recordings *shared)
    : assignment_(a),
      environment_(e),
      options_(o),
      step_(step),
      build_(build),
      data_(data),
      shared_(shared),
      simulator_(e.simulator, build.fatbin, limits_of_many_runs(a.limits)) {
  simulator_.start_early();
}

std::shared_ptr<const record::Recording> CaseRunner::record(const problem::Case &c) {
  plan::CallRequest call = grading::call_request(step_, grading::for_step(environment_, step_), c);
  const record::Limits limits = grading::record_limits(assignment_.limits);
  std::string key;
  if (shared_) {
    plan::CallRequest whole = call;
    whole.kernels = build_.kernels;
    whole.variables = build_.variables;
    const std::vector<std::byte> asked = plan::encode(whole, limits.plan);
    key = build_.worker.string() + '\n' +
          std::string(reinterpret_cast<const char *>(asked.data()), asked.size());
    if (auto known = shared_->find(key)) return known;
  }
  if (!recorder_) recorder_.emplace(*environment_.sandbox, build_, limits, environment_.record_server);
  auto made = std::make_shared<const record::Recording>(recorder_->record(std::move(call)));
  if (shared_ && made->outcome != record::Recording::Outcome::our_failure) shared_->keep(key, made);
  return made;
}

Ran CaseRunner::run(const problem::Case &c, const How &how) {
  Ran ran;
  const auto recording = record(c);
  ran.reason = recording->message;
  ran.verdict = grading::verdict_of(recording->outcome);
  if (recording->outcome != record::Recording::Outcome::plan) return ran;
  ran.plan = recording->plan;
  const auto data = data_.get(*step_.problem, c, grading::seed_of(options_, *step_.problem, c));
  run::SimulateOptions options = grading::simulate_options(assignment_, options_);
  options.count = how.count;
  if (how.warp_instructions) options.warp_instructions = *how.warp_instructions;
  ran.run = simulator_.simulate(ran.plan, data->inputs, options);
  if (ran.run.end == run::End::completed && data->reference)
    ran.comparison =
        step_.problem->compare(c, data->inputs, *data->reference, ran.run.buffers, assignment_.tolerance);
  const judge::RunVerdict v = judge::judge_run(
      ran.run, ran.comparison, false, grading::inputs_of(data->inputs), step_.problem->outputs(c) > 0);
  ran.verdict = v.verdict;
  ran.also = v.also;
  ran.reason = v.reason;
  ran.findings = v.findings;
  return ran;
}

namespace {

void write(std::string &out, const ptx::Operand &o) {
  out += fmt::format(" {}.{}.{}.{}.{}.{}{}", static_cast<int>(o.kind), static_cast<int>(o.type), o.reg,
                     o.second, o.value, o.name, o.negated ? "!" : "");
  for (const ptx::Operand &element : o.elements) write(out, element);
}

void write(std::string &out, const ptx::Variable &v) {
  out += fmt::format("{} {} {} {} ", v.name, static_cast<int>(v.space), v.bytes, v.align);
  for (const std::byte b : v.initial) out += fmt::format("{:02x}", static_cast<unsigned>(b));
  for (const auto &r : v.relocations) out += fmt::format(" {}:{}+{}", r.offset, r.symbol, r.addend);
  out += '\n';
}

}  // namespace

std::string code_of(const build::Build &build) {
  std::string out;
  for (const ptx::Variable &v : build.module.variables) write(out, v);
  for (const ptx::Function &f : build.module.functions) {
    out += f.name + '\n';
    for (const ptx::Variable &v : f.variables) write(out, v);
    for (const ptx::Label &l : f.labels) out += fmt::format("{}@{} ", l.name, l.instruction);
    for (const auto &targets : f.branch_targets) out += fmt::format("{} ", fmt::join(targets, ","));
    for (const ptx::Instruction &i : f.instructions) {
      out += fmt::format("\n{} {}{}", i.opcode, i.guard, i.guard_negated ? "!" : "");
      for (const ptx::Operand &o : i.operands) write(out, o);
    }
    out += '\n';
  }
  return out;
}

}  // namespace warpgrade::mutants
