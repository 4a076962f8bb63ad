// GPUs that courses use, as NVIDIA describes them: one file each, assignments/gpus/<id>.yaml, to which
// thresholds and rooflines refer. Throws ConfigError with file and line.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace warpgrade::course {

struct Gpu {
  std::string id;                  ///< the file's name without ending: "nvidia-h200"
  std::string name;                ///< for people: "NVIDIA H200"
  std::string match;               ///< of the name that CUDA reports; * stands for any characters
  std::string compute_capability;  ///< "9.0"
  int multiprocessors = 0;
  double clock_mhz = 0;    ///< the clock that the peak assumes
  double peak_gflops = 0;  ///< single precision, without tensor cores
  /// Half precision with sums in single precision, on tensor cores, without sparsity; nothing if it is
  /// unknown.
  std::optional<double> tensor_gflops;
  /// GFLOPS of tensor cores by the type of the factors (tensor_types), without sparsity; only known
  /// figures.
  std::map<std::string, double> tensor;
  double memory_gb_per_s = 0;  ///< of device memory
  std::string source;          ///< where the figures come from
  ///< measured by `gradebook calibrate --machine`, by name (gpu_figures()); empty in most files
  std::map<std::string, double> measured;
  bool operator==(const Gpu &) const = default;
};

/// The types that a file may have under `tensor`.
inline constexpr std::string_view tensor_types[] = {"f16", "bf16", "tf32", "s8", "fp8", "f64"};

/// A figure that a file may have under `measured`.
struct GpuFigure {
  std::string_view key;
  double least = 0, most = 0;
};
const std::vector<GpuFigure> &gpu_figures();

/// One file.
Gpu read_gpu(const std::filesystem::path &file);

/// The GPUs of `assignments`/gpus and those that this build knows, in case the course has no such folder or
/// fewer files; sorted by id. A file of the folder overrides a known GPU.
std::vector<Gpu> read_gpus(const std::filesystem::path &assignments);

/// The files of `assignments`/gpus that this build does not know in exactly this form: a course must include
/// them wherever it is copied.
std::vector<std::filesystem::path> own_gpu_files(const std::filesystem::path &assignments);

/// Ids and texts of the files that were in assignments/gpus when this was built.
const std::vector<std::pair<std::string, std::string>> &known_gpus();

/// The GPU with this id, or the first whose `match` fits this name; nullptr when there is none.
const Gpu *find_gpu(const std::vector<Gpu> &, const std::string &id_or_name);

}  // namespace warpgrade::course
