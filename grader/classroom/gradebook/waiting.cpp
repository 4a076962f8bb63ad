#include "gradebook/waiting.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

#include "base/text.hpp"

namespace warpgrade::gradebook {

namespace {

/// Of exams that are still to come: nothing is handed in for them.
double points_of_exams(const platforms::StudentGrades &s) {
  double sum = 0;
  for (const platforms::StepGrade &step : s.steps)
    if (step.file.empty() && !step.points) sum += step.max_points;
  return sum;
}

struct Waiting {
  bool exams = false, measurements = false;
};
Waiting what_waits(const platforms::ClassGrades &grades) {
  Waiting w;
  for (const platforms::StudentGrades &s : grades.students) {
    if (!s.grade() || s.ungraded_points <= 0) continue;
    const double exams = points_of_exams(s);
    w.exams |= exams > 0;
    w.measurements |= s.ungraded_points > exams;
  }
  return w;
}

}  // namespace

std::string points_that_wait(const platforms::ClassGrades &grades, bool gpu) {
  std::size_t students = 0;
  double least = 0, most = 0, of = 0;
  for (const platforms::StudentGrades &s : grades.students) {
    if (!s.grade() || s.ungraded_points <= 0) continue;
    least = students == 0 ? s.ungraded_points : std::min(least, s.ungraded_points);
    most = std::max(most, s.ungraded_points);
    of = std::max(of, s.max_points);
    ++students;
  }
  if (students == 0) return "";
  const std::string count =
      least == most ? points(most) : fmt::format("{} to {}", points(least), points(most));
  const Waiting w = what_waits(grades);
  const std::string what_for =
      fmt::format("{}{}{}", w.measurements ? gpu ? "another measurement" : "a GPU" : "",
                  w.measurements && w.exams ? " or " : "", w.exams ? "an exam" : "");
  return fmt::format("{} of {} points {} for {}, for {} student{}", count, points(of),
                     most == 1 ? "waits" : "wait", what_for, students, students == 1 ? "" : "s");
}

void add_notes(platforms::ClassGrades &grades, const FromService &service) {
  for (platforms::StudentGrades &s : grades.students)
    if (const auto own = service.notes.find(s.student); own != service.notes.end())
      s.notes.insert(s.notes.end(), own->second.begin(), own->second.end());
}

std::string what_decides_them(const platforms::ClassGrades &grades, bool gpu) {
  if (!what_waits(grades).measurements)
    return "Take in the answers with 'gradebook viva --answers', and give those who took no exam their "
           "points with "
           "'gradebook override'";
  return gpu ? "Repeat 'gradebook run' to measure again"
             : "Grade the class on a machine with a GPU ('gradebook run' with --device gpu)";
}

}  // namespace warpgrade::gradebook
