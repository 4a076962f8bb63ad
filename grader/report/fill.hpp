// Grades written into a file that a course's system exported, for it to import: Canvas's gradebook, Moodle's
// worksheet for offline grading. Columns, rows and header stay byte for byte; only cells of grades change.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/csv.hpp"
#include "report/grades.hpp"

namespace warpgrade::report {

struct FillOptions {
  std::string column;     ///< that takes the grades
  std::string id_column;  ///< that holds the ids of the class; empty: the columns that the system has for ids
};

struct Filled {
  std::string text;
  std::size_t grades = 0;          ///< cells that hold a grade of this class now
  std::vector<std::string> notes;  ///< sentences: who is not in the file, who not in the class, what was left
};

/// column  the title of the assignment's column, with or without Canvas's number behind it
/// Throws CsvError when it is no such file, or the column is not there, is there twice or takes no grades.
Filled fill_canvas(std::string_view file, const ClassGrades &, const FillOptions &);

/// column, id_column  only for a site in another language than English: Moodle translates the header
/// Feedback comments that are empty get the verdicts. Throws CsvError as above.
Filled fill_moodle(std::string_view file, const ClassGrades &, const FillOptions &);

}  // namespace warpgrade::report
