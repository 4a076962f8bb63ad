// A class with a student of every status, one of them hostile.
#pragma once

#include <string>

#include "base/csv.hpp"
#include "platforms/platform.hpp"
#include "report/grades.hpp"

namespace warpgrade::report {

using namespace platforms;

inline Filled fill_canvas(std::string_view file, const ClassGrades &grades, const FillOptions &options) {
  return platforms::canvas.exports.fill(file, grades, options);
}
inline Filled fill_moodle(std::string_view file, const ClassGrades &grades, const FillOptions &options) {
  return platforms::moodle.exports.fill(file, grades, options);
}
inline std::string to_gradescope(const StudentGrades &s) {
  return platforms::gradescope.exports.of_student(s);
}
inline std::string to_classroom50(const StudentGrades &s) {
  return platforms::classroom50.exports.of_student(s);
}
inline std::string grades_to_csv(const ClassGrades &c) {
  return platforms::csv.exports.of_class(c);
}
inline std::string grades_to_junit(const ClassGrades &c) {
  return platforms::junit.exports.of_class(c);
}

inline StepGrade step_grade(const std::string &id, const std::string &verdict, double points, double max,
                            const std::string &reason = "") {
  StepGrade step;
  step.id = id;
  step.title = "Title of " + id;
  step.file = id + ".cu";
  step.verdict = verdict;
  step.reason = reason;
  if (!verdict.empty()) step.points = points;
  step.max_points = max;
  return step;
}

inline StudentGrades student_grades(const std::string &id, Standing standing, std::vector<StepGrade> steps) {
  StudentGrades s;
  s.student = id;
  s.source = standing == Standing::not_submitted ? "" : id + "_HW6.zip";
  s.handed_in = standing == Standing::not_submitted ? 0 : 1769903999;
  s.standing = standing;
  s.steps = std::move(steps);
  for (const StepGrade &step : s.steps) {
    s.points += step.points.value_or(0);
    if (!step.extra_credit) s.max_points += step.max_points;
  }
  return s;
}

/// =cmd(), with what breaks columns, lines, terminals, JSON and XML.
inline const std::string hostile_text =
    "=cmd(\"x\"); a,b\r\n::set-output name=score::100\n##[error]\x1b[2J]]><script>&\xff" +
    std::string(1, '\0');

inline ClassGrades a_class() {
  ClassGrades c{"hw6", "Matrix products", {}};
  c.students = {
      student_grades("right", Standing::graded,
                     {step_grade("step0", "accepted", 40, 40), step_grade("step1", "accepted", 53.5, 60)}),
      student_grades("hostile", Standing::graded,
                     {step_grade("step0", "accepted", 40, 40),
                      step_grade("step1", "wrong_answer", 0, 60, hostile_text)}),
      student_grades("absent", Standing::not_submitted,
                     {step_grade("step0", "missing", 0, 40, "nothing was handed in"),
                      step_grade("step1", "missing", 0, 60, "nothing was handed in")}),
      student_grades("bomb", Standing::archive_refused,
                     {step_grade("step0", "missing", 0, 40, "nothing was graded"),
                      step_grade("step1", "missing", 0, 60, "nothing was graded")}),
      student_grades("waits", Standing::pending,
                     {step_grade("step0", "accepted", 40, 40), step_grade("step1", "", 0, 60)}),
      student_grades("ours", Standing::grader_error,
                     {step_grade("step0", "accepted", 40, 40),
                      step_grade("step1", "grader_error", 0, 60, "the simulator crashed")}),
  };
  c.students[3].refused = "it unpacks to more than 64 MiB";
  c.students[1].notes = {hostile_text};
  return c;
}

}  // namespace warpgrade::report
