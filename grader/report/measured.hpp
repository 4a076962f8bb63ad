// What a GPU gave, kept in a file: the JSON of `grade bench --json` (schema warpgrade.bench/1), read again.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "course/assignment.hpp"

namespace warpgrade::report {

struct MeasuredPoint {
  std::string step;
  problem::Case size;
  double gflops = 0;        ///< the rate, in the unit of the step's problem
  double milliseconds = 0;  ///< 0: not known
  std::optional<double> cublas_gflops;
};
struct Measured {
  std::string gpu;
  std::vector<MeasuredPoint> points;  ///< of steps that the assignment has, each at one size or several
  /// At the first size of the file; null where the step is not in it.
  const MeasuredPoint *find(const std::string &step) const;
};

/// Throws std::runtime_error that says what of the text is not as expected.
Measured read_measured(const std::string &text, const course::Assignment &);

}  // namespace warpgrade::report
