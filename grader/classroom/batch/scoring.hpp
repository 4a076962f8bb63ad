// Points of a class's students from the contents of the store: nothing is run.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "batch/store.hpp"
#include "course/assignment.hpp"
#include "score/score.hpp"

namespace warpgrade::batch {

/// The status of a row in grades.csv: the first that applies.
inline constexpr const char *pending = "pending";                  ///< something is still to be graded
inline constexpr const char *archive_refused = "archive_refused";  ///< the submission was refused as a whole
inline constexpr const char *not_submitted = "not_submitted";      ///< on the roster, but handed in nothing
inline constexpr const char *missing = "missing";  ///< handed in, but without any file of the assignment
inline constexpr const char *grader_error = "grader_error";  ///< the grader failed; a person must look at it
inline constexpr const char *overridden = "overridden";      ///< some points were given by hand
inline constexpr const char *graded = "graded";

/// The steps of an assignment that a class is graded on, with their files.
Store::StepFiles steps_of(const course::Assignment &);

/// What a student's points follow from. Thresholds are those of the device on which the class was graded.
struct Rules {
  const course::Assignment *assignment = nullptr;
  const course::Thresholds *thresholds = nullptr;
};
/// The rules for each student of a class: those of a variant, if the student has one. They live as long as
/// this function or a copy of it. Steps, their files and points are the same in all of them.
using RulesOf = std::function<Rules(const Store &, const Student &)>;
/// The same rules for everybody. The assignment must live as long.
RulesOf same_rules(const course::Assignment &, course::Thresholds);

/// Everything about one student, for a report.
struct Scored {
  Rules rules;
  Student student;
  grading::SubmissionRecord record;
  score::Score score;
  ScoreRow row;
  bool has_steps = false;  ///< at least one file of the graded steps was handed in
  bool complete = false;   ///< every step has a result
  bool damaged = false;    ///< a result is damaged in the store: then `complete` is false
};

/// What is shown in place of the result that counts for a student; nothing: that result.
using InPlaceOf = std::function<std::optional<grading::StepRecord>(const Task &)>;

/// The only way from results to points: whoever shows or writes points calls it.
Scored score_student(const Store &, const RulesOf &, const std::string &id, const InPlaceOf & = {});
Scored score_student(const Store &, RulesOf &&, const std::string &,
                     const InPlaceOf & = {}) = delete;  // Scored::rules points into them

/// The device on which the class is graded; a simulator before grading.
grading::DeviceRecord device_of(const Store &, const course::Assignment &);

/// What is damaged of the submissions that count, by student. Reads all of them.
std::vector<Damage> damage_in(const Store &, const course::Assignment &);

/// grades.csv: one row per student, by id.
std::string grades_csv(const Store &, const course::Assignment &);

/// A folder name for any student, unique on case-sensitive systems: the id itself if it is plain. `twin`:
/// another student's id differs only in case; then the name is unique on case-insensitive systems too.
std::string folder_name(const std::string &student, bool twin = false);

/// The same for a student of a class.
std::string folder_of(const Store &, const std::string &student);

}  // namespace warpgrade::batch
