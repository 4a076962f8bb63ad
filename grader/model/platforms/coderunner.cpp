// CodeRunner, a question type of Moodle: what a combinator template grader prints. Without `fraction`,
// CodeRunner shows an error and gives no marks, which is right where the grader itself failed.
#include <fmt/format.h>

#include "base/text.hpp"
#include "platforms/outcome.hpp"
#include "platforms/platform.hpp"

namespace warpgrade::platforms {

namespace {

std::string grading_of(const StudentGrades &s) {
  if (!s.grade()) return Json{{"error", "The grader failed: this submission was not graded."}}.dump(2) + "\n";
  Json rows = Json::array({{"iscorrect", "Step", "Points", "Result"}});
  for (const StepGrade &step : s.steps)
    rows.push_back({step.passed() ? 1 : 0, for_json(title_of(step)),
                    fmt::format("{}/{}", step.points ? points(*step.points) : "-", points(step.max_points)),
                    for_json(outcome(step))});
  std::string words = "<p>" + for_xml(s.refused.empty() ? points_of(s) : "Nothing was graded: " + s.refused);
  for (const std::string &note : s.notes) words += "<br>" + for_xml("Note: " + note);
  return Json{{"fraction", share_of(s)}, {"prologuehtml", words + "</p>"}, {"testresults", rows}}.dump(2) +
         "\n";
}

}  // namespace

const Platform coderunner = {
    .name = "coderunner",
    .title = "Moodle CodeRunner",
    .exports = {.of_student = grading_of, .student_file = "coderunner.json", .telling = ":"},
};

}  // namespace warpgrade::platforms
