// Files about the present GPU: thresholds, proposed from what the solutions reach on it, and its description,
// from microbenchmarks.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "authoring/authoring.hpp"
#include "course/assignment.hpp"
#include "course/gpu.hpp"
#include "gpu/machine_figures.hpp"
#include "predict/step.hpp"
#include "score/step_record.hpp"

namespace warpgrade::authoring {

/// "nvidia-h200" of "NVIDIA H200": the name of its thresholds file.
std::string file_stem(const std::string &gpu_name);

/// A whole thresholds file. points: one for each step that is timed. Thresholds are in the unit that `before`
/// has for the step, and a share (Assignment::calibration) of what was measured. date  "2026-11-20"
std::string calibrated_yaml(const course::Assignment &, const course::Thresholds &before,
                            const std::vector<grading::BenchPoint> &points, const gpu::DeviceInfo &,
                            const std::string &date);

/// The same from predictions of the solutions, one for each step that is timed: shares of the lowest rate of
/// each interval. A step without a prediction keeps the thresholds that it has for any GPU.
/// any  default.yaml
std::string predicted_yaml(const course::Assignment &, const course::Thresholds &any,
                           const std::vector<predict::StepPrediction> &, const course::Gpu &);
/// ./gradebook calibrate --predict
int calibrate_predicted(const CalibrateOptions &);

/// The description of a GPU, as assignments/gpus has them (course/gpu.hpp), with what was measured.
/// described  whose figures of the data sheet it takes; nullptr: as the driver describes it
/// blocks     resident on a multiprocessor at most
std::string machine_yaml(const course::Gpu *described, const gpu::DeviceInfo &, int blocks,
                         const std::vector<gpu::Figure> &, const std::string &date);

/// "2026-11-20"
std::string today();

/// Writes it; a file that is there only after its differences were shown and somebody agreed, or with `yes`.
/// Returns whether it was written.
bool write_after_a_look(const std::filesystem::path &file, const std::string &text, bool yes);

/// Lines that differ, each with "- " or "+ " before it; the others of both texts are left out.
std::string line_difference(const std::string &before, const std::string &after);

}  // namespace warpgrade::authoring
