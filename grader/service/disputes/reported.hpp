// What can be disputed in a report, and what the staff said about it, as sentences for the report. A finding is what class.html
// groups by: an error that follows from no other, by its cause. Hidden cases do not matter here, so a student and the staff
// mean the same by a cause. Internal to disputes.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "service/disputes/disputes.hpp"
#include "service/render.hpp"

namespace warpgrade::service {

/// An error of a report.
struct ReportedFinding {
  Cause cause;
  std::string said, file;
  int line = 0;        ///< 0: no line
  std::string quoted;  ///< the text of that line
};

/// What a form offers.
struct Reported {
  std::vector<ReportedFinding> findings;
  std::vector<std::string> steps;
  std::map<std::string, std::string> sources, files;  ///< by step: the student's file; its name

  /// As a form lists them: the findings, then each step for its lines or the whole. Each begins with its number.
  std::vector<std::string> choices() const;
  /// Which choice an address means: the finding at that line of the step, or else the step. Empty: none.
  std::string choice_at(const std::string &step, int line) const;
  /// Changes when another grading finds something else.
  std::string version() const;
  /// What is disputed. Throws ApiError if there is no such choice or line. choice: as choices() has it; line: a number or nothing
  Disputed disputed(const Submission &, const std::string &choice, const std::string &line) const;
};

Reported reported(const Rendered &, const std::map<std::string, std::string> &sources);

/// Notes on a finding of the report.
std::vector<FindingNote> notes_on(const std::vector<FindingNote> &, const std::vector<ReportedFinding> &);

}  // namespace warpgrade::service
