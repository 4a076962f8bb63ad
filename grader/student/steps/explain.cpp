#include "explain/explain.hpp"

#include <fmt/format.h>

#include <iostream>

#include "report/explain.hpp"
#include "setup/files.hpp"
#include "setup/selection.hpp"
#include "steps/steps.hpp"
#include "whatif/promises.hpp"

namespace warpgrade::steps {

namespace {

/// The access to draw: the worst of the chosen line, or of all lines.
const explain::Access *access_to_draw(const explain::Explanation &explanation, const std::string &file,
                                      int line) {
  for (const explain::Line &l : explanation.lines) {
    if (line > 0 && (l.at.line != line || l.at.file != file)) continue;
    for (const explain::Access &access : l.accesses)
      if (access.sample) return &access;
  }
  return nullptr;
}

/// The first line of the file that has lanes to draw: they are ordered by what they waste.
int worst_line(const explain::Explanation &explanation, const std::string &file) {
  for (const explain::Line &l : explanation.lines)
    if (l.at.file == file && l.at.line > 0 && access_to_draw(explanation, file, l.at.line)) return l.at.line;
  throw UsageError("there is no access to memory to draw");
}

/// Thresholds hold at their own size; at another one they would mislead.
std::vector<score::CounterScore> thresholds(const course::Step &step,
                                            const grading::CounterRecord &counters) {
  if (!(counters.on == step.counters_on)) return {};
  return score::score_counters(step, counters);
}

/// The picture that --draw asks for, of --line or of all lines.
std::string picture(const ExplainOptions &w, const course::Step &step,
                    const explain::Explanation &explained) {
  const simt::SourceLine line{step.file, w.line};
  const simt::SourceLine *const at = w.line > 0 ? &line : nullptr;
  if (w.draw == "fragments") {
    const explain::Product *product = explain::hottest_product(explained, at);
    const auto drawing = product ? report::draw_product(step.id, *product) : std::nullopt;
    if (!drawing) throw UsageError("the step has no products on tensor cores to draw");
    return drawing->svg;
  }
  if (w.draw == "banks") {
    const explain::Access *access = explain::shared_access(explained, at);
    if (!access) throw UsageError("there is no access to shared memory to draw");
    return report::draw_shared_access(step.id, *access).svg;
  }
  if (w.draw == "tile") {
    const simt::LaneSample *tile = explain::copied_tile(explained, at);
    if (!tile) throw UsageError("there is no asynchronous copy to shared memory to draw");
    return report::draw_copied_tile(step.id, *tile).svg;
  }
  const explain::Access *access = access_to_draw(explained, step.file, w.line);
  if (!access) throw UsageError("there is no access to memory to draw");
  return report::lanes_to_svg(*access);
}

/// The size at which the step is timed there, or the largest at which another step with the same problem is.
std::optional<problem::Case> size_to_predict(const course::Assignment &a, const course::Step &step,
                                             const predict::Predictor &predictor,
                                             const predict::Machine &machine) {
  std::optional<problem::Case> size = predictor.timed_size(machine, step);
  if (size) return size;
  for (const course::Step &other : a.steps)
    if (const auto one = other.problem == step.problem ? predictor.timed_size(machine, other) : std::nullopt;
        one && (!size || step.problem->work(*one) > step.problem->work(*size)))
      size = one;
  return size;
}

/// What its worst lines would gain on the course's GPU. With --gpu, its predictions
/// say that.
std::optional<predict::StepPrediction> prediction_for(const ExplainOptions &w, const Course &course,
                                                      const grading::Grader &grader, const course::Step &step,
                                                      const build::Build &build) {
  if (!w.gpus.empty() || w.line > 0 || w.lanes) return std::nullopt;
  predict::Predictor predictor(course.root, course.assignment);
  const std::vector<predict::Machine> machines = predictor.machines();
  if (machines.empty()) return std::nullopt;
  const auto size = size_to_predict(course.assignment, step, predictor, machines.front());
  if (!size) return std::nullopt;
  predictor.further = whatif::promise;
  return predictor.predict(grader, step, build, *size, machines.front(),
                           predict::Predictor::Effort::a_second);
}

int show(ExplainOptions w, const Course &course, const course::Step &step,
         const grading::CounterRecord &counters, const predict::StepPrediction *prediction) {
  const course::Assignment &a = course.assignment;
  const explain::Explanation explained = report::explanation_of(counters);
  const std::vector<std::string> source = lines_of(read_whole(step.source_in(course.submission)));
  const std::vector<score::CounterScore> checks = thresholds(step, counters);
  std::vector<course::Gpu> gpus;
  const std::vector<course::Gpu> known = course::read_gpus(course.root / "assignments");
  for (const std::string &name : w.gpus)  // the prediction says which of them are unknown
    if (const course::Gpu *gpu = course::find_gpu(known, name)) gpus.push_back(*gpu);
  const report::ExplainView view{
      fmt::format("{} {} ({}) at {}", a.name, step.id, step.title, step.problem->case_name(counters.on)),
      step.file,
      source,
      counters,
      explained,
      checks,
      command_again(w.common, a, course.submission, "explain " + step.id),
      gpus,
      prediction};
  const report::Style style = terminal_style();
  if (w.lanes && w.line == 0) w.line = worst_line(explained, step.file);
  std::string text;
  if (w.line == 0) {
    text = report::explain_to_terminal(view, style);
  } else {
    text = report::line_to_terminal(view, w.line, style);
    if (text.empty())
      throw UsageError(fmt::format(
          "{}:{} executes nothing that is counted; 'explain {}' without --line shows the lines that do",
          step.file, w.line, step.id));
  }
  if (!w.json.empty()) write_whole(w.json, report::explain_to_json(view, a, step.id));
  if (!w.svg.empty()) write_whole(w.svg, picture(w, step, explained));
  std::cout << text;
  return full_score;
}

}  // namespace

int print_checklist() {
  std::cout << report::checklist_to_terminal(terminal_style().columns);
  return full_score;
}

int explain_step(const ExplainOptions &w) {
  if (w.step.empty()) throw UsageError("which step? For example: ./grade explain step1");

  const Course course = open_course(w.common, {w.step});
  const course::Assignment &a = course.assignment;
  const course::Step &step = find_kernel(a, w.step);
  const auto machine = look_at_machine(course.root, a, DeviceChoice::simulator, !w.common.no_sandbox,
                                       toolchain_named(w.common.toolchain));
  const grading::Options options = grading_options(w.common, a);
  const grading::Grader grader(a, machine->environment, options);
  const problem::Case values = w.common.case_to_look_at(step);
  const build::Build build = grader.build(step, course.submission);
  grading::CounterRecord counters;
  try {
    counters = grader.count(step, build, values);
    if (counters.counts.warp_instructions == 0) throw std::runtime_error("nothing is launched");
  } catch (const std::runtime_error &e) {
    fmt::print("{} at {} cannot be explained: {}\n'{}' says more.\n", step.id,
               step.problem->case_name(values), for_terminal(e.what(), true),
               command_again(w.common, a, course.submission, step.id));
    return below;
  }
  grading::note_shared_arrays(counters, step, build, read_whole(step.source_in(course.submission)));
  const auto prediction = prediction_for(w, course, grader, step, build);
  return show(w, course, step, counters, prediction ? &*prediction : nullptr);
}

}  // namespace warpgrade::steps
