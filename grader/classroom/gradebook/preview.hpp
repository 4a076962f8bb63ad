// What grading again would change: who, by how much and why. A preview has results of its own beside those that count
// (batch/store.hpp); an instructor applies them to all students, to some or to none, and can undo that.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "batch/scoring.hpp"
#include "batch/store.hpp"
#include "gradebook/class_run.hpp"
#include "gradebook/outdated.hpp"

namespace warpgrade::gradebook {

struct StepChange {
  std::string step;
  std::string verdict_before, verdict_now;  ///< as grades have them; empty: none
  std::string reason_before, reason_now;    ///< untrusted
  double points_before = 0, points_now = 0;
  std::string why;  ///< "cases, tolerance"
  bool by_hand = false;
};
struct StudentChange {
  std::string student, name;  ///< untrusted
  double before = 0, now = 0, max_before = 0, max_now = 0;
  std::vector<StepChange> steps;  ///< that change
  std::string why;                ///< of what no step says: "lateness"
};
/// Each student of a preview is in one of the first five.
struct PreviewList {
  std::vector<StudentChange> changes;
  std::vector<std::string> same;
  std::vector<std::string> waiting;  ///< something is still to be run
  std::vector<std::string> newer;    ///< handed in, or was graded, otherwise since
  std::vector<std::string> failed;   ///< the grader failed, and had not before
  std::size_t up = 0, down = 0;
  std::size_t files = 0, to_run = 0;  ///< different ones
};

/// Results of two devices in one class could not be compared. Throws UsageError.
void demand_same_device(const batch::Store &, const ClassGrader &);

/// Which files of these students a preview takes, under these conditions. again: also those with a result under them.
/// Failures of the grader are always run again.
std::vector<batch::PreviewFile> files_to_preview(const batch::Store &, const course::Assignment &,
                                                 const ConditionsOfStep &,
                                                 const std::vector<std::string> &students, bool again);
/// Hash of the YAML files that make results and points of an assignment.
std::string hash_of_course(const std::filesystem::path &assignment_folder);

/// rules: with which points would be computed. only: these students; empty: all of the preview.
PreviewList list_preview(const batch::Store &, const batch::RulesOf &rules,
                         const std::set<std::string> &only = {});
/// "20261234,A. Name,step1,accepted,race,50,0,cases,..." with a header; a row for each step that changes.
std::string csv_of(const PreviewList &);
/// "12 of 118 students would change: 3 up, 9 down."
std::string summary_of(const PreviewList &);

/// What changed since the preview was begun, for people: "cases"; empty: nothing. course_now: hash_of_course().
std::string changed_since_preview(const batch::Store &, const ClassCourse &, const std::string &course_now);

struct Applied {
  std::vector<std::string> students;
  PreviewList list;  ///< as it was before
  std::string detail;
};
/// Gives these students what was previewed for them, and writes their scores and reports. students: empty: all of the
/// preview, but for those of `newer` and `failed`. order: of a service, which wants that; empty: a command. Throws
/// UsageError where nothing was changed, and why.
Applied apply_preview(batch::Store &, const ClassCourse &, const batch::RulesOf &,
                      const std::vector<std::string> &students, std::string_view actor,
                      const std::string &order = "");

struct Undone {
  batch::Regrading what;
  std::vector<std::string> students;  ///< who have again what they had
  std::vector<std::string>
      recomputed;  ///< of these, whose points are others: points by hand, a new file, or other rules since
  std::vector<std::string> kept;  ///< graded again since, which stays
};
/// Undoes the latest regrading. Throws UsageError where there is none.
Undone undo_regrading(batch::Store &, const ClassCourse &, const batch::RulesOf &,
                      const std::string &order = "");

/// The score of a student, and what it follows from, before a regrading.
batch::ScoreBefore score_before(const batch::Store &, const course::Assignment &, const std::string &student);

}  // namespace warpgrade::gradebook
