#include "course/gpu.hpp"

#include <fnmatch.h>

#include <algorithm>
#include <iterator>
#include <map>

#include "base/files.hpp"
#include "course/yaml.hpp"

namespace warpgrade::course {

namespace fs = std::filesystem;

namespace {

std::map<std::string, double> read_measured(const Yaml &y) {
  std::vector<std::string_view> keys = {"source"};
  for (const GpuFigure &f : gpu_figures()) keys.push_back(f.key);
  y.expect_keys(keys);
  y.at("source").text();  // no figure without one
  std::map<std::string, double> figures;
  for (const GpuFigure &f : gpu_figures())
    if (const auto value = y.find(f.key)) figures.emplace(f.key, value->real(f.least, f.most));
  return figures;
}

std::map<std::string, double> read_tensor(const Yaml &y) {
  y.expect_keys(std::vector(std::begin(tensor_types), std::end(tensor_types)));
  std::map<std::string, double> peaks;
  for (const std::string_view type : tensor_types)
    if (const auto value = y.find(type)) peaks.emplace(type, value->real(1, 1e9));
  return peaks;
}

Gpu read_gpu(const Yaml &y, std::string id) {
  y.expect_keys({"name", "match", "compute_capability", "multiprocessors", "clock_mhz", "peak_gflops",
                 "tensor_gflops", "tensor", "memory_gb_per_s", "source", "measured"});
  Gpu gpu;
  gpu.id = std::move(id);
  gpu.name = y.at("name").text();
  gpu.match = y.at("match").text();
  gpu.compute_capability = y.at("compute_capability").text();
  gpu.multiprocessors = static_cast<int>(y.at("multiprocessors").integer(1, 10000));
  gpu.clock_mhz = y.at("clock_mhz").real(1, 1e5);
  gpu.peak_gflops = y.at("peak_gflops").real(1, 1e9);
  if (const auto tensor = y.find("tensor_gflops")) gpu.tensor_gflops = tensor->real(1, 1e9);
  if (const auto tensor = y.find("tensor")) gpu.tensor = read_tensor(*tensor);
  gpu.memory_gb_per_s = y.at("memory_gb_per_s").real(1, 1e9);
  gpu.source = y.at("source").text();
  if (const auto measured = y.find("measured")) gpu.measured = read_measured(*measured);
  return gpu;
}

std::map<std::string, Gpu> read_known_gpus() {
  std::map<std::string, Gpu> gpus;
  for (const auto &[id, text] : known_gpus()) gpus[id] = read_gpu(Yaml::parse(text, id + ".yaml"), id);
  return gpus;
}

/// Parsed once: a report asks several times.
const std::map<std::string, Gpu> &gpus_of_this_build() {
  static const std::map<std::string, Gpu> gpus = read_known_gpus();
  return gpus;
}

/// A file that is what this program was built with need not be parsed again.
bool is_known(const std::string &id, const fs::path &file) {
  const auto &known = known_gpus();
  const auto found =
      std::find_if(known.begin(), known.end(), [&](const auto &one) { return one.first == id; });
  return found != known.end() && found->second == read_or_empty(file);
}

std::vector<fs::path> gpu_files(const fs::path &assignments) {
  std::vector<fs::path> files;
  if (fs::is_directory(assignments / "gpus"))
    for (const auto &entry : fs::directory_iterator(assignments / "gpus"))
      if (entry.path().extension() == ".yaml") files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace

const std::vector<GpuFigure> &gpu_figures() {
  static const std::vector<GpuFigure> figures = {
#include "course/gpu_figures.inc"
  };
  return figures;
}

Gpu read_gpu(const fs::path &file) {
  return read_gpu(Yaml::read(file), file.stem().string());
}

std::vector<Gpu> read_gpus(const fs::path &assignments) {
  std::map<std::string, Gpu> gpus = gpus_of_this_build();
  for (const fs::path &file : gpu_files(assignments))
    if (const std::string id = file.stem().string(); !is_known(id, file)) gpus[id] = read_gpu(file);
  std::vector<Gpu> sorted;
  for (auto &[id, gpu] : gpus) sorted.push_back(std::move(gpu));
  return sorted;
}

std::vector<fs::path> own_gpu_files(const fs::path &assignments) {
  const std::map<std::string, Gpu> &known = gpus_of_this_build();
  std::vector<fs::path> own;
  for (const fs::path &file : gpu_files(assignments)) {
    const auto found = known.find(file.stem().string());
    if (found == known.end() || !(found->second == read_gpu(file))) own.push_back(file);
  }
  return own;
}

const Gpu *find_gpu(const std::vector<Gpu> &gpus, const std::string &id_or_name) {
  const auto found = std::find_if(gpus.begin(), gpus.end(), [&](const Gpu &gpu) {
    return gpu.id == id_or_name || fnmatch(gpu.match.c_str(), id_or_name.c_str(), 0) == 0;
  });
  return found == gpus.end() ? nullptr : &*found;
}

}  // namespace warpgrade::course
