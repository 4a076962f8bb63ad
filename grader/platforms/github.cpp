// GitHub Classroom: what a grader puts, in base64, into its output `result`.
#include "base/text.hpp"
#include "platforms/outcome.hpp"
#include "platforms/platform.hpp"

namespace warpgrade::platforms {

namespace {

/// Standing on one line, text from outside cannot begin one: GitHub runs lines that begin with "::" or "##[".
std::string one_line(const std::string &text) {
  return for_terminal(text);
}

std::string result_of(const StudentGrades &s) {
  const bool ours = !s.grade();
  Json j = {{"version", 1},
            {"status", ours                       ? "error"
                       : s.points >= s.max_points ? "pass"
                                                  : "fail"},
            {"max_score", number(s.max_points)},
            {"tests", Json::array()}};
  for (const StepGrade &step : s.steps) {
    const bool failed_here = !step.points || (!step.by_hand && step.verdict == "grader_error");
    j["tests"].push_back({{"name", one_line(title_of(step))},
                          {"status", step.passed() ? "pass"
                                     : failed_here ? "error"
                                                   : "fail"},
                          {"score", number(step.points.value_or(0))},
                          {"message", one_line(outcome(step))},
                          {"test_code", ""},
                          {"filename", one_line(step.file)},
                          {"line_no", step.line},
                          {"duration", 0}});
  }
  return j.dump(2) + "\n";
}

}  // namespace

const Platform github = {
    .name = "github",
    .title = "GitHub Classroom",
    .exports = {.of_student = result_of, .student_file = "result.json", .telling = ":"},
};

}  // namespace warpgrade::platforms
