// Runs kernels that clang has compiled with the headers of build/include on the simulator.
#pragma once

#include <cstring>
#include <fstream>
#include <map>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "machine/device.hpp"

namespace warpgrade::tests {

/// The module of `file`.cu, read once.
inline const std::shared_ptr<const ptx::Module> &module_of(const std::string &file) {
  static std::map<std::string, std::shared_ptr<const ptx::Module>> modules;
  auto &module = modules[file];
  if (!module) {
    std::ostringstream text;
    text << std::ifstream(std::string(WARPGRADE_COMPILED) + "/" + file + ".ptx").rdbuf();
    module = std::make_shared<const ptx::Module>(ptx::parse(text.str()));
  }
  return module;
}

/// out = kernel(a, b, out), one thread an element, blocks of at most 32 threads; all three arrays have as
/// many elements as `a`.
template <class To, class From>
std::vector<To> launch(const std::string &file, const std::string &kernel, const std::vector<From> &a,
                       const std::vector<From> &b) {
  simt::Device device{simt::Options{}};
  device.load(module_of(file));
  std::vector<To> out(a.size());
  const simt::Address from_a = device.allocate(a.size() * sizeof(From), "a"),
                      from_b = device.allocate(a.size() * sizeof(From), "b"),
                      to = device.allocate(out.size() * sizeof(To), "out");
  device.write(from_a, std::as_bytes(std::span(a)));
  device.write(from_b, std::as_bytes(std::span(b)));
  device.write(to, std::as_bytes(std::span(out)));
  simt::Launch launch;
  launch.kernel = kernel;
  const auto threads = static_cast<std::uint32_t>(a.size() < 32 ? a.size() : 32);
  launch.block = {threads, 1, 1};
  launch.grid = {static_cast<std::uint32_t>(a.size()) / threads, 1, 1};
  launch.arguments.resize(24);
  std::memcpy(&launch.arguments[0], &from_a, 8);
  std::memcpy(&launch.arguments[8], &from_b, 8);
  std::memcpy(&launch.arguments[16], &to, 8);
  const simt::LaunchResult result = device.launch(launch);
  if (result.status != simt::Status::completed)
    throw std::runtime_error(kernel + ": " + std::string(simt::name_of(result.status)) + " " +
                             (result.diagnostics.empty() ? "" : result.diagnostics.back().message));
  device.read(to, std::as_writable_bytes(std::span(out)));
  return out;
}
template <class T>
std::vector<T> apply(const std::string &file, const std::string &kernel, const std::vector<T> &a,
                     const std::vector<T> &b) {
  return launch<T, T>(file, kernel, a, b);
}

}  // namespace warpgrade::tests
