// A step as a point on a roofline: counted on the simulator, measured where there is a GPU.
#pragma once

#include <optional>

#include "predict/step.hpp"
#include "profile/profiler.hpp"
#include "report/roofline.hpp"

namespace warpgrade::bench {

/// The rate of a step that was not measured, on the GPU of the roof.
std::optional<report::PredictedRate> predicted_rate(const predict::Predictor &, const grading::Grader &,
                                                    const course::Step &, const build::Build &,
                                                    const problem::Case &size, const predict::Machine &);

/// `measure` says whether a GPU is to be asked for the rate as well.
report::RooflinePoint roofline_point(const grading::Grader &, const course::Step &, const build::Build &,
                                     const problem::Case &size, bool measure, profile::Profiling &);

}  // namespace warpgrade::bench
