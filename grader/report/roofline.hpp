// Steps on a roofline: what memory and arithmetic units allow at the intensity of each kernel.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "report/report.hpp"

namespace warpgrade::report {

struct RooflinePoint {
  std::string step;
  double requested = 0;            ///< flops per byte that threads ask global memory for; 0: not counted
  double compulsory = 0;           ///< flops per byte that must travel at least once; 0: not counted
  std::optional<double> gflops;    ///< measured
  std::string why_not;             ///< set when the step could not be counted
  std::optional<double> dram, l2;  ///< flops per byte that a profiler saw pass there
};

struct Roofline {
  std::string title;  ///< "hw6 at m=n=k=256"
  std::string gpu;    ///< whose roof it is
  double peak_gflops = 0;
  std::vector<double> bandwidths;  ///< GB/s (1e9 bytes), ascending, at least one
  std::vector<RooflinePoint> points;
  std::string why_not_profiled;  ///< one sentence when a profiler was wanted and could not do it
  std::string why_this_gpu;      ///< one sentence when nobody named the GPU and it is not here
};

/// GFLOPS under a roof. intensity: flops per byte.
double attainable(double peak_gflops, double bandwidth, double intensity);
/// Flops per byte from which on arithmetic is the limit.
double ridge(double peak_gflops, double bandwidth);

std::string roofline_to_terminal(const Roofline &, const Style &);
/// schema warpgrade.roofline/1
std::string roofline_to_json(const Roofline &);
/// Both axes logarithmic: a roof for each bandwidth, two marks for each step, and two more where a profiler
/// looked.
std::string roofline_to_svg(const Roofline &);

}  // namespace warpgrade::report
