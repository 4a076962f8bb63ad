// Kernels with labels (labels.cuh), run on the simulator.
#pragma once

#include <cstring>
#include <fstream>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "machine/device.hpp"

namespace warpgrade::tests {

struct Labelled {
  std::string name;    ///< without label and shape
  std::string symbol;  ///< of the kernel
  bool racy = false;
  std::uint32_t blocks = 1, threads = 1;
};

inline std::shared_ptr<const ptx::Module> read_module(const std::string &file) {
  std::ifstream in(file);
  if (!in) throw std::runtime_error("cannot read " + file);
  std::stringstream text;
  text << in.rdbuf();
  return std::make_shared<const ptx::Module>(ptx::parse(text.str()));
}

/// Each kernel of the module; its name says the label and the shape: "racy_2_32_name".
inline std::vector<Labelled> labelled(const ptx::Module &module) {
  std::vector<Labelled> all;
  for (const ptx::Function &function : module.functions) {
    if (!function.entry) continue;
    std::istringstream parts(function.name);
    std::string label, blocks, threads;
    std::getline(parts, label, '_');
    std::getline(parts, blocks, '_');
    std::getline(parts, threads, '_');
    Labelled one;
    std::getline(parts, one.name);
    one.symbol = function.name;
    one.racy = label == "racy";
    one.blocks = static_cast<std::uint32_t>(std::stoul(blocks));
    one.threads = static_cast<std::uint32_t>(std::stoul(threads));
    all.push_back(one);
  }
  return all;
}

/// What one launch on the arrays of labels.cuh gives.
inline simt::LaunchResult run_labelled(const std::shared_ptr<const ptx::Module> &module, const Labelled &one,
                                       simt::Options options = {}) {
  constexpr int n = 128;
  constexpr std::size_t words = 1024;
  std::vector<int> row{0}, col;
  for (int v = 0; v < n; ++v) {
    for (int w = 0; w < n; ++w)
      if (w != v && (v < 2 || w < 2 || (v + w) % 9 == 0)) col.push_back(w);
    row.push_back(static_cast<int>(col.size()));
  }
  options.stop_at_first = false;
  options.instruction_budget = 2'000'000;
  simt::Device device(options);
  device.load(module);
  simt::Launch launch{one.symbol, {one.blocks, 1, 1}, {one.threads, 1, 1}, 0, std::vector<std::byte>(44)};
  launch.cooperative = one.name.starts_with("cooperative_");
  if (one.name.starts_with("cluster_")) launch.cluster = {2, 1, 1};
  std::vector<simt::Address> arguments;
  for (const char *name : {"a", "b", "c"}) {
    arguments.push_back(device.allocate(words * 4, name));
    device.fill(arguments.back(), std::byte{0}, words * 4);
  }
  const auto give = [&](const std::vector<int> &values, const char *name) {
    arguments.push_back(device.allocate(values.size() * 4, name));
    device.write(arguments.back(), std::as_bytes(std::span(values)));
  };
  give(row, "row");
  give(col, "col");
  std::memcpy(launch.arguments.data(), arguments.data(), 40);
  std::memcpy(launch.arguments.data() + 40, &n, 4);
  return device.launch(launch);
}

inline bool reports_race(const simt::LaunchResult &result) {
  for (const simt::Diagnostic &one : result.diagnostics)
    if (simt::is_about_order(one.code) && one.severity != simt::Severity::info) return true;
  return false;
}

}  // namespace warpgrade::tests
