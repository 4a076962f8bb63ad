#include "report/grades.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include "report/csv.hpp"

namespace warpgrade::report {

bool StepGrade::passed() const {
  return by_hand ? points.value_or(0) >= max_points : verdict == "accepted";
}

std::optional<double> StudentGrades::grade() const {
  if (standing == Standing::pending || standing == Standing::grader_error) return std::nullopt;
  return points;
}

std::string name_of(Standing standing) {
  switch (standing) {
    case Standing::graded:
      return "graded";
    case Standing::overridden:
      return "overridden";
    case Standing::pending:
      return "pending";
    case Standing::refused:
      return "refused";
    case Standing::missing:
      return "missing";
    case Standing::grader_error:
      return "grader_error";
  }
  return "";
}

std::string utc(std::int64_t seconds) {
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(static_cast<std::time_t>(seconds)));
}

std::string grades_to_csv(const ClassGrades &grades) {
  std::vector<std::string> header = {"student",         "status", "score",    "max_score",
                                     "ungraded_points", "source", "handed_in"};
  if (!grades.students.empty())
    for (const StepGrade &step : grades.students.front().steps)
      for (const char *what : {"", "_max", "_verdict", "_reason"}) header.push_back(csv_text(step.id + what));
  header.emplace_back("notes");
  std::string csv = csv_row(header);
  for (const StudentGrades &s : grades.students) {
    const bool pending = s.standing == Standing::pending;
    std::vector<std::string> row = {csv_text(s.student),
                                    name_of(s.standing),
                                    pending ? "" : csv_points(s.points),
                                    pending ? "" : csv_points(s.max_points),
                                    pending ? "" : csv_points(s.ungraded_points),
                                    csv_text(s.source),
                                    s.source.empty() ? "" : utc(s.handed_in)};
    for (const StepGrade &step : s.steps) {
      row.push_back(step.points ? csv_points(*step.points) : "");
      row.push_back(csv_points(step.max_points));
      row.push_back(csv_text(step.verdict));
      row.push_back(csv_text(step.by_hand ? "by hand: " + *step.by_hand : step.reason));
    }
    std::string notes = s.refused;
    for (const std::string &note : s.notes) notes += (notes.empty() ? "" : "; ") + note;
    row.push_back(csv_text(notes));
    csv += csv_row(row);
  }
  return csv;
}

}  // namespace warpgrade::report
