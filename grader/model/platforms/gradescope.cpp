// Gradescope: submissions whose students a file of metadata names; results.json of its autograder. Every text
// is declared as plain text.
#include <fmt/format.h>

#include "base/text.hpp"
#include "platforms/outcome.hpp"
#include "platforms/platform.hpp"

namespace warpgrade::platforms {

namespace {

std::string what_a_student_should_know(const StudentGrades &s) {
  std::string text;
  const auto line = [&](const std::string &words) { text += (text.empty() ? "" : "\n") + words; };
  if (s.standing == Standing::not_submitted) line("Nothing was handed in.");
  if (!s.refused.empty()) line("archive_refused: nothing was graded: " + s.refused);
  if (!s.source.empty()) line("Handed in as " + s.source);
  for (const std::string &note : s.notes) line("Note: " + note);
  if (s.ungraded_points > 0) line(fmt::format("{} points are not yet decided.", points(s.ungraded_points)));
  return text;
}

std::string results_of(const StudentGrades &s) {
  Json j = {{"score", number(s.points)},     {"output", for_json(what_a_student_should_know(s))},
            {"output_format", "text"},       {"test_output_format", "text"},
            {"test_name_format", "text"},    {"visibility", "visible"},
            {"stdout_visibility", "hidden"}, {"tests", Json::array()}};
  int place = 0;
  for (const StepGrade &step : s.steps)
    j["tests"].push_back({{"name", for_json(title_of(step))},
                          {"name_format", "text"},
                          {"number", std::to_string(++place)},
                          {"score", number(step.points.value_or(0))},
                          {"max_score", number(step.max_points)},
                          {"status", step.passed() ? "passed" : "failed"},
                          {"output", for_json(outcome(step))},
                          {"output_format", "text"},
                          {"visibility", "visible"}});
  return j.dump(2) + "\n";
}

constexpr RosterColumn gradescope_columns[] = {{"sid", 1}, {"email", 4}};

}  // namespace

const Platform gradescope = {
    .name = "gradescope",
    .title = "Gradescope",
    .names = {.metadata = "submission_metadata.yml"},
    .roster = {.ids = gradescope_columns},
    .exports = {.of_student = results_of, .student_file = "results.json", .telling = ":"},
};

}  // namespace warpgrade::platforms
