// A report reduced to what its reader may see: of hidden cases, a student learns only how many pass. Internal
// to report.
#pragma once

#include <optional>

#include "report/report.hpp"

namespace warpgrade::report {

/// The record with each hidden case reduced to passed (accepted), failed (wrong_answer) or not judged
/// (grader_error), in this order. Their places in the list, kinds of failures, sizes and errors are removed.
grading::SubmissionRecord without_secrets(grading::SubmissionRecord);

/// The starting point of every report writer. Refers to the report from which it was made.
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
