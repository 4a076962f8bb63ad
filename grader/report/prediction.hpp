// Predicted times as a table and as JSON. A prediction gives no points, and says so.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "predict/predict.hpp"
#include "report/report.hpp"

namespace warpgrade::report {

struct PredictedPoint {
  std::string step, file, gpu;
  const problem::Problem *problem = nullptr;
  problem::Case size;
  std::optional<double> cublas;  ///< the rate of cuBLAS there, if it was measured
  double roofline = 0;           ///< the rate under the roof of the same GPU, for comparison; 0: none
  predict::Prediction prediction;
  /// In the unit of the problem's rate, such as GFLOPS.
  double rate(double seconds) const;
};

std::string predictions_to_terminal(const std::string &assignment, const std::vector<PredictedPoint> &,
                                    const Style &);
/// schema warpgrade.prediction/1
std::string predictions_to_json(const std::string &assignment, const std::vector<PredictedPoint> &);

}  // namespace warpgrade::report
