// Steps at many sizes, side by side: a table for people, CSV and JSON for programs and plots.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "report/report.hpp"

namespace warpgrade::report {

struct Bench {
  const course::Assignment &assignment;
  const problem::Problem &problem;  ///< of all its steps
  const grading::DeviceRecord &device;
  std::optional<double> peak_gflops;
  const std::vector<grading::BenchPoint> &points;  ///< by size, then by step
  /// The kernels' time by a profiler's clock in seconds, for each point; empty if it was not requested.
  std::vector<std::optional<double>> profiler_seconds = {};
  std::string why_not_profiled = {};  ///< one sentence if it was requested but not available
};

/// A block of lines for each size. On a GPU: median, spread, GFLOPS, shares of the library and of the peak;
/// on the simulator: counters, which are not times. With a profiler, also its times and the ratio of ours to
/// them.
std::string bench_to_terminal(const Bench &, const Style &);
/// One line per point, with a header; times in milliseconds.
std::string bench_to_csv(const Bench &);
/// schema warpgrade.bench/1: `points`, and `series` with x and y of each step, ready to plot.
std::string bench_to_json(const Bench &);

}  // namespace warpgrade::report
