// Steps on a roofline: the limits of memory and arithmetic units at the intensity of each kernel.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "report/report.hpp"

namespace warpgrade::report {

/// GFLOPS on a GPU that is not here.
struct PredictedRate {
  double low = 0, likely = 0, high = 0;
};

struct RooflinePoint {
  std::string step;
  double requested = 0;            ///< flops per byte that threads request from global memory; 0: not counted
  double compulsory = 0;           ///< flops per byte that must be moved at least once; 0: not counted
  std::optional<double> gflops;    ///< measured
  std::string why_not;             ///< set if the step could not be counted
  std::optional<double> dram, l2;  ///< flops per byte by a profiler's count
  std::optional<PredictedRate> predicted = {};  ///< in place of a measured rate
};

struct Roofline {
  std::string title;  ///< "hw6 at m=n=k=256"
  std::string gpu;    ///< the GPU of the roof
  double peak_gflops = 0;
  std::vector<double> bandwidths;  ///< GB/s (1e9 bytes), ascending, at least one
  std::vector<RooflinePoint> points;
  std::string why_not_profiled;  ///< one sentence if a profiler was requested but could not do it
  std::string why_this_gpu;      ///< one sentence if no GPU was named and none is here
};

/// GFLOPS under a roof. intensity: flops per byte.
double attainable(double peak_gflops, double bandwidth, double intensity);
/// Flops per byte from which arithmetic is the limit.
double ridge(double peak_gflops, double bandwidth);

std::string roofline_to_terminal(const Roofline &, const Style &);
/// schema warpgrade.roofline/1
std::string roofline_to_json(const Roofline &);
/// Both axes logarithmic: a roof for each bandwidth, two marks for each step, and two more with a profiler.
std::string roofline_to_svg(const Roofline &);

}  // namespace warpgrade::report
