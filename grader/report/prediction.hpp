// Predicted times in words, as a table and as JSON. A prediction gives no points, and says so, unless the
// course lets it (`without_gpu: predicted`).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "predict/step.hpp"
#include "report/json.hpp"
#include "report/report.hpp"

namespace warpgrade::report {

/// "predicted for NVIDIA H200 at m=n=k=2048: 24592 to 44819 GFLOPS (about 66 % of cuBLAS), limited by ...",
/// or "cannot predict the time on NVIDIA H200: ...". Untrusted.
std::string prediction_in_words(const predict::StepPrediction &, bool gives_points = false);
/// The same beside a rate that was measured there: "predicted 33200 GFLOPS (24592 to 44819), limited by ...;
/// measured: 0.97 times as fast".
std::string prediction_beside(const predict::StepPrediction &, double measured);
/// Of a step's report. The ratio is there only beside a measured rate.
Json prediction_to_json(const predict::StepPrediction &, const std::optional<double> &measured,
                        bool gives_points = false);
/// Whether the predictions of a report give points, and that of a step.
bool gives_points(const Report &);
bool gives_points(const score::StepScore &);

/// Of a step that was not predicted yet when the report was shown, to follow it.
std::string late_prediction_to_terminal(const Report &, const std::string &step, const Style &);
std::string predictions_to_terminal(const std::string &assignment,
                                    const std::vector<predict::StepPrediction> &, const Style &);
/// schema warpgrade.prediction/1
std::string predictions_to_json(const std::string &assignment, const std::vector<predict::StepPrediction> &);

}  // namespace warpgrade::report
