#include "gradebook/waiting.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

#include "base/text.hpp"

namespace warpgrade::gradebook {

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
  return fmt::format("{} of {} points {} for {}, for {} student{}", count, points(of),
                     most == 1 ? "waits" : "wait", gpu ? "another measurement" : "a GPU", students,
                     students == 1 ? "" : "s");
}

std::string what_decides_them(bool gpu) {
  return gpu ? "Repeat 'gradebook run' to measure again"
             : "Grade the class on a machine with a GPU ('gradebook run' with --device gpu)";
}

}  // namespace warpgrade::gradebook
