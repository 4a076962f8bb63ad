// Grades of a class, as every system that takes them needs to know them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace warpgrade::platforms {

/// How a student stands; every format has its own word for it.
enum class Standing : std::uint8_t {
  graded,
  overridden,
  pending,
  archive_refused,  ///< nothing of what was handed in was taken
  not_submitted,    ///< on the roster, and nothing was handed in
  missing,          ///< handed in, without one file of the assignment
  grader_error
};

struct Picture {
  std::string label, svg;  ///< svg: a file by itself
};

struct StepGrade {
  std::string id, title, file;
  std::string verdict;           ///< as judge::name_of writes it; empty: not yet graded
  std::string reason;            ///< one sentence that a student may read; empty when accepted
  int line = 0;                  ///< of `file`, that the first error is about; 0: of none
  std::optional<double> points;  ///< none: not yet graded
  double max_points = 0, ungraded_points = 0;
  bool extra_credit = false;
  std::optional<std::string> by_hand;  ///< why a person gave these points
  std::vector<Picture> pictures;
  /// Accepted, or given all its points by hand.
  bool passed() const;
  /// "by hand: ..." or the reason, with "step1_coalesced.cu:12: " before it where a line is known. Empty:
  /// none.
  std::string explanation() const;
};

struct StudentGrades {
  std::string student;
  std::string source;          ///< as it was handed in; empty: nothing was
  std::int64_t handed_in = 0;  ///< seconds since 1970
  Standing standing = Standing::pending;
  double points = 0, max_points = 0, ungraded_points = 0;
  int late_days = 0;
  std::string refused;  ///< why nothing was taken
  std::vector<std::string> notes;
  std::vector<StepGrade> steps;
  /// What a system that keeps one number a student is to keep. Who handed in nothing, or nothing that could
  /// be taken, has 0; none while something is still to be graded or looked at by a person.
  std::optional<double> grade() const;
};

struct ClassGrades {
  std::string assignment, title;
  std::vector<StudentGrades> students;  ///< by id
};

/// "graded", "pending", ...: as in grades.csv.
std::string name_of(Standing);
/// "2026-01-31T23:59:59Z"
std::string utc(std::int64_t seconds);
/// Now, in UTC, as JUnit XML has the time of a suite: "2026-01-31T23:59:59".
std::string time_of_suite();

}  // namespace warpgrade::platforms
