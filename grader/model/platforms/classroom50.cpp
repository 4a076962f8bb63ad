// Classroom 50, the successor of GitHub Classroom: result.json of its autograders, schema
// classroom50/result/v1. Scores are whole numbers there. The fields that name the repository and the commit
// are known only to the runner; autograder.py adds them.
#include <cmath>

#include "base/text.hpp"
#include "platforms/outcome.hpp"
#include "platforms/platform.hpp"

namespace warpgrade::platforms {

namespace {

int whole(double points) {
  return std::isfinite(points) ? std::max(0, static_cast<int>(std::lround(points))) : 0;
}

/// The messages end up in the log of a workflow, where GitHub obeys lines that begin with "::" or "##[".
std::string one_line(const std::string &text) {
  return for_terminal(text);
}

std::string result_of(const StudentGrades &s) {
  Json tests = Json::array();
  int sum = 0;
  for (const StepGrade &step : s.steps) {
    const int most = whole(step.max_points), points = std::min(whole(step.points.value_or(0)), most);
    sum += points;
    tests.push_back({{"test-name", one_line(title_of(step))},
                     {"passed", step.passed()},
                     {"score", points},
                     {"max-score", most},
                     {"message", one_line(outcome(step))}});
  }
  const int most = whole(s.max_points);
  const Json j = {{"schema", "classroom50/result/v1"},
                  {"score", std::min(sum, most)},  // extra credit fills gaps: more than all is refused there
                  {"max-score", most},
                  {"tests", tests}};
  return j.dump(2) + "\n";
}

}  // namespace

const Platform classroom50 = {
    .name = "classroom50",
    .title = "Classroom 50",
    .exports = {.of_student = result_of, .student_file = "result.json", .telling = "\"score\""},
};

}  // namespace warpgrade::platforms
