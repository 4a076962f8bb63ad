// A table for spreadsheets: one row per student with points, verdicts and reasons, all steps side by side.
#include "base/csv.hpp"

#include "base/text.hpp"
#include "platforms/platform.hpp"

namespace warpgrade::platforms {

namespace {

std::string table_of(const ClassGrades &grades) {
  std::vector<std::string> header = {"student",         "status", "score",    "max_score",
                                     "ungraded_points", "source", "handed_in"};
  if (!grades.students.empty())
    for (const StepGrade &step : grades.students.front().steps)
      for (const char *what : {"", "_max", "_verdict", "_reason"}) header.push_back(csv_text(step.id + what));
  header.insert(header.end(), {"notes", "late"});
  std::string csv = csv_row(header);
  for (const StudentGrades &s : grades.students) {
    const bool pending = s.standing == Standing::pending;
    std::vector<std::string> row = {csv_text(s.student),
                                    name_of(s.standing),
                                    pending ? "" : points(s.points),
                                    pending ? "" : points(s.max_points),
                                    pending ? "" : points(s.ungraded_points),
                                    csv_text(s.source),
                                    s.source.empty() ? "" : utc(s.handed_in)};
    for (const StepGrade &step : s.steps) {
      row.push_back(step.points ? points(*step.points) : "");
      row.push_back(points(step.max_points));
      row.push_back(csv_text(step.verdict));
      row.push_back(csv_text(step.explanation()));
    }
    std::string notes = s.refused.empty() ? "" : "archive_refused: " + s.refused;
    for (const std::string &note : s.notes) notes += (notes.empty() ? "" : "; ") + note;
    row.push_back(csv_text(notes));
    row.push_back(s.late_days > 0 ? std::to_string(s.late_days) : "");
    csv += csv_row(row);
  }
  return csv;
}

}  // namespace

const Platform csv = {
    .name = "csv",
    .title = "a spreadsheet",
    .exports = {.of_class = table_of, .telling = "source"},
};

}  // namespace warpgrade::platforms
