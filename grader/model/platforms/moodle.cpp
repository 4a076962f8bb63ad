// Moodle: a folder or files for each participant; a worksheet for offline grading that is filled in.
#include <fmt/format.h>

#include <cctype>

#include "base/csv.hpp"
#include "base/text.hpp"
#include "platforms/fill.hpp"

namespace warpgrade::platforms {

namespace {

/// "Participant 12", whatever the site's language calls it, and "12" as the names of exported folders have
/// it.
std::vector<std::string> participant(const std::string &cell) {
  std::size_t digits = cell.size();
  while (digits > 0 && std::isdigit(static_cast<unsigned char>(cell[digits - 1]))) --digits;
  return {cell, cell.substr(digits)};
}

std::vector<std::string> address(const std::string &cell) {
  return {cell, cell.substr(0, cell.find('@'))};
}

/// As HTML.
std::string feedback(const StudentGrades &s) {
  if (s.standing == Standing::not_submitted) return "Nothing was handed in.";
  if (!s.refused.empty()) return for_xml("archive_refused: nothing was graded: " + s.refused);
  std::string text;
  for (const StepGrade &step : s.steps) {
    if (!text.empty()) text += "<br>";
    text += for_xml(fmt::format("{} {}/{} {}", step.id, points(step.points.value_or(0)),
                                points(step.max_points), step.verdict));
    const std::string why = step.explanation();
    if (!why.empty()) text += for_xml(": " + why);
  }
  for (const std::string &note : s.notes) text += (text.empty() ? "" : "<br>") + for_xml("Note: " + note);
  return text;
}

std::size_t required(const CsvTable &table, const std::string &name, const char *option) {
  if (const auto at = column_named(table, name)) return *at;
  std::vector<std::string> titles;
  for (std::size_t i = 0; i < table.columns(0); ++i) titles.push_back(table.cell(0, i));
  throw CsvError(fmt::format(
      "it has no column '{}' (there are: {}). A worksheet for offline grading is expected; if the site is in "
      "another language, name its columns with --column and --id-column{}",
      name, fmt::join(titles, ", "), *option ? fmt::format(" (here: {})", option) : ""));
}

std::vector<KeyColumn> key_columns(const CsvTable &table, const FillOptions &options) {
  if (!options.id_column.empty()) return {{required(table, options.id_column, "--id-column"), participant}};
  std::vector<KeyColumn> keys = {{required(table, "Identifier", "--id-column"), participant}};
  for (const char *name : {"ID number", "Username"})
    if (const auto at = column_named(table, name)) keys.push_back({*at, {}});
  if (const auto at = column_named(table, "Email address")) keys.push_back({*at, address});
  return keys;
}

Filled fill_moodle(std::string_view file, const ClassGrades &grades, const FillOptions &options) {
  CsvTable table(file);
  if (table.rows() < 2)
    throw CsvError("this is not a worksheet for offline grading: it has no header and rows");
  const std::vector<KeyColumn> keys = key_columns(table, options);
  const std::size_t grade = required(table, options.column.empty() ? "Grade" : options.column, "--column");
  if (options.column.empty())
    required(table, "Last modified (grade)", "");  // without it Moodle takes nothing
  const auto maximum_column = column_named(table, "Maximum Grade");
  const auto changeable = column_named(table, "Grade can be changed");
  const auto comments = column_named(table, "Feedback comments");

  Filled filled;
  std::vector<std::size_t> rows;
  for (std::size_t row = 1; row < table.rows(); ++row)
    if (table.columns(row) > 1) rows.push_back(row);
  const auto place = rows_of(table, grades, keys, rows, filled.notes);
  std::vector<std::string> locked, too_many, replaced, commented;
  for (std::size_t i = 0; i < place.size(); ++i) {
    const StudentGrades &s = grades.students[i];
    if (!place[i] || !s.grade()) continue;
    const std::size_t row = *place[i];
    if (changeable && plain_form(table.cell(row, *changeable)) == "no") {
      locked.push_back(s.student);
      continue;
    }
    const auto maximum = maximum_column ? number_in(table.cell(row, *maximum_column)) : std::nullopt;
    if (maximum && *s.grade() > *maximum) {
      too_many.push_back(fmt::format("{} ({} of {})", s.student, points(*s.grade()), points(*maximum)));
      continue;
    }
    const std::string now = points(*s.grade());
    if (const auto before = number_in(table.cell(row, grade)); before && points(*before) != now)
      replaced.push_back(fmt::format("{} ({} -> {})", s.student, points(*before), now));
    table.set(row, grade, now);
    ++filled.grades;
    if (!comments) continue;
    if (plain_form(table.cell(row, *comments)).empty())
      table.set(row, *comments, csv_text(feedback(s)));
    else
      commented.push_back(s.student);
  }
  note_students(filled.notes, locked, "whose grade cannot be changed in Moodle, left as they are");
  note_students(filled.notes, too_many,
                "with more points than Moodle's maximum, which it refuses, left as they are");
  note_students(filled.notes, replaced, "whose grade changes");
  note_students(filled.notes, commented, "with feedback comments already, which stay");
  note_standings(filled.notes, grades);
  filled.text = table.text();
  return filled;
}

constexpr std::string_view mark = "_assignsubmission_";

/// What follows the first mark may be the name of a student's file, which may have the mark in it.
bool has_one_mark(std::string_view name) {
  const std::string small = folded(name);
  return small.find(mark) == small.rfind(mark);
}

/// First Student_1234_assignsubmission_onlinetext_: text that was typed into the browser, with no files in
/// it.
bool is_online_text(std::string_view name) {
  const std::string small = folded(name);
  const std::size_t first = small.find(mark);
  if (first == std::string::npos) return false;
  constexpr std::string_view kind = "onlinetext";
  const std::string_view before = std::string_view(small).substr(0, first),
                         after = std::string_view(small).substr(first + mark.size());
  const std::size_t underscore = before.rfind('_');
  const bool numbered = underscore != std::string_view::npos && underscore > 0 &&
                        underscore + 1 < before.size() &&
                        before.find_first_not_of("0123456789", underscore + 1) == std::string_view::npos;
  return numbered && after.starts_with(kind) && (after.size() == kind.size() || after[kind.size()] == '_');
}

constexpr RosterColumn moodle_columns[] = {
    {"identifier", 1}, {"id number", 2}, {"username", 3}, {"email address", 4}};

}  // namespace

const Platform moodle = {
    .name = "moodle",
    .title = "Moodle",
    // First Student_1234_assignsubmission_file_: name, number of the participant; the file's name follows
    // where Moodle makes no folders
    .names = {.pattern = ".*?_(?<student>[0-9]{1,18})_assignsubmission_file(?:_(?<file>.*))?",
              .student_ids = false,
              .one_reading = has_one_mark,
              .without_files = is_online_text,
              .without_files_are = "online texts of Moodle"},
    // The worksheet says "Participant 1234" where folders say 1234.
    .roster = {.ids = moodle_columns, .before_id = "participant "},
    .exports = {.fill = fill_moodle, .telling = "\n"},
};

}  // namespace warpgrade::platforms
