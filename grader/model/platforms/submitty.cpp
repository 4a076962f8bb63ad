// Submitty: what a custom validator writes. The score is a share of the test case's points.
#include "base/text.hpp"
#include "platforms/outcome.hpp"
#include "platforms/platform.hpp"

namespace warpgrade::platforms {

namespace {

std::string validation_of(const StudentGrades &s) {
  std::string message = s.refused.empty() ? points_of(s) : "Nothing was graded: " + s.refused;
  for (const std::string &note : s.notes) message += "\nNote: " + note;
  for (const StepGrade &step : s.steps) message += "\n" + title_of(step) + ": " + outcome(step);
  if (!s.grade())
    return Json{{"status", "failure"}, {"message", for_json("The grader failed. " + message)}}.dump(2) + "\n";
  return Json{{"status", "success"},
              {"data",
               {{"score", share_of(s)},
                {"message", for_json(message)},
                {"status", s.points >= s.max_points ? "success" : "failure"}}}}
             .dump(2) +
         "\n";
}

}  // namespace

const Platform submitty = {
    .name = "submitty",
    .title = "Submitty",
    .exports = {.of_student = validation_of, .student_file = "validation_results.json", .telling = ":"},
};

}  // namespace warpgrade::platforms
