// GPU measurements stored in a file: the JSON of `grade bench --json` (schema warpgrade.bench/1), read back.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "course/assignment.hpp"

namespace warpgrade::report {

struct MeasuredPoint {
  std::string step;
  problem::Case size;
  double gflops = 0;         ///< the rate, in the unit of the step's problem
  double milliseconds = 0;   ///< 0: unknown
  std::string library = {};  ///< "cuBLAS"
  std::optional<double> library_rate;
};
struct Measured {
  std::string gpu;
  std::vector<MeasuredPoint> points;  ///< only steps of the assignment, each at one or several sizes
  /// At the first size of the file; null if the step is not in it.
  const MeasuredPoint *find(const std::string &step) const;
};

/// Throws std::runtime_error that says what in the text is not as expected.
Measured read_measured(const std::string &text, const course::Assignment &);

}  // namespace warpgrade::report
