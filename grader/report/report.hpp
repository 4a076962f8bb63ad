// Words and layout: what people and programs read. Takes records and scores; decides nothing.
#pragma once

#include <map>
#include <string>

#include "course/assignment.hpp"
#include "score/score.hpp"
#include "score/step_record.hpp"

namespace warpgrade::predict {
struct StepPrediction;
}

namespace warpgrade::report {

/// Everything a report is made of.
struct Report {
  const course::Assignment &assignment;
  const course::Thresholds &thresholds;
  const grading::SubmissionRecord &record;
  const score::Score &score;
  std::string again;  ///< "./grade {step} --submission DIR": the start of a command that repeats a step
  bool reveal_hidden = false;  ///< the reader is an instructor: hidden cases with their sizes and values
  /// Why this is not a grade, if only a part was run: "1 of 23 cases run". Empty: it is one.
  std::string not_graded = {};
  /// Of accepted steps, by their ids: beside their measured speed, or in its place without a GPU. Null:
  /// nothing was predicted.
  const std::map<std::string, predict::StepPrediction> *predictions = nullptr;
};

struct Style {
  bool color = false;
  bool verbose = false;  ///< every case, and what the launcher and the kernels printed
  bool quiet = false;    ///< one line per step
  bool in_page = false;  ///< shown in a browser, where options of a command are of no use
  /// Width of the terminal. Lines are not longer, except for words that have to be copied whole. At most 80,
  /// at least 40.
  std::size_t columns = 80;
};

/// That of a step, or null.
const predict::StepPrediction *prediction_of(const Report &, const std::string &step);

/// The report for a terminal, plain text without Style::color. Ends with the line "Score: x/y", or
/// "Score: not graded (1 of 23 cases run)".
std::string to_terminal(const Report &, const Style &);
/// schema warpgrade.score/1; every string is valid UTF-8, every number finite.
std::string to_json(const Report &);
/// JUnit XML as continuous integration systems read it: a suite per step, a test per case.
std::string to_junit(const Report &);
/// SARIF 2.1.0: a result for each finding, and for each step that was not accepted and has none.
std::string to_sarif(const Report &);
/// GitHub's workflow commands for the same lines: "::error file=hw6/step1.cu,line=12,title=race::...". A
/// workflow step prints them. Files are named relative to the repository: `folder` is the submission's there.
std::string to_annotations(const Report &, const std::string &folder);

}  // namespace warpgrade::report
