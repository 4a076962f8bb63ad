#include "platforms/fill.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <set>

#include "base/csv.hpp"
#include "base/text.hpp"

namespace warpgrade::platforms {

namespace {

using RowsByKey = std::map<std::string, std::set<std::size_t>>;

RowsByKey rows_by_key(const CsvTable &table, const KeyColumn &key, const std::vector<std::size_t> &rows) {
  RowsByKey found;
  for (const std::size_t row : rows) {
    const std::string &cell = table.cell(row, key.column);
    const std::vector<std::string> forms = key.forms ? key.forms(cell) : std::vector{cell};
    for (const std::string &form : forms)
      if (const std::string id = plain_form(form); !id.empty()) found[id].insert(row);
  }
  return found;
}

std::string describe(const CsvTable &table, std::size_t row, const std::vector<KeyColumn> &keys) {
  std::string text = table.cell(row, 0);
  for (const KeyColumn &key : keys) {
    if (key.column == 0 || table.cell(row, key.column).empty()) continue;
    return fmt::format("{} ({})", text, table.cell(row, key.column));
  }
  return text;
}

}  // namespace

std::string plain_form(std::string_view text) {
  return folded(trimmed(text));
}

std::optional<std::size_t> column_named(const CsvTable &table, const std::string &name) {
  for (std::size_t i = 0; table.rows() > 0 && i < table.columns(0); ++i)
    if (plain_form(table.cell(0, i)) == plain_form(name)) return i;
  return std::nullopt;
}

std::optional<double> number_in(const std::string &cell) {
  std::string text = plain_form(cell);
  std::replace(text.begin(), text.end(), ',', '.');  // as half the world writes it
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

void note_students(std::vector<std::string> &notes, const std::vector<std::string> &students,
                   const std::string &are_what) {
  if (students.empty()) return;
  notes.push_back(fmt::format("{} student{} {}: {}", students.size(), students.size() == 1 ? "" : "s",
                              are_what, fmt::join(students, ", ")));
}

void note_standings(std::vector<std::string> &notes, const ClassGrades &grades) {
  std::vector<std::string> pending, ours, absent, missing, refused, waiting;
  for (const StudentGrades &s : grades.students) {
    if (s.standing == Standing::pending) pending.push_back(s.student);
    if (s.standing == Standing::grader_error) ours.push_back(s.student);
    if (s.standing == Standing::not_submitted) absent.push_back(s.student);
    if (s.standing == Standing::missing) missing.push_back(s.student);
    if (s.standing == Standing::archive_refused) refused.push_back(s.student);
    if (s.grade() && s.ungraded_points > 0)
      waiting.push_back(fmt::format("{} ({:g})", s.student, s.ungraded_points));
  }
  note_students(notes, pending, "not yet graded, so without a grade");
  note_students(notes, ours, "without a grade because the grader failed; an instructor must look at them");
  note_students(notes, absent, "with 0, because nothing was handed in (not_submitted)");
  note_students(notes, missing, "with 0, because no file of the assignment was found (missing)");
  note_students(notes, refused, "with 0, because the archive was refused (archive_refused)");
  note_students(notes, waiting, "with points that are not yet decided and count as 0 here");
}

std::vector<std::optional<std::size_t>> rows_of(const CsvTable &table, const ClassGrades &grades,
                                                const std::vector<KeyColumn> &keys,
                                                const std::vector<std::size_t> &rows,
                                                std::vector<std::string> &notes) {
  std::vector<RowsByKey> by_key;
  for (const KeyColumn &key : keys) by_key.push_back(rows_by_key(table, key, rows));
  std::vector<std::optional<std::size_t>> place(grades.students.size());
  std::vector<std::string> unknown, ambiguous;
  std::map<std::size_t, std::vector<std::size_t>> claims;  // of rows, by students
  std::set<std::size_t> touched;
  for (std::size_t i = 0; i < grades.students.size(); ++i) {
    const std::string &id = grades.students[i].student;
    const std::set<std::size_t> *found = nullptr;
    for (const RowsByKey &known : by_key) {
      if (const auto at = known.find(plain_form(id)); !found && at != known.end()) found = &at->second;
    }
    if (!found) {
      unknown.push_back(id);
      continue;
    }
    touched.insert(found->begin(), found->end());
    if (found->size() > 1)
      ambiguous.push_back(id);
    else
      claims[*found->begin()].push_back(i);
  }
  for (const auto &[row, students] : claims)
    for (const std::size_t student : students) {
      if (students.size() == 1)
        place[student] = row;
      else
        ambiguous.push_back(grades.students[student].student);
    }
  note_students(notes, unknown, "of the class not found in the file, so their grades are not in it");
  note_students(notes, ambiguous,
                "that fit several rows, or share one with another student, left without a grade");
  std::vector<std::string> others;
  for (const std::size_t row : rows)
    if (!touched.contains(row)) others.push_back(describe(table, row, keys));
  note_students(notes, others, "of the file not found in the class, left as they are");
  return place;
}

}  // namespace warpgrade::platforms
