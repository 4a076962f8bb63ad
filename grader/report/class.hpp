// A class as its dashboard shows it: students with verdicts, points and the measurements that points can be
// computed from again; written as HTML. Takes plain data; knows nothing of stores.
#pragma once

#include <map>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "judge/speed.hpp"
#include "report/report.hpp"

namespace warpgrade::report {

/// One student's step. Rates in the unit of the step's problem.
struct ClassStep {
  std::string id;
  std::optional<judge::Verdict> verdict;  ///< none: not yet graded
  double points = 0, max_points = 0, ungraded_points = 0;
  double other_points = 0;  ///< of `points`: those that do not depend on speed
  bool by_hand = false;     ///< a person gave `points`: thresholds change nothing
  std::optional<judge::Rate> rate, cublas;
};

/// An error at a place of a student's source.
struct ClassDiagnostic {
  std::string step, code, file;
  int line = 0;
  std::string text;  ///< of that line, without indentation; empty where the source is not at hand. Untrusted
};

struct ClassStudent {
  std::string id;         ///< untrusted
  std::string name;       ///< as on the roster; empty: there is none. Untrusted
  std::string pseudonym;  ///< may be published
  std::string link;       ///< to the student's page, relative to the dashboard; empty: none
  std::string status;     ///< "graded", "missing", ...
  double points = 0, max_points = 0, ungraded_points = 0;
  int late_days = 0;
  double late_share = 0;  ///< of what speed and the rest earn, taken off for being late
  std::vector<ClassStep> steps;
  std::vector<ClassDiagnostic> diagnostics;  ///< each code and line of a step once
};

struct Class {
  const course::Assignment &assignment;
  const course::Thresholds &thresholds;
  std::string device;
  std::vector<ClassStudent> students;
};

/// Who a student is, besides what was graded.
struct ClassPerson {
  std::string id, name, pseudonym, link, status;  ///< as in ClassStudent
};
/// A student of a class from what a report is made of. `sources` by step, for the text of diagnosed lines.
ClassStudent class_student(const ClassPerson &, const Report &,
                           const std::map<std::string, std::string> &sources);

/// The dashboard, with names: distributions, thresholds to move, verdicts, diagnostics, leaderboard.
std::string class_to_html(const Class &);
/// Pseudonyms and rates alone, to be published.
std::string leaderboard_to_html(const Class &);

/// A name for each id, no two alike: those that `known` has stay, others are drawn. Nothing of an id can be
/// concluded from its name, as long as the generator was seeded with what nobody knows.
std::map<std::string, std::string> pseudonyms(const std::vector<std::string> &ids,
                                              const std::map<std::string, std::string> &known,
                                              std::mt19937_64 &random);

}  // namespace warpgrade::report
