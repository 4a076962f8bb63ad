// Predicted speed as a part of a step's record, for courses where it earns points (`without_gpu: predicted`).
#pragma once

#include <optional>

#include "predict/step.hpp"
#include "score/step_record.hpp"

namespace warpgrade::predict {

/// Whether predictions earn points of this assignment, graded with or without a GPU.
bool earns_points(const course::Assignment &, bool gpu);

grading::PredictedRecord record_of(const StepPrediction &);

/// Of an accepted step with points for speed, on the GPU of predict_for; nothing for any other. Takes as long
/// as it needs: points must not depend on a machine's haste.
std::optional<grading::PredictedRecord> for_points(const Predictor &, const grading::Grader &,
                                                   const course::Assignment &, const course::Step &,
                                                   const build::Build &, const grading::StepRecord &);

}  // namespace warpgrade::predict
