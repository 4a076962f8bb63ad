// A submission's report as one HTML file, complete in itself: for browsers without a network, and for paper.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "report/report.hpp"

namespace warpgrade::report {

/// The roof of a roofline.
struct Roof {
  std::string gpu;
  double peak_gflops = 0, memory_gb_per_s = 0;
  bool here = true;  ///< it is the GPU that measured; else one to compare with
};

/// What a page shows besides the report itself; each may be left out.
struct Extras {
  std::map<std::string, std::string> sources;  ///< by step, untrusted: the student's file
  std::vector<grading::BenchPoint> bench;      ///< speed over size
  std::optional<Roof> roof;
};

/// Everything from a submission is escaped, and the page's policy lets it run no script and load nothing.
std::string to_html(const Report &, const Extras &);

/// Sizes at which a step is slow for its size: at least 10 % slower than both neighbours. Of points in
/// ascending order of x.
std::vector<bool> dips(const std::vector<double> &gflops);

}  // namespace warpgrade::report
