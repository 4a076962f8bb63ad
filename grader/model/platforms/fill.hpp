// Fills grades into a file that a platform exported. Columns, rows and the header stay byte for byte; only
// grade cells change. Internal to platforms.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/csv.hpp"
#include "platforms/platform.hpp"

namespace warpgrade::platforms {

/// A column that may contain a student's id, in one or several forms ("Participant 12", "12").
struct KeyColumn {
  std::size_t column = 0;
  std::function<std::vector<std::string>(const std::string &)> forms;  ///< none: unchanged
};

/// The row of each student, in the order of the class. The first column that contains an id decides. An
/// ambiguous student gets none, and a note says so, as for students who are only in the file or only in the
/// class.
std::vector<std::optional<std::size_t>> rows_of(const CsvTable &, const ClassGrades &,
                                                const std::vector<KeyColumn> &,
                                                const std::vector<std::size_t> &rows,
                                                std::vector<std::string> &notes);

/// "2 students are not in the file: a, b"; nothing for nobody.
void note_students(std::vector<std::string> &notes, const std::vector<std::string> &students,
                   const std::string &are_what);

/// Lists students without a grade that counts, by reason.
void note_standings(std::vector<std::string> &notes, const ClassGrades &);

/// Without blanks around it, and in lower case (ASCII).
std::string plain_form(std::string_view);
std::optional<std::size_t> column_named(const CsvTable &, const std::string &name);
std::optional<double> number_in(const std::string &cell);

}  // namespace warpgrade::platforms
