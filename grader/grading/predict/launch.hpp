// The time of one launch. Internal to predict.
#pragma once

#include <map>
#include <string>

#include "predict/predict.hpp"

namespace warpgrade::predict {

/// What the L2 cache holds between the launches of a call.
struct L2Contents {
  std::map<std::string, double> of_buffer;  ///< bytes
  double dirty = 0;                         ///< bytes that must go to DRAM to make room
};
/// Before the first launch: data of others, of which DRAM lacks a part.
L2Contents l2_before(const Machine &);

/// `launch` is one of those of the call. Without what it costs to launch it.
LaunchPrediction predict_launch(const Call &, const run::SampledLaunch &launch, const Machine &,
                                L2Contents &);

}  // namespace warpgrade::predict
