// What a class's folder holds besides the store: grades.csv and a report a student.
#pragma once

#include <functional>

#include "batch/scoring.hpp"
#include "batch/store.hpp"
#include "course/assignment.hpp"

namespace warpgrade::gradebook {

/// Thresholds of the device that the class was graded on.
course::Thresholds thresholds_of(const batch::Store &, const std::filesystem::path &assignment_folder,
                                 const course::Assignment &);

/// DIR/reports/<student>/score.json, whole or as it was; the store knows it then.
void write_report(batch::Store &, const batch::Scored &);
/// Its text; empty: there is none.
std::string report_text(const batch::Store &, const std::string &student);
/// The same with a text that was kept.
void put_report(batch::Store &, const std::string &student, const std::string &text);
/// DIR/grades.csv.
void write_grades(const batch::Store &, const course::Assignment &);

/// Brings every score up to date with results, YAML and points given by hand; then the reports that are
/// behind, and grades.csv. When `stop` says so, between two students, it ends there, with a grades.csv that
/// agrees with the store, and gives false; the next call goes on.
bool write_all(batch::Store &, const course::Assignment &, const batch::RulesOf &,
               const std::function<bool()> &stop);

/// Files that a gradebook which was killed had not finished writing.
void remove_unfinished(const std::filesystem::path &folder);

}  // namespace warpgrade::gradebook
