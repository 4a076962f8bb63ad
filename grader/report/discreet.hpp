// A report as its reader may have it: of hidden cases a student learns how many pass, and nothing else.
// Internal to report.
#pragma once

#include <optional>

#include "report/report.hpp"

namespace warpgrade::report {

/// The record with each hidden case reduced to passed (accepted), failed (wrong_answer) or not judged
/// (grader_error), in this order: their places in the list, kinds of failures, sizes and errors are left out.
grading::SubmissionRecord without_secrets(grading::SubmissionRecord);

/// What every writer of a report begins with. Refers to the report that it was made from.
class Discreet {
 public:
  explicit Discreet(const Report &);
  Discreet(const Discreet &) = delete;
  Discreet &operator=(const Discreet &) = delete;
  const Report &report() const { return report_; }

 private:
  std::optional<grading::SubmissionRecord> copy_;
  Report report_;
};

}  // namespace warpgrade::report
