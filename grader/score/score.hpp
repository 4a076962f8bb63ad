// Points. A pure function of what was found out and of the YAML: scoring stored records again after a change
// of thresholds needs no run.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "course/assignment.hpp"
#include "grading/step_record.hpp"
#include "score/late.hpp"

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
  std::optional<double> cublas_gflops, of_cublas, of_peak;
  std::optional<double> pass, full;  ///< rates; none when they are shares of cuBLAS and it could not run
  bool operator==(const Performance &) const = default;
};

/// record  with at least one time; thresholds are left open
/// peak    the most that the GPU can reach, in the problem's unit
Performance performance_of(const problem::Problem &, const grading::PerformanceRecord &record,
                           const std::optional<double> &peak);

/// A counter threshold with what was measured.
struct CounterScore {
  course::CounterCheck check;
  std::optional<double> value;  ///< none: there was nothing to measure, which is no pass
  bool passed = false;
  std::string at;  ///< the size of `value` where the threshold holds at the reported size and not at this one
  std::string file;  ///< where it is lost: the line that costs most; empty if passed or no line is to blame
  int line = 0;
  bool operator==(const CounterScore &) const = default;
};

/// Points that a person gave a step in place of the computed ones.
struct Override {
  std::string step;
  double points = 0;
  std::string reason;
  bool operator==(const Override &) const = default;
};

struct StepScore {
  std::string id;
  bool extra_credit = false;
  bool wrong = false;  ///< a verdict stands against it, which shows in points unless the step has none
  double points = 0, max_points = 0;
  double ungraded_points = 0;  ///< could not be measured here, through no fault of the submission
  std::string why_ungraded;
  std::optional<Performance> performance;
  std::vector<CounterScore> counters;  ///< of an accepted step whose counters are known
  std::optional<Override> by_hand;     ///< then `points` are these
  double computed_points = 0;          ///< what they are in place of
  bool operator==(const StepScore &) const = default;
};

struct Score {
  std::vector<StepScore> steps;
  double points = 0;  ///< extra credit included
  double max_points =
      0;  ///< of the steps graded that are not extra credit; of all graded when there are no others
  double ungraded_points = 0;
  double extra_credit = 0;   ///< how much of `points` it is
  std::optional<Late> late;  ///< what it takes off is off `points` already, and not off those of the steps
  bool full() const;         ///< nothing was lost on what could be measured
  bool operator==(const Score &) const = default;
};

/// The one rounding rule: to the nearest hundredth of a point, halves up.
double round_points(double);

/// From 0 at `pass` to `points` at `full`, linear between.
double performance_points(double points, double gflops, double pass, double full);

/// A step's counter thresholds against what was counted, and against what was counted at a size nearby, where
/// they must hold too. `near` may be null.
std::vector<CounterScore> score_counters(const course::Step &, const judge::Counted &,
                                         const grading::CounterRecord *near = nullptr);

StepScore score_step(const course::Step &, const course::Thresholds &, const grading::StepRecord &);

/// `thresholds` are those of the device in the record.
Score score(const course::Assignment &, const course::Thresholds &, const grading::SubmissionRecord &);

/// The score with points given by hand; those for steps that are not there change nothing.
Score with_overrides(Score, const std::vector<Override> &);

/// The score without what being late takes off. Points given by hand are final: nothing is taken off them.
Score with_lateness(Score, const std::optional<Late> &);

}  // namespace warpgrade::score
