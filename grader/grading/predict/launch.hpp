// The time of one launch. Internal to predict.
#pragma once

#include "predict/l2_contents.hpp"
#include "predict/predict.hpp"

namespace warpgrade::predict {

/// Before the first launch: data of others, of which DRAM lacks a part.
L2Contents l2_before(const Machine &);

/// `launch` is one of those of the call. Without what it costs to launch it.
LaunchPrediction predict_launch(const Call &, const run::SampledLaunch &launch, const Machine &,
                                L2Contents &);

}  // namespace warpgrade::predict
