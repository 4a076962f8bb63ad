// The figures of a step as rows: measured value, ideal and threshold. Shared by the reports for people.
// Internal to report.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "report/report.hpp"

namespace warpgrade::report {

struct CounterRow {
  std::string what;  ///< "sectors per global load"
  std::optional<double> measured, ideal;
  std::string limit;   ///< "<= 3"; empty: no threshold
  std::string points;  ///< "1.5/1.5"; empty without a threshold
  bool lost = false;
  std::string file;  ///< untrusted: the line that loses the points; empty unless lost
  int line = 0;
};
/// Thresholds first, then other figures about memory. Empty without counters.
std::vector<CounterRow> counter_rows(const grading::StepRecord &, const score::StepScore &);

/// In single precision by threads, and by tensor cores.
inline std::uint64_t flops_of(const simt::LineCounters &c) {
  return c.fp32_flops() + c.tensor_flops;
}

/// What cuBLAS computes in to be compared with: plain fp32, and not the types of tensor cores.
inline bool in_fp32(const problem::Problem &p) {
  return p.library() == problem::Library::cublas && !p.on_tensor_cores();
}

/// Points for speed, and the maximum. None if speed was not scored.
struct SpeedPoints {
  double points = 0, of = 0;
};
std::optional<SpeedPoints> speed_points(const course::Assignment &, const score::StepScore &);

/// Why there is no verdict on a case; empty if there is one.
std::string_view why_no_verdict(const judge::CaseVerdict &);

/// Totals over all cases of a step.
struct CaseCount {
  std::size_t ran = 0, right = 0, wait_for_gpu = 0, skipped = 0, left_to_course = 0, open = 0;
  std::string waits;         ///< what an exam that is to come waits for
  double largest_error = 0;  ///< in units of the tolerance, over those with finite numbers
  std::string hidden;        ///< " (5 of 5 hidden)"; empty where none of them ran
};
CaseCount count_cases(const grading::StepRecord &);
CaseCount count_cases(const std::vector<judge::CaseVerdict> &);
/// "3 of 15 right", for an answer file; in a kit "17 of 18 are there, of which your course grades 17".
std::string answers_in_words(const CaseCount &);

}  // namespace warpgrade::report
