// A class as its dashboard shows it: students with verdicts, points and the measurements from which points
// can be recomputed; written as HTML. Takes plain data; knows nothing about stores.
#pragma once

#include <map>
#include <optional>
#include <random>
#include <string>
#include <string_view>
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
  std::optional<judge::Rate> rate, library;
  std::vector<score::CounterScore> counters;  ///< one for each limit of the step; empty: nothing was counted
};

/// An error of a student's step.
struct ClassDiagnostic {
  std::string step, code, file;
  int line = 0;       ///< 0: no line
  std::string text;   ///< the text of that line, without indentation; empty if the source is unavailable.
                      ///< Untrusted
  std::string cause;  ///< what is wrong, without thread and element; empty: unknown. Untrusted
};

struct ClassStudent {
  std::string id;         ///< untrusted
  std::string name;       ///< the name on the roster; empty: there is none. Untrusted
  std::string pseudonym;  ///< may be published
  bool consents = false;  ///< `pseudonym` is the student's own name, which the student agreed to show
  std::string link;       ///< to the student's page, relative to the dashboard; empty: none
  std::string status;     ///< "graded", "missing", ...
  double points = 0, max_points = 0, ungraded_points = 0;
  int late_days = 0;
  double late_share = 0;  ///< deducted for lateness from the points for speed and for the rest
  std::vector<ClassStep> steps;
  std::vector<ClassDiagnostic> diagnostics;  ///< each code and cause of a step once
};

/// A file that several students handed in, or one that is right for another variant.
struct ClassSharedFile {
  std::string alike;  ///< "the same file", "operation=sum"
  std::string whose;  ///< students and names of files. Untrusted
};

struct Class {
  const course::Assignment &assignment;
  const course::Thresholds &thresholds;
  std::string device;
  std::vector<ClassStudent> students;
  std::vector<ClassSharedFile> shared_files = {};
  std::vector<ClassSharedFile> of_other_variants = {};  ///< right for another variant than the student's
  std::string without_gpu = {};  ///< a sentence, if something stands in for measured speed
};

/// The identity of a student, apart from results.
struct ClassPerson {
  std::string id, name, pseudonym, link, status;  ///< as in ClassStudent
};
/// A student of a class, from the contents of a report. `sources` by step, for the text of diagnosed lines.
ClassStudent class_student(const ClassPerson &, const Report &,
                           const std::map<std::string, std::string> &sources);

/// The errors of a step, and its verdict if none of them says it. `source`: the student's file, or null.
std::vector<ClassDiagnostic> diagnostics_of(const grading::StepRecord &, const std::string *source);

/// A line of a source without indentation, its begin if it is long; empty: there is no such line. number: from 1
std::string quoted_line(const std::string &source, int number);

/// A cause without numbers and the names that a student chose: the same for all who made the same mistake.
std::string gist(std::string_view cause);

/// How a page that a service shows learns that there is a newer one.
struct LivePage {
  std::string events;   ///< address of a stream of server-sent events, relative to the page; empty: not live
  std::string version;  ///< of this page; an event "board" with another version makes the page load again
};

/// The dashboard, with names: distributions, sliders for thresholds, verdicts, diagnostics, leaderboard.
std::string class_to_html(const Class &, const LivePage & = {});

/// Only pseudonyms with rates or, if nothing was timed, with counters; for publication.
std::string leaderboard_to_html(const Class &, const LivePage & = {});

/// A unique name for each id: names in `known` stay, others are drawn. A name reveals nothing about its id,
/// as long as the generator was seeded with a secret.
std::map<std::string, std::string> pseudonyms(const std::vector<std::string> &ids,
                                              const std::map<std::string, std::string> &known,
                                              std::mt19937_64 &random);

}  // namespace warpgrade::report
