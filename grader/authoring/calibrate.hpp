// Thresholds for the present GPU, proposed from what the solutions reach on it.
#pragma once

#include <string>
#include <vector>

#include "course/assignment.hpp"
#include "gpu/gpu.hpp"
#include "grading/step_record.hpp"

namespace warpgrade::authoring {

/// "nvidia-h200" of "NVIDIA H200": the name of its thresholds file.
std::string file_stem(const std::string &gpu_name);

/// A whole thresholds file. points: one for each step that is timed. Thresholds are in the unit that `before`
/// has for the step, and a share (Assignment::calibration) of what was measured. date  "2026-11-20"
std::string calibrated_yaml(const course::Assignment &, const course::Thresholds &before,
                            const std::vector<grading::BenchPoint> &points, const gpu::DeviceInfo &,
                            const std::string &date);

/// Lines that differ, each with "- " or "+ " before it; the others of both texts are left out.
std::string line_difference(const std::string &before, const std::string &after);

}  // namespace warpgrade::authoring
