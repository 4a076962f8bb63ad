// The systems that courses use. All that is known of one is in one file, as a Platform: how it names
// submissions, which columns its rosters have, and what it takes as grades. Nothing elsewhere asks for a
// platform by its name.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "platforms/grades.hpp"

namespace warpgrade::platforms {

/// How the export of a platform names submissions.
struct SubmissionNames {
  const char *pattern = nullptr;   ///< course::NamePattern, for upper and lower case; none: names say nothing
  const char *metadata = nullptr;  ///< the file beside the submissions that says whose they are
  bool student_ids = true;         ///< the ids are those that students know, not numbers of the platform
  bool class_counts_attempts = false;  ///< attempts are numbered over the whole class; else for each student
  /// Whether a name that fits the pattern can be read in one way only, whatever a student called the file.
  bool (*one_reading)(std::string_view name) = nullptr;
  /// Whether this entry beside the submissions has no student files, and what such entries are called.
  bool (*without_files)(std::string_view name) = nullptr;
  std::string_view without_files_are = {};
};

/// A column of a roster that holds ids, in lower case.
struct RosterColumn {
  std::string_view name;
  int rank;  ///< 1: the system's own id, 2: the registrar's, 3: a login, 4: an address; lower ones are
             ///< preferred
};
struct RosterFile {
  std::span<const RosterColumn> ids = {};
  std::string_view mark = {};           ///< a column by which a file of this platform is known
  std::string_view people = {};         ///< where that is: the column of names, which holds no ids
  std::string_view not_a_student = {};  ///< in the first cell of rows about something else
  std::string_view before_id = {};  ///< in lower case: stands before ids on the roster, not in submissions
};

struct FillOptions {
  std::string column;     ///< that takes the grades
  std::string id_column;  ///< that holds the ids of the class; empty: the columns that the system has for ids
};
struct Filled {
  std::string text;
  std::size_t grades = 0;          ///< cells that hold a grade of this class now
  std::vector<std::string> notes;  ///< sentences: who is not in the file, who not in the class, what was left
};

/// What a platform takes as grades: one of fill, of_student, of_class, or nothing.
struct Exports {
  /// Fills in a file that the platform exported. Throws CsvError when it is no such file, or the column is
  /// not there, is there twice or takes no grades.
  Filled (*fill)(std::string_view file, const ClassGrades &, const FillOptions &) = nullptr;
  bool needs_column = false;  ///< FillOptions::column must be given
  /// One file for each student.
  std::string (*of_student)(const StudentGrades &) = nullptr;
  std::string_view student_file = {};
  /// One file for the class.
  std::string (*of_class)(const ClassGrades &) = nullptr;
  /// Where what follows differs from one export to the next; see beginning_of().
  std::string_view telling = {};
  bool any() const { return fill != nullptr || of_student != nullptr || of_class != nullptr; }
};

struct Platform {
  std::string_view name;   ///< in YAML and on the command line
  std::string_view title;  ///< for people
  SubmissionNames names = {};
  RosterFile roster = {};
  Exports exports = {};
  std::string_view ended = {};  ///< the day on which it was switched off, as 2026-08-28; empty: it was not
  std::string_view successor = {};  ///< with `ended`: the name of the platform to use instead
};

/// All of them, in the order of platforms.inc.
std::span<const Platform *const> all();
/// None: nullptr.
const Platform *find(std::string_view name);
/// The platforms whose exports `fit`, in the order of platforms.inc.
std::vector<std::string> names_of(bool (*fit)(const Exports &));
/// Why the platform of this name does not `fit`: a sentence that lists those that do, or that names the
/// successor of one that was switched off. Empty: it fits.
std::string why_not(std::string_view name, bool (*fit)(const Exports &));
/// "csv, canvas or moodle", `before_last` being "or".
std::string listed(std::vector<std::string> names, std::string_view before_last);
/// The beginning that every file of this export has: a file that begins so may be replaced by another one.
std::string_view beginning_of(const Platform &, std::string_view text);

#define WARPGRADE_PLATFORM(name) extern const Platform name;
#include "platforms/platforms.inc"
#undef WARPGRADE_PLATFORM

}  // namespace warpgrade::platforms
