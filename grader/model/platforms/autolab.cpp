// Autolab: files named by address and version, with nothing of a student's choice after the version; and the
// text that an autograder prints, whose last line is JSON with the points of each problem.
#include <fmt/format.h>

#include "base/text.hpp"
#include "platforms/outcome.hpp"
#include "platforms/platform.hpp"

namespace warpgrade::platforms {

namespace {

/// Autolab puts quotes around every `word:` of the last line before it parses it, so this line has no text in
/// it except the names of steps, which are those of the problems. A step on which the grader failed has no
/// score there.
std::string feedback_of(const StudentGrades &s) {
  std::string text = "Points by step\n";
  if (!s.refused.empty()) text += for_terminal("Nothing was graded: " + s.refused) + "\n";
  for (const std::string &note : s.notes) text += for_terminal("Note: " + note) + "\n";
  Json scores = Json::object();
  for (const StepGrade &step : s.steps) {
    text +=
        fmt::format("{} {}/{} {}\n", for_terminal(title_of(step)), step.points ? points(*step.points) : "-",
                    points(step.max_points), for_terminal(outcome(step)));
    if (step.points && (step.by_hand || step.verdict != "grader_error"))
      scores[step.id] = number(*step.points);
  }
  return text + Json{{"scores", scores}}.dump() + "\n";
}

}  // namespace

const Platform autolab = {
    .name = "autolab",
    .title = "Autolab",
    // fstudent@example.edu_3_handin.zip
    .names = {.pattern = "(?<student>.+)_(?<attempt>[0-9]{1,18})_[^_]*handin(?:\\..*)?",
              .one_reading = [](std::string_view) { return true; }},
    .exports = {.of_student = feedback_of, .student_file = "feedback.txt", .telling = "\n"},
};

}  // namespace warpgrade::platforms
