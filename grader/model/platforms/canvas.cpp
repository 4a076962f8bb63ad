// Canvas: a zip of all submissions, named by numbers of its own; a gradebook that is exported, filled in and
// imported.
#include <fmt/format.h>

#include <array>
#include <cctype>

#include "base/csv.hpp"
#include "base/text.hpp"
#include "platforms/fill.hpp"

namespace warpgrade::platforms {

namespace {

/// "Homework 6 (12345)" is the assignment "Homework 6".
std::string without_number(const std::string &title) {
  if (title.empty() || title.back() != ')') return title;
  const std::size_t open = title.rfind(" (");
  if (open == std::string::npos || open + 3 > title.size() - 1) return title;
  for (std::size_t i = open + 2; i + 1 < title.size(); ++i)
    if (!std::isdigit(static_cast<unsigned char>(title[i]))) return title;
  return title.substr(0, open);
}

/// Columns that Canvas computes: it ignores what an import has in them.
bool is_computed(const std::string &title) {
  for (const char *end : {"Current Score", "Final Score", "Override Score", "Current Grade", "Final Grade",
                          "Override Grade", "Current Points", "Final Points", "Override Status"})
    if (title.ends_with(end)) return true;
  return false;
}

std::size_t assignment_column(const CsvTable &table, std::size_t first, const std::string &wanted) {
  std::vector<std::size_t> exact, by_title;
  std::vector<std::string> titles;
  for (std::size_t i = first; i < table.columns(0); ++i) {
    const std::string &title = table.cell(0, i);
    if (title == wanted) exact.push_back(i);
    if (without_number(title) == wanted) by_title.push_back(i);
    if (!title.empty() && !is_computed(title)) titles.push_back(title);
  }
  const std::vector<std::size_t> &found = exact.empty() ? by_title : exact;
  if (found.empty())
    throw CsvError(
        fmt::format("there is no column '{}' (there are: {}); Canvas would create a new assignment", wanted,
                    fmt::join(titles, ", ")));
  if (found.size() > 1)
    throw CsvError(
        fmt::format("there are {} columns '{}': name one with the number after it", found.size(), wanted));
  if (is_computed(table.cell(0, found.front())))
    throw CsvError(fmt::format("Canvas computes the column '{}' and ignores what is imported into it",
                               table.cell(0, found.front())));
  return found.front();
}

Filled fill_canvas(std::string_view file, const ClassGrades &grades, const FillOptions &options) {
  CsvTable table(file);
  if (table.rows() < 2 || table.columns(0) < 3)
    throw CsvError("this is not a gradebook exported by Canvas: it has no header and rows");
  const bool two_names =
      plain_form(table.cell(0, 0)) == "lastname" && plain_form(table.cell(0, 1)) == "firstname";
  const std::size_t id = two_names ? 2 : 1;
  if ((!two_names && table.cell(0, 0).find("Student") == std::string::npos) ||
      table.cell(0, id).find("ID") == std::string::npos)
    throw CsvError(fmt::format(
        "this is not a gradebook exported by Canvas: the header begins '{}', '{}', where 'Student', "
        "'ID' are expected",
        table.cell(0, 0), table.cell(0, 1)));
  const auto section = column_named(table, "Section");
  if (!section)
    throw CsvError(
        "it has no column 'Section'. Canvas looks for assignments after this column and would create new "
        "ones from the columns before it");
  const std::size_t column = assignment_column(table, *section + 1, options.column);

  std::vector<KeyColumn> keys;
  if (!options.id_column.empty()) {
    const auto named = column_named(table, options.id_column);
    if (!named) throw CsvError(fmt::format("there is no column '{}' for ids", options.id_column));
    keys.push_back({*named, {}});
  } else {
    keys.push_back({id, {}});
    for (const char *name : {"SIS User ID", "SIS Login ID", "Integration ID"})
      if (const auto at = column_named(table, name)) keys.push_back({*at, {}});
  }

  Filled filled;
  std::vector<std::size_t> rows;
  for (std::size_t row = 1; row < table.rows(); ++row) {
    if (table.cell(row, 0).find("Points Possible") != std::string::npos) {
      const std::string possible = plain_form(table.cell(row, column));
      if (possible.find("read only") != std::string::npos)
        throw CsvError(fmt::format("the column '{}' is read only in Canvas", table.cell(0, column)));
      const auto maximum = number_in(possible);
      if (maximum && !grades.students.empty() && *maximum != grades.students.front().max_points)
        filled.notes.push_back(
            fmt::format("Canvas has {} points for '{}', the class has {}: points are written as they are",
                        points(*maximum), table.cell(0, column), points(grades.students.front().max_points)));
      continue;
    }
    bool someone = false;  // Canvas's row about how grades are posted has nobody in it
    for (const KeyColumn &key : keys) someone = someone || !plain_form(table.cell(row, key.column)).empty();
    if (someone) rows.push_back(row);
  }
  const auto place = rows_of(table, grades, keys, rows, filled.notes);
  std::vector<std::string> excused, replaced;
  for (std::size_t i = 0; i < place.size(); ++i) {
    const StudentGrades &s = grades.students[i];
    if (!place[i] || !s.grade()) continue;
    const std::string now = points(*s.grade());
    const std::string &before = table.cell(*place[i], column);
    if (plain_form(before) == "ex") {
      excused.push_back(s.student);
      continue;
    }
    if (const auto number = number_in(before); number && points(*number) != now)
      replaced.push_back(fmt::format("{} ({} -> {})", s.student, points(*number), now));
    table.set(*place[i], column, now);
    ++filled.grades;
  }
  note_students(filled.notes, excused, "excused in Canvas (EX), left unchanged");
  note_students(filled.notes, replaced, "whose grade changes");
  note_standings(filled.notes, grades);
  filled.text = table.text();
  return filled;
}

constexpr RosterColumn canvas_columns[] = {
    {"id", 1}, {"sis user id", 2}, {"sis login id", 2}, {"integration id", 3}};

}  // namespace

const Platform canvas = {
    .name = "canvas",
    .title = "Canvas",
    // studentfirst_LATE_1234_567890_hw6-2.zip: name, Canvas's number of the student, a number that grows, the
    // student's own name of the file with the number of the resubmission. The first field has no underscore.
    .names = {.pattern = "[^_]+_(?<late>late_)?(?<student>[0-9]{1,18})_(?<attempt>[0-9]{1,18})_(?<file>.+)",
              .student_ids = false,
              .class_counts_attempts = true,
              .one_reading = [](std::string_view) { return true; }},
    // "Student" has names of people here, beside a column "ID".
    .roster = {.ids = canvas_columns, .mark = "id", .people = "student", .not_a_student = "Points Possible"},
    .exports = {.fill = fill_canvas, .needs_column = true, .telling = "\n"},
};

}  // namespace warpgrade::platforms
