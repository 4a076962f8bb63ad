// Predictions of the samples' step1: one that there is, and the reasons why there is none. All figures are
// made up.
#pragma once

#include <map>

#include "predict/step.hpp"

namespace warpgrade::report {

using Predictions = std::map<std::string, predict::StepPrediction>;

/// 6000 to 9000 GFLOPS, likely 7200.
inline predict::StepPrediction predicted_step(const std::string &step = "step1") {
  predict::StepPrediction p;
  p.step = step;
  p.file = step + ".cu";
  p.gpu = "NVIDIA H200";
  p.gpu_id = "nvidia-h200";
  p.problem = problem::find_problem("sgemm");
  p.size = {{2048, 2048, 2048}, {1, 0}};
  p.cublas = 50000;
  const auto seconds = [&](double gflops) { return p.problem->flops(p.size) / gflops / 1e9; };
  p.prediction.seconds = seconds(7200);
  p.prediction.low = seconds(9000);
  p.prediction.high = seconds(6000);
  p.prediction.limit = predict::Resource::load_store;
  p.prediction.lines = {{{p.file, 10}, 0.58}, {{"helper\x1b.h", 3}, 0.2}, {{p.file, 12}, 0.04}};
  p.prediction.caveats = {"Threads use arrays in local memory, whose latency is not followed."};
  return p;
}

inline Predictions predictions(predict::StepPrediction p = predicted_step()) {
  Predictions all;
  all.emplace(p.step, p);
  return all;
}

inline predict::StepPrediction not_predicted(const std::string &why, bool too_long = false) {
  predict::StepPrediction p = predicted_step();
  p.prediction = {};
  p.prediction.why_not = why;
  p.too_long = too_long;
  return p;
}

}  // namespace warpgrade::report
