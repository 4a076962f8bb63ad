// Points: a pure function of the findings and the YAML. Scoring stored records again after a change of
// thresholds needs no run.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "course/assignment.hpp"
#include "score/late.hpp"
#include "score/step_record.hpp"

namespace warpgrade::score {

/// Speed of a step with its thresholds resolved. Rates, those called gflops too, in the problem's unit; times
/// in milliseconds.
struct Performance {
  problem::Case size;
  std::string unit = "GFLOPS";  ///< problem::Problem::rate_unit()
  double gflops = 0;
  double low_gflops = 0, high_gflops = 0;  ///< between which it lies with 95 % confidence
  double counts_as = 0;  ///< the rate that scores: a threshold that may have been reached counts as reached
  double median_ms = 0, p10_ms = 0, p90_ms = 0;
  int samples = 0;
  problem::Library library = problem::Library::none;  ///< with which it was compared
  std::optional<double> library_rate, of_library, of_peak;
  std::optional<double> pass, full;  ///< rates; none when they are shares of a library that could not run
  bool operator==(const Performance &) const = default;
};

/// record  with at least one time; thresholds are left open
/// peak    the most that the GPU can reach, in the problem's unit
Performance performance_of(const problem::Problem &, const grading::PerformanceRecord &record,
                           const std::optional<double> &peak);

/// A counter threshold with its measured value.
struct CounterScore {
  course::CounterCheck check;
  std::optional<double> value;  ///< none: there was nothing to measure, which does not pass
  bool passed = false;
  std::string at;    ///< the size of `value` if the threshold is met at the reported size but not at this one
  std::string file;  ///< if it is missed: the line that costs most; empty if passed or no line is to blame
  int line = 0;
  bool operator==(const CounterScore &) const = default;
};

/// Points that a person gave a step instead of the computed ones.
struct Override {
  std::string step;
  double points = 0;
  std::string reason;
  bool operator==(const Override &) const = default;
};

/// What earned points for speed that no GPU measured, by the assignment's `without_gpu`.
struct InPlaceOfSpeed {
  course::WithoutGpu policy = course::WithoutGpu::leave;  ///< never `leave`
  double points = 0, of = 0;  ///< rescale: those for what was measured; predicted: those for the rate
  std::string sentence;       ///< for people: what was counted, and how
  bool operator==(const InPlaceOfSpeed &) const = default;
};

struct StepScore {
  std::string id;
  bool extra_credit = false;
  bool exam = false;   ///< of `kind: viva`: what was handed in late takes no points from it
  bool wrong = false;  ///< a verdict counts against it, which shows in points unless the step has none
  double points = 0, max_points = 0;
  double ungraded_points = 0;  ///< could not be measured here, through no fault of the submission
  std::string why_ungraded;
  std::optional<Performance> performance;
  std::optional<InPlaceOfSpeed> in_place;  ///< then there is no `performance`
  std::vector<CounterScore> counters;      ///< of an accepted step whose counters are known
  std::optional<Override> by_hand;         ///< then `points` are these
  double computed_points = 0;              ///< the computed points that they replace
  bool operator==(const StepScore &) const = default;
};

struct Score {
  std::vector<StepScore> steps;
  double points = 0;  ///< extra credit included
  double max_points =
      0;  ///< of the graded steps that are not extra credit; of all graded steps if there are no others
  double ungraded_points = 0;
  double extra_credit = 0;   ///< how much of `points` it is
  std::string without_gpu;   ///< sentence_without_gpu(), where any of these steps has points for speed
  std::optional<Late> late;  ///< already deducted from `points`, but not from those of the steps
  bool full() const;         ///< nothing was lost on what could be measured
  bool operator==(const Score &) const = default;
};

/// The one rounding rule: to the nearest hundredth of a point, halves up.
double round_points(double);

/// From 0 at `pass` to `points` at `full`, linear in between.
double performance_points(double points, double gflops, double pass, double full);

/// A step's counter thresholds compared with what was counted, and with what was counted at a nearby size,
/// where they must be met too. `near` may be null.
std::vector<CounterScore> score_counters(const course::Step &, const judge::Counted &,
                                         const grading::CounterRecord *near = nullptr);

/// policy  for points for speed; `leave` where a GPU grades
StepScore score_step(const course::Step &, const course::Thresholds &, const grading::StepRecord &,
                     course::WithoutGpu policy = course::WithoutGpu::leave);

/// `thresholds` are those of the device in the record.
Score score(const course::Assignment &, const course::Thresholds &, const grading::SubmissionRecord &);

/// The score with points given by hand; those for unknown steps change nothing.
Score with_overrides(Score, const std::vector<Override> &);

/// The score after the deduction for being late. Points given by hand are final: nothing is deducted from
/// them.
Score with_lateness(Score, const std::optional<Late> &);

}  // namespace warpgrade::score
