// What Gradescope and GitHub Classroom read: one JSON a student.
#include <fmt/format.h>

#include "report/grades.hpp"
#include "report/json.hpp"
#include "report/text.hpp"

namespace warpgrade::report {

namespace {

/// "wrong_answer: 3 of 9 elements of C are wrong"
std::string outcome(const StepGrade &step) {
  if (step.by_hand) return "points given by hand: " + *step.by_hand;
  if (step.verdict.empty()) return "not graded yet";
  std::string text = step.verdict;
  if (!step.explanation().empty()) text += ": " + step.explanation();
  if (step.verdict == "grader_error")
    text += "; the grader failed here, which costs no points: a person will look at it";
  else if (step.ungraded_points > 0)
    text += fmt::format("; {} of {} points wait for another measurement", points(step.ungraded_points),
                        points(step.max_points));
  return text;
}

std::string title_of(const StepGrade &step) {
  return step.id + (step.title.empty() ? "" : ": " + step.title) +
         (step.extra_credit ? " (extra credit)" : "");
}

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

/// Standing on one line, text from outside cannot begin one: GitHub runs lines that begin with "::" or "##[".
std::string one_line(const std::string &text) {
  return for_terminal(text);
}

}  // namespace

std::string to_gradescope(const StudentGrades &s) {
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

std::string to_github(const StudentGrades &s) {
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

}  // namespace warpgrade::report
