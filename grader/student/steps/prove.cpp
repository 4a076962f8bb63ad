// ./grade prove STEP: what holds for all sizes of the contract.
#include <fmt/format.h>

#include <algorithm>
#include <iostream>

#include "base/files.hpp"
#include "base/text.hpp"
#include "grading/proving.hpp"
#include "report/proof.hpp"
#include "setup/selection.hpp"
#include "steps/steps.hpp"

namespace warpgrade::steps {

int prove_step(const ProveOptions &w) {
  if (w.step.empty()) throw UsageError("which step? For example: ./grade prove step1");
  const Course course = open_course(w.common, {w.step});
  const course::Assignment &a = course.assignment;
  const course::Step &step = find_kernel(a, w.step);
  const auto machine = look_at_machine(course.root, a, DeviceChoice::simulator, !w.common.no_sandbox,
                                       toolchain_named(w.common.toolchain));
  const grading::Grader grader(a, machine->environment, grading_options(w.common, a));
  const build::Build build = grader.build(step, course.submission);
  try {
    const grading::Proof proof =
        grader.prove(step, build, read_whole(step.source_in(course.submission)), {w.seconds});
    const report::ProofView view{proof, fmt::format("{} {}", a.name, step.id)};
    if (!w.json.empty()) write_whole(w.json, report::proof_to_json(view, a, step.id));
    if (!w.html.empty()) write_whole(w.html, report::proof_to_html(view));
    std::cout << report::proof_to_terminal(view, terminal_style());
    const bool fails = std::any_of(proof.properties.begin(), proof.properties.end(),
                                   [](const grading::PropertyRecord &p) { return p.result == "fails"; });
    return fails ? below : full_score;
  } catch (const std::runtime_error &e) {
    fmt::print("Nothing can be proved of {}: {}\n'{}' says more.\n", step.id, for_terminal(e.what(), true),
               command_again(w.common, a, course.submission, step.id));
    return below;
  }
}

}  // namespace warpgrade::steps
