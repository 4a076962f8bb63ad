#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>
#include <charconv>

#include "course/assignment.hpp"
#include "course/read_case.hpp"
#include "course/yaml.hpp"

namespace warpgrade::course {

namespace {

/// "3000" or "0.25 cublas".
Threshold read_threshold(const Yaml &y, const Step &step) {
  const std::string_view unit = step.problem->rate_unit();
  const bool product = step.problem->is_product();
  const std::string wanted =
      fmt::format("{} such as 3000{}", unit, product ? ", or a share such as 0.25 cublas" : "");
  const std::string text = y.text();
  Threshold t;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), t.value);
  const std::string_view rest(end, static_cast<std::size_t>(text.data() + text.size() - end));
  t.of_cublas = rest == " cublas";
  if (error != std::errc() || (!rest.empty() && !t.of_cublas) || !(t.value > 0) || t.value > 1e9)
    y.fail(fmt::format("'{}' is no threshold; accepted: {}", text, wanted));
  if (t.of_cublas && !product)
    y.fail(fmt::format("cuBLAS has no {}, so there is no share of it; accepted: {}", step.problem->name(),
                       wanted));
  return t;
}

[[noreturn]] void fail_unknown_step(const Yaml &y, const std::string &id, const Assignment &a) {
  std::vector<std::string> ids;
  for (const Step &s : a.steps) ids.push_back(s.id);
  y.fail(fmt::format("there is no step '{}' (there are: {})", id, fmt::join(ids, ", ")));
}

void check_steps(const Yaml &steps, const Thresholds &t, const Assignment &a) {
  for (const Step &s : a.steps)
    if (s.points.fast > 0 && !t.find(s.id))
      steps.fail(fmt::format("step '{}' gives {:g} points for speed and has no threshold here", s.id,
                             s.points.fast));
}

Thresholds read_one(const std::filesystem::path &file, const Assignment &a) {
  const Yaml y = Yaml::read(file);
  y.expect_keys({"gpu", "steps"});
  Thresholds t;
  t.file = file.filename().string();
  const Yaml gpu = y.at("gpu");
  gpu.expect_keys({"match", "peak_gflops", "memory_gb_per_s"});
  t.match = gpu.at("match").text();
  if (const auto peak = gpu.find("peak_gflops")) t.peak_gflops = peak->real(1, 1e9);
  if (const auto memory = gpu.find("memory_gb_per_s")) t.memory_gb_per_s = memory->real(1, 1e9);
  const Yaml steps = y.at("steps");
  for (const auto &[id, entry] : steps.entries()) {
    const Step *step = a.find_step(id);
    if (!step) fail_unknown_step(entry, id, a);
    entry.expect_keys({"size", "pass", "full"});
    StepThresholds s{id, read_size(entry.at("size"), *step->problem, step->with),
                     read_threshold(entry.at("pass"), *step), read_threshold(entry.at("full"), *step)};
    if (s.pass.of_cublas != s.full.of_cublas)
      entry.at("full").fail(fmt::format("'pass' and 'full' must both be {} or both be shares of cublas",
                                        step->problem->rate_unit()));
    if (!(s.pass.value < s.full.value)) entry.at("full").fail("'full' must be more than 'pass'");
    t.steps.push_back(std::move(s));
  }
  check_steps(steps, t, a);
  return t;
}

}  // namespace

const StepThresholds *Thresholds::find(const std::string &step) const {
  for (const StepThresholds &s : steps)
    if (s.step == step) return &s;
  return nullptr;
}

std::optional<double> Thresholds::peak(std::string_view unit) const {
  if (unit == "GFLOPS") return peak_gflops;
  return unit == "GB/s" ? memory_gb_per_s : std::nullopt;
}

std::vector<Thresholds> read_all_thresholds(const std::filesystem::path &folder, const Assignment &a) {
  const std::filesystem::path fallback = folder / "thresholds" / "default.yaml";
  std::vector<std::filesystem::path> files;
  if (std::filesystem::is_directory(folder / "thresholds"))
    for (const auto &entry : std::filesystem::directory_iterator(folder / "thresholds"))
      if (entry.path().extension() == ".yaml" && entry.path() != fallback) files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  files.push_back(fallback);
  std::vector<Thresholds> all;
  for (const std::filesystem::path &file : files) all.push_back(read_one(file, a));
  return all;
}

Thresholds read_thresholds(const std::filesystem::path &folder, const Assignment &a,
                           const std::string &gpu_name) {
  const std::vector<Thresholds> all = read_all_thresholds(folder, a);
  for (const Thresholds &t : all)
    if (fnmatch(t.match.c_str(), gpu_name.c_str(), 0) == 0) return t;
  return all.back();
}

}  // namespace warpgrade::course
