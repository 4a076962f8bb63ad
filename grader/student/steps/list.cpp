#include <iostream>

#include "base/did_you_mean.hpp"
#include "base/files.hpp"
#include "base/text.hpp"
#include "report/steps_list.hpp"
#include "setup/selection.hpp"
#include "steps/steps.hpp"

namespace warpgrade::steps {
namespace {

report::FileState state_of(const Course &course, const course::Step &step) {
  using Kind = report::FileState::Kind;
  constexpr std::uint64_t most_bytes = 1 << 20;
  const auto mine = read_regular(step.source_in(course.submission), most_bytes);
  if (!mine)
    return {Kind::missing, misnamed_file(step.source_in(course.submission).parent_path(), step.file)};
  const auto starter = read_regular(course.root / "starter" / course.assignment.name / step.file, most_bytes);
  if (!starter) return {Kind::here, ""};
  return {mine == starter ? Kind::as_handed_out : Kind::changed, ""};
}

}  // namespace

int list_steps(const Common &common) {
  const Course course = open_course(common, {});
  std::vector<report::FileState> states;
  for (const course::Step &step : course.assignment.steps) states.push_back(state_of(course, step));
  std::cout << for_terminal(report::steps_list(course.assignment, states, terminal_style().columns), true);
  return full_score;
}

}  // namespace warpgrade::steps
