// Points of a class's students from what the store holds: nothing is run.
#pragma once

#include <string>
#include <vector>

#include "batch/store.hpp"
#include "course/assignment.hpp"
#include "score/score.hpp"

namespace warpgrade::batch {

/// Of a row in grades.csv, the first that holds.
inline constexpr const char *pending = "pending";  ///< something is still to be graded
inline constexpr const char *archive_refused =
    "archive_refused";                                         ///< nothing of what was handed in was taken
inline constexpr const char *not_submitted = "not_submitted";  ///< on the roster, and nothing was handed in
inline constexpr const char *missing = "missing";  ///< handed in, without one file of the assignment
inline constexpr const char *grader_error = "grader_error";  ///< the grader failed; a person must look at it
inline constexpr const char *overridden = "overridden";      ///< some points were given by hand
inline constexpr const char *graded = "graded";

/// The steps of an assignment that a class is graded on, with their files.
Store::StepFiles steps_of(const course::Assignment &);

/// Everything about one student, for a report.
struct Scored {
  Student student;
  grading::SubmissionRecord record;
  score::Score score;
  ScoreRow row;
  bool has_steps = false;  ///< one file of the steps that are graded was handed in, or more
  bool complete = false;   ///< every step has a result
};

/// Thresholds are those of the device that the class was graded on.
Scored score_student(const Store &, const course::Assignment &, const course::Thresholds &,
                     const std::string &id);

/// The device that the class is graded on; a simulator's before it is graded.
grading::DeviceRecord device_of(const Store &, const course::Assignment &);

/// grades.csv: a row a student, by id.
std::string grades_csv(const Store &, const course::Assignment &);

/// A folder name for any student, no two alike where case counts: the id itself where that is plain. `twin`:
/// another student's id differs in case alone; then the name differs where case does not count, too.
std::string folder_name(const std::string &student, bool twin = false);

/// The same for a student of a class.
std::string folder_of(const Store &, const std::string &student);

}  // namespace warpgrade::batch
