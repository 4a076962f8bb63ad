// The time of one launch. Internal to predict.
#pragma once

#include "predict/predict.hpp"

namespace warpgrade::predict {

/// `launch` is one of those of the call.
LaunchPrediction predict_launch(const Call &, const run::SampledLaunch &launch, const Machine &);

}  // namespace warpgrade::predict
