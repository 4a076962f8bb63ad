// check50: the JSON that `check50 --output json` prints, for courses whose tools read that. There are no
// points in it: a step has passed when it has all its points. An error takes the place of the results.
#include "base/text.hpp"
#include "platforms/outcome.hpp"
#include "platforms/platform.hpp"

namespace warpgrade::platforms {

namespace {

constexpr const char *documented_version = "3.0.0";  // of check50, whose form this is

Json result_of(const StepGrade &step) {
  const bool undecided = !step.by_hand && (step.verdict.empty() || step.verdict == "grader_error");
  const bool passed = step.passed();
  return {{"name", step.id},
          {"description", for_json(title_of(step))},
          {"passed", undecided ? Json(nullptr) : Json(passed)},
          {"log", Json::array()},
          {"cause", passed ? Json(nullptr) : Json{{"rationale", for_json(outcome(step))}, {"help", nullptr}}},
          {"data", Json::object()},
          {"dependency", nullptr}};
}

std::string checks_of(const StudentGrades &s) {
  Json all = {{"slug", "warpgrade"}};
  if (!s.refused.empty()) {
    all["error"] = {{"type", "Refused"}, {"value", for_json(s.refused)}, {"traceback", Json::array()}};
  } else {
    all["results"] = Json::array();
    for (const StepGrade &step : s.steps) all["results"].push_back(result_of(step));
  }
  all["version"] = documented_version;
  return all.dump(2) + "\n";
}

}  // namespace

const Platform check50 = {
    .name = "check50",
    .title = "check50",
    .exports = {.of_student = checks_of, .student_file = "check50.json", .telling = ":"},
};

}  // namespace warpgrade::platforms
