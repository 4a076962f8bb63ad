// Points for speed where no GPU measured it: `without_gpu` in assignment.yaml.
#pragma once

#include <string>

#include "score/score.hpp"

namespace warpgrade::score {

/// What everybody who reads the points must know, in a sentence that names the policy. Empty where points for
/// speed are measured or wait. `thresholds` are those for no GPU.
std::string sentence_without_gpu(const course::Assignment &, const course::Thresholds &, bool gpu);

/// Of an accepted step without points for speed so far: scales those for everything else, lost or waiting, to
/// the maximum of the step.
void rescale(StepScore &, const course::Step &);

/// Of an accepted step: adds the points that the predicted rate earns. Empty, or why it earns none; then
/// nothing was added.
std::string add_predicted_points(StepScore &, const course::Step &, const course::Thresholds &,
                                 const grading::StepRecord &);

}  // namespace warpgrade::score
