#include "grading/debugging.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <variant>

#include "grading/alone.hpp"
#include "grading/step_grader.hpp"
#include "trace/leading.hpp"

namespace warpgrade::grading {
namespace {

/// Where the result of that name is; nothing if there is no such result.
std::optional<simt::RecordedWord> word_of(const problem::Problem &p, const problem::Case &c,
                                          const std::string &element,
                                          const std::vector<run::HostBuffer> &buffers) {
  if (const auto product = p.product(c)) {
    for (std::int64_t i = 0; i < product->m; ++i)
      for (std::int64_t j = 0; j < product->n; ++j)
        if (same_element(problem::name_of(problem::Cell{i, j}, product->names[2]), element))
          return simt::RecordedWord{buffers.at(2).name, static_cast<std::uint64_t>(product->c.at(i, j)) * 4,
                                    4};
    return std::nullopt;
  }
  for (const problem::Problem::Place &place : p.places(c)) {
    if (!same_element(p.element_name(c, place.buffer, place.element), element)) continue;
    const std::uint64_t bytes = problem::bytes_of(place.type);
    return simt::RecordedWord{buffers.at(place.buffer).name, place.element * bytes, bytes};
  }
  return std::nullopt;
}

/// "C[0, 32] is 5, should be 7", of a result that was chosen.
std::string element_in_words(const problem::Problem &p, const problem::Case &c, const std::string &element,
                             const std::vector<run::HostBuffer> &inputs,
                             const std::vector<run::HostBuffer> &outputs) {
  const auto places = p.places(c);
  const problem::Reference right = p.reference(c, inputs);
  for (std::size_t i = 0; i < places.size() && i < right.want.size(); ++i) {
    const std::string name = name_of(p, c, places[i].buffer, places[i].element);
    if (!same_element(name, element)) continue;
    const double got = value_at(outputs, places[i]);
    return fmt::format("{} is {}, should be {}", name, problem::number_in_words(got, 7),
                       problem::number_in_words(right.want[i], 7));
  }
  return "";
}

const plan::Launch *first_launch(const plan::LaunchPlan &plan) {
  for (const plan::Operation &operation : plan.operations)
    if (const auto *launch = std::get_if<plan::Launch>(&operation)) return launch;
  return nullptr;
}

/// The warp that is wished for; the finding or the element decides where there is none.
std::vector<simt::WarpPlace> wished(const DebugWish &wish, const plan::Launch &launch) {
  if (!wish.block && !wish.warp) return {};
  const simt::Dim3 block = wish.block.value_or(simt::Dim3{0, 0, 0});
  const std::uint64_t number = (std::uint64_t{block.z} * launch.grid.y + block.y) * launch.grid.x + block.x;
  const std::uint64_t blocks = std::uint64_t{launch.grid.x} * launch.grid.y * launch.grid.z;
  const std::uint64_t threads = std::uint64_t{launch.block.x} * launch.block.y * launch.block.z;
  const std::uint32_t wanted = wish.warp.value_or(0);
  if (block.x >= launch.grid.x || block.y >= launch.grid.y || block.z >= launch.grid.z || number >= blocks)
    throw std::runtime_error(fmt::format("there is no such block: the grid has {} x {} x {} of them",
                                         launch.grid.x, launch.grid.y, launch.grid.z));
  if (std::uint64_t{wanted} * 32 >= threads)
    throw std::runtime_error(fmt::format("there is no warp {}: a block has {} threads", wanted, threads));
  return {{number, wanted}};
}

}  // namespace

bool is_result(const problem::Problem &p, const problem::Case &c, const std::string &element) {
  return !element.empty() && word_of(p, c, element, p.inputs(c, 0)).has_value();
}

Debugging Grader::debug(const course::Step &step, const build::Build &build, const problem::Case &c,
                        const DebugWish &wish) const {
  Debugging made;
  made.values = c;
  const plan::LaunchPlan plan = this->plan(step, build, c);
  const plan::Launch *launch = first_launch(plan);
  if (!launch) {
    made.failed = step.problem->needs_kernel(c);
    made.summary = "the launcher launches no kernel";
    return made;
  }
  run::Simulator simulator(environment_.simulator, build.fatbin, simulator_limits(assignment_.limits));
  run::SimulateOptions how = simulate_options(assignment_, options_);
  how.record.emplace().warps = wished(wish, *launch);
  how.warp_instructions = std::min(how.warp_instructions, enough_instructions(*step.problem, c));
  const std::vector<run::HostBuffer> inputs =
      inputs_for(options_, *step.problem, c, seed_of(options_, *step.problem, c));
  const auto simulate = [&] { return simulator.simulate(plan, inputs, how); };
  run::Run run = simulate();
  made.recording = std::move(run.recording);
  if (const simt::Diagnostic *found = simt::leading(run.diagnostics);
      found && (run.end != run::End::completed || found->severity == simt::Severity::error)) {
    made.failed = true;
    made.summary = judge::finding(*found).message;
    return made;
  }
  if (run.end != run::End::completed) {
    made.failed = true;
    made.summary = run.message;
    return made;
  }
  const problem::Comparison comparison = step.problem->compare(c, inputs, step.problem->reference(c, inputs),
                                                               run.buffers, assignment_.tolerance);
  made.failed = comparison.wrong > 0 || !comparison.changed_inputs.empty();
  made.summary = made.failed ? judge::describe(comparison) : "";
  if (comparison.wrong > 0 && !comparison.first.empty())
    made.word = word_of(*step.problem, c, comparison.first.front().where, run.buffers);
  const auto chosen =
      wish.element.empty() ? std::nullopt : word_of(*step.problem, c, wish.element, run.buffers);
  if (chosen) made.word = chosen;
  if (made.recording && !how.record->warps.empty()) return made;
  if (made.word) {
    how.record->word = made.word;
    how.record->findings = false;
  } else if (made.failed || wish.any) {
    how.record->warps = {{0, 0}};
  } else {
    return made;
  }
  made.recording = simulate().recording;
  if (chosen) {
    made.summary = element_in_words(*step.problem, c, wish.element, inputs, run.buffers);
  } else if (comparison.wrong > 0 && !comparison.first.empty()) {
    const problem::Mismatch &first = comparison.first.front();
    made.summary = fmt::format("{} is {}, should be {}", first.where, problem::number_in_words(first.got, 7),
                               problem::number_in_words(first.want, 7));
    if (made.recording && made.recording->nearest)
      made.summary += "; no thread writes it, and this warp writes the element that is nearest to it";
  }
  return made;
}

judge::CaseVerdict Grader::explain(const course::Step &step, const build::Build &build,
                                   const problem::Case &c, const std::string &source,
                                   const std::string &element) const {
  course::Case one;
  one.values = c;
  one.name = step.problem->case_name(c);
  Options options = options_;
  options.only = {{step.id, one}};
  options.element = element;
  options.measure = false;
  options.progress = {};
  Environment environment = environment_;
  environment.gpu.reset();
  CaseData data;
  StepRecord record =
      StepGrader(assignment_, environment, options, data, nullptr, step, build, source).grade({});
  return record.cases.empty() ? judge::CaseVerdict{} : std::move(record.cases.front());
}

}  // namespace warpgrade::grading
