// ./grade search STEP: a case that fails, looked for where the code says that something changes.
#include "report/search.hpp"

#include <fmt/format.h>

#include <iostream>

#include "base/files.hpp"
#include "base/text.hpp"
#include "grading/searching.hpp"
#include "setup/selection.hpp"
#include "steps/steps.hpp"

namespace warpgrade::steps {

int search_step(const SearchOptions &w) {
  if (w.step.empty()) throw UsageError("which step? For example: ./grade search step1");
  const Course course = open_course(w.common, {w.step});
  const course::Assignment &a = course.assignment;
  const course::Step &step = find_kernel(a, w.step);
  const auto machine = look_at_machine(course.root, a, DeviceChoice::simulator, !w.common.no_sandbox,
                                       toolchain_named(w.common.toolchain));
  const grading::Grader grader(a, machine->environment, grading_options(w.common, a));
  const build::Build build = grader.build(step, course.submission);
  try {
    const grading::SearchResult found =
        grader.search(step, build, read_whole(step.source_in(course.submission)), {w.seconds});
    std::string debug;
    if (found.failed)
      debug = command_again(w.common, a, course.submission, "debug " + step.id) +
              fmt::format(" --case {}", shell_word(found.failed->name));
    const report::SearchView view{found, fmt::format("{} {}", a.name, step.id), debug};
    if (!w.json.empty()) write_whole(w.json, report::search_to_json(view, a, step.id));
    std::cout << report::search_to_terminal(view, terminal_style());
    return found.failed ? below : full_score;
  } catch (const std::runtime_error &e) {
    fmt::print("{} cannot be searched: {}\n'{}' says more.\n", step.id, for_terminal(e.what(), true),
               command_again(w.common, a, course.submission, step.id));
    return below;
  }
}

}  // namespace warpgrade::steps
