// ./grade debug STEP: the last moments of the warps that a failure concerns.
#include "report/debug.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iostream>

#include "explain/playback.hpp"
#include "grading/debugging.hpp"
#include "grading/shared_arrays.hpp"
#include "setup/files.hpp"
#include "setup/selection.hpp"
#include "steps/debug.hpp"
#include "steps/steps.hpp"

namespace warpgrade::steps {

namespace {

/// More than a case that is looked at step by step may have in its arrays.
constexpr std::uint64_t most_debugged_bytes = 16 << 20;

std::uint64_t bytes_of(const course::Step &step, const problem::Case &c) {
  std::uint64_t bytes = 0;
  for (const plan::Buffer &one : step.problem->buffers(c)) bytes += one.bytes;
  return bytes;
}

/// The cases that a student may see: in the order of the file, but after them those in which little can be seen, such
/// as 1 x 1, and last those that only warn, unless they are huge.
std::vector<problem::Case> open_cases(const course::Step &step) {
  std::vector<problem::Case> all, advisory;
  for (const course::Case &c : step.cases)
    if (c.visibility == course::Visibility::open && !c.gpu_only &&
        (!c.advisory || bytes_of(step, c.values) <= most_debugged_bytes))
      (c.advisory ? advisory : all).push_back(c.values);
  std::stable_partition(all.begin(), all.end(),
                        [&](const problem::Case &c) { return !problem::is_degenerate(*step.problem, c); });
  all.insert(all.end(), advisory.begin(), advisory.end());
  return all;
}

constexpr const char *nothing_wrong = "Nothing is wrong in this case; this is one of its warps.";

std::string nothing_recorded(const grading::Debugging &made) {
  return made.recording && !made.recording->why_not.empty() ? made.recording->why_not
         : made.summary.empty()                             ? "nothing is launched"
                                                            : made.summary;
}

grading::Debugging find_failure(const DebugOptions &w, const grading::Grader &grader,
                                const course::Step &step, const build::Build &build) {
  grading::DebugWish wish{w.block, w.warp, false, w.element};
  if (const auto one = w.common.one_case(step)) {
    wish.any = true;
    return grader.debug(step, build, one->values, wish);
  }
  const std::vector<problem::Case> cases = open_cases(step);
  for (const problem::Case &c : cases) {
    grading::Debugging made = grader.debug(step, build, c, wish);
    if (made.failed || (made.recording && w.element.empty())) return made;
  }
  wish.any = true;
  return grader.debug(step, build, cases.empty() ? step.counters_on : cases.front(), wish);
}

/// Goes on with a smaller case that fails alike, unless a case or a warp was asked for. What the first wrong element
/// is made of, if that is known.
std::optional<problem::Terms> take_smallest(grading::Debugging &made, const DebugOptions &w,
                                            const grading::Grader &grader, const course::Step &step,
                                            const build::Build &build, const std::string &source) {
  const bool chosen = grading::is_result(*step.problem, made.values, w.element);
  judge::CaseVerdict found = grader.explain(step, build, made.values, source, chosen ? w.element : "");
  if (found.smallest && !w.common.one_case(step) && !w.block && !w.warp) {
    grading::Debugging smaller = grader.debug(step, build, found.smallest->values, {});
    if (smaller.failed && smaller.recording && !smaller.recording->events.empty()) made = std::move(smaller);
  }
  if (found.terms && found.terms->at != step.problem->case_name(made.values))
    found.terms->sentence = fmt::format("At {}, {}", found.terms->at, found.terms->sentence);
  return std::move(found.terms);
}

}  // namespace

explain::Playback playback_of(const course::Step &step, grading::Debugging made, const std::string &source) {
  explain::KnownShapes known;
  const std::vector<plan::Buffer> buffers = step.problem->buffers(made.values);
  const std::vector<problem::Extent> extents = step.problem->extents(made.values);
  for (std::size_t b = 0; b < buffers.size() && b < extents.size(); ++b) {
    const problem::Extent &e = extents[b];
    if (e.rows > 1 && e.pitch > 1)
      known.global[buffers[b].name] = {e.rows, e.cols, e.pitch, e.by_columns, 4, step.problem->is_product()};
  }
  for (const grading::SharedArray &one : grading::shared_arrays_in(source))
    known.shared.push_back({one.name, one.row_bytes, one.bytes});
  return explain::play(std::move(*made.recording), known, made.word, std::move(made.summary));
}

std::string debug_page(const grading::Grader &grader, const course::Step &step, const build::Build &build,
                       const std::string &source, std::string &why) {
  const DebugOptions any;
  grading::Debugging made = find_failure(any, grader, step, build);
  std::optional<problem::Terms> terms;
  if (made.failed) terms = take_smallest(made, any, grader, step, build, source);
  if (!made.recording || made.recording->kernel.empty()) {
    why = nothing_recorded(made);
    return "";
  }
  if (!made.failed) made.summary = nothing_wrong;
  const std::string title = fmt::format("{} at {}", step.id, step.problem->case_name(made.values));
  const explain::Playback playback = playback_of(step, std::move(made), source);
  return report::debug_to_html({playback, title, step.file, source, terms ? &*terms : nullptr});
}

int debug_step(const DebugOptions &w) {
  if (w.step.empty()) throw UsageError("which step? For example: ./grade debug step2");
  const Course course = open_course(w.common, {w.step});
  const course::Assignment &a = course.assignment;
  const course::Step &step = find_kernel(a, w.step);
  const auto machine = look_at_machine(course.root, a, DeviceChoice::simulator, !w.common.no_sandbox,
                                       toolchain_named(w.common.toolchain));
  const grading::Options options = grading_options(w.common, a);
  const grading::Grader grader(a, machine->environment, options);
  const build::Build build = grader.build(step, course.submission);
  const std::string again = command_again(w.common, a, course.submission, step.id);
  try {
    const std::string source = read_whole(step.source_in(course.submission));
    grading::Debugging made = find_failure(w, grader, step, build);
    std::optional<problem::Terms> terms;
    if (made.failed) terms = take_smallest(made, w, grader, step, build, source);
    const std::string at = step.problem->case_name(made.values);
    if (!made.recording || made.recording->kernel.empty()) {
      fmt::print("{} at {}: nothing was recorded: {}\n'{}' says more.\n", step.id, at,
                 for_terminal(nothing_recorded(made), true), again);
      return below;
    }
    const bool failed = made.failed;
    if (!failed) made.summary = nothing_wrong;
    const explain::Playback playback = playback_of(step, std::move(made), source);
    const report::DebugView view{playback, fmt::format("{} at {}", step.id, at), step.file, source,
                                 terms ? &*terms : nullptr};
    if (!w.html.empty()) {
      write_whole(w.html, report::debug_to_html(view));
      fmt::print("{}\nOpen {} in a browser.\n", for_terminal(playback.summary), for_terminal(w.html));
    } else {
      std::cout << report::debug_to_terminal(view, {w.at, w.lane, w.element, w.line, 20}, terminal_style());
    }
    return failed ? below : full_score;
  } catch (const std::runtime_error &e) {
    fmt::print("{} cannot be recorded: {}\n'{}' says more.\n", step.id, for_terminal(e.what(), true), again);
    return below;
  }
}

}  // namespace warpgrade::steps
