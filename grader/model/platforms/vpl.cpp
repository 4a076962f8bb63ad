// VPL, the Virtual Programming Lab of Moodle: what vpl_execution prints. Lines that begin with "Comment :=>>"
// are shown, and the last "Grade :=>>" is the grade. So no text of a student may begin a line.
#include <fmt/format.h>

#include "base/text.hpp"
#include "platforms/outcome.hpp"
#include "platforms/platform.hpp"

namespace warpgrade::platforms {

namespace {

std::string evaluation_of(const StudentGrades &s) {
  std::string text;
  const auto comment = [&](const std::string &line) { text += "Comment :=>>" + for_terminal(line) + "\n"; };
  comment(s.refused.empty() ? points_of(s) : "Nothing was graded: " + s.refused);
  for (const std::string &note : s.notes) comment("Note: " + note);
  for (const StepGrade &step : s.steps) {
    // A hyphen makes a heading that unfolds to the lines after it.
    comment(fmt::format("-{} ({}/{})", title_of(step), step.points ? points(*step.points) : "-",
                        points(step.max_points)));
    comment(outcome(step));
  }
  if (const std::optional<double> grade = s.grade()) text += fmt::format("Grade :=>>{}\n", points(*grade));
  return text;
}

}  // namespace

const Platform vpl = {
    .name = "vpl",
    .title = "Moodle VPL",
    .exports = {.of_student = evaluation_of, .student_file = "evaluation.txt", .telling = ">>"},
};

}  // namespace warpgrade::platforms
