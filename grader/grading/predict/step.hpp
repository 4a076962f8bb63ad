// A step of a course on a GPU that is not here: from its build to a prediction, beside what the course has
// measured there.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "course/assignment.hpp"
#include "course/gpu.hpp"
#include "grading/grading.hpp"
#include "predict/predict.hpp"

namespace warpgrade::predict {

/// What an earlier version of the file was promised for lines that this version has cured. Rates in the problem's
/// unit.
struct KeptPromise {
  std::string what;  ///< "line 41 coalesced"
  double before = 0, promised = 0;
};

struct StepPrediction {
  std::string step, file;
  std::string gpu, gpu_id;  ///< "NVIDIA H200", "nvidia-h200"
  const problem::Problem *problem = nullptr;
  problem::Case size;
  std::optional<double> cublas;  ///< the rate of cuBLAS there, if it was measured
  double roofline = 0;           ///< the rate under the roof of the same GPU, for comparison; 0: none
  Prediction prediction;
  std::vector<KeptPromise> kept = {};  ///< only in reports of a student's file
  bool too_long = false;  ///< there is none only because it would have taken longer than Effort::a_second
  bool ours = false;      ///< there is none because of this machine or the grader, not because of the kernel
  /// In the unit of the problem's rate, such as GFLOPS.
  double rate(double seconds) const;
};

/// Below assignments/NAME, in a kit: what cuBLAS reached on GPUs, GPU.json.
inline constexpr const char *library_folder = "library";
/// Of what `grade bench --json` wrote, only the sizes and the rates of cuBLAS, which students may have; empty
/// if there are none.
std::string library_rates(const std::string &measured, const course::Assignment &);

/// Predicts the steps of one assignment.
class Predictor {
 public:
  /// root        the folder that holds assignments/
  /// thresholds  those of the assignment, where somebody has read them all; empty: they are read when they are needed
  Predictor(std::filesystem::path root, const course::Assignment &,
            std::vector<course::Thresholds> thresholds = {});

  /// The GPU with this id, of this name, or of this file, which ends in .yaml. Throws std::invalid_argument
  /// with those that are known, course::ConfigError for a file.
  Machine machine(const std::string &gpu) const;
  /// The same; nothing if it is not known.
  std::optional<Machine> find_machine(const std::string &gpu) const;
  /// The GPUs for which the course has thresholds that were not predicted, and the one that predict_for names:
  /// that one first, the others in the order of the names of these files.
  std::vector<Machine> machines() const;
  /// The size at which the step is timed on that GPU for points; nothing if it is not.
  std::optional<problem::Case> timed_size(const Machine &, const course::Step &) const;

  /// What a prediction may cost where it is not the purpose of the command: about a second.
  enum class Effort : std::uint8_t { any, a_second };
  /// Never throws because of the kernel: Prediction::why_not says why there is none.
  StepPrediction predict(const grading::Grader &, const course::Step &, const build::Build &,
                         const problem::Case &, const Machine &, Effort = Effort::any) const;
  /// What keep_in() has of it, without simulating anything; nothing if it has none.
  std::optional<StepPrediction> known(const grading::Grader &, const course::Step &, const build::Build &,
                                      const problem::Case &, const Machine &, Effort = Effort::any) const;
  /// Everything that a prediction depends on, by which it is kept.
  std::vector<std::byte> question(const grading::Grader &, const course::Step &, const build::Build &,
                                  const problem::Case &, const Machine &, Effort) const;
  /// Where predictions are kept from one run of this program to the next. Not for those that earn points: they are
  /// found again by checksums, not by their files.
  /// seed   of the Grader's inputs
  void keep_in(std::filesystem::path folder, std::uint64_t seed);

  /// What else is asked about a call that was predicted: gives the prediction of the same call with other
  /// counters, and may add to the prediction. None: nothing.
  using Predicted = std::function<Prediction(const Call &)>;
  std::function<void(const Call &, const Predicted &again, Prediction &)> further;

 private:
  std::optional<course::Gpu> find_gpu(const std::string &gpu) const;
  const std::vector<course::Thresholds> &thresholds() const;
  std::optional<double> cublas(const course::Gpu &, const course::Step &, const problem::Case &) const;
  void complete(StepPrediction &, const course::Step &, const Machine &) const;

  std::filesystem::path root_;
  const course::Assignment &assignment_;
  std::vector<course::Gpu> gpus_;
  mutable std::mutex reading_;
  mutable std::vector<course::Thresholds> thresholds_;
  std::optional<std::filesystem::path> kept_in_;
  std::uint64_t seed_ = 0;
};

/// Says in the prediction why a call was not sampled. Returns whether another attempt would end alike.
bool explain(StepPrediction &, const grading::NotSampled &, Predictor::Effort);

}  // namespace warpgrade::predict
