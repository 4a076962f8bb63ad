// A submission's report as one self-contained HTML file: for browsers without a network, and for paper.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "explain/playback.hpp"
#include "report/report.hpp"

namespace warpgrade::report {

/// The roof of a roofline.
struct Roof {
  std::string gpu;
  double peak_gflops = 0, memory_gb_per_s = 0;
  bool here = true;  ///< it is the GPU that measured; else one for comparison
};

/// A case of a step to go through; one that the reader may see.
struct Recorded {
  std::string title;  ///< "step2 at m=n=k=33"
  explain::Playback playback;
};

/// Optional contents of a page besides the report itself.
struct Extras {
  std::map<std::string, std::string> sources;  ///< by step, untrusted: the student's file
  std::vector<grading::BenchPoint> bench;      ///< speed over size
  std::optional<Roof> roof;
  std::string pseudonym = {};  ///< the student's on the class's leaderboard; empty: there is none
  std::map<std::string, Recorded> recordings = {};  ///< by step: its first failing case
  std::string disputes =
      {};  ///< where to dispute what the page says, on the server that sends it; empty: nowhere
};

/// Everything from a submission is escaped, and the page's policy prevents it from running scripts or loading
/// anything.
std::string to_html(const Report &, const Extras &);

/// Sizes with unusually low speed: at least 10 % slower than both neighbours. Points in ascending order of x.
std::vector<bool> dips(const std::vector<double> &gflops);

}  // namespace warpgrade::report
