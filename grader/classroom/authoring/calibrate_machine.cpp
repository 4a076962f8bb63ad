#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <nlohmann/json.hpp>

#include "authoring/authoring.hpp"
#include "authoring/calibrate.hpp"
#include "gpu/device_lock.hpp"
#include "gpu/retired.hpp"
#include "setup/files.hpp"

namespace warpgrade::authoring {

namespace {

constexpr double patience = 600;  ///< seconds for others who measure on the GPU

/// Four digits, without an exponent: the YAML reader takes none.
std::string digits(double v) {
  const int before = static_cast<int>(std::floor(std::log10(v))) + 1;
  return fmt::format("{:.{}f}", v, std::clamp(4 - before, 0, 9));
}

/// Text that a YAML reader takes as it is.
std::string quoted(const std::string &text) {
  return nlohmann::json(text).dump();
}

/// The lines of a file about the peaks of tensor cores.
std::string tensor_peaks(const course::Gpu &g) {
  std::string text = g.tensor_gflops ? fmt::format("tensor_gflops: {}\n", digits(*g.tensor_gflops)) : "";
  std::vector<std::string> types;
  for (const auto &[type, peak] : g.tensor) types.push_back(fmt::format("{}: {}", type, digits(peak)));
  if (!types.empty()) text += fmt::format("tensor: {{{}}}\n", fmt::join(types, ", "));
  return text;
}

/// A GPU that no file describes: what its driver says, and the peak that follows.
course::Gpu described_by_driver(const gpu::DeviceInfo &gpu, const std::vector<gpu::Figure> &figures) {
  course::Gpu g;
  g.name = g.match = gpu.name;
  g.clock_mhz = gpu.properties.clock_khz * 1e-3;
  double lanes = 128;
  for (const gpu::Figure &f : figures) {
    if (f.key == "fp32") lanes = 32 * std::max(1.0, std::round(f.value));
    if (f.key == "dram_read_gb_per_s") g.memory_gb_per_s = std::ceil(f.value);
    if (f.key == "clock_mhz" && g.clock_mhz == 0) g.clock_mhz = f.value;
  }
  g.peak_gflops = gpu.multiprocessors * lanes * 2e-3 * g.clock_mhz;
  g.source =
      fmt::format("driver {}: {} multiprocessors at {:.0f} MHz; peak: 2 operations in each of {:.0f} lanes",
                  gpu.driver_version, gpu.multiprocessors, g.clock_mhz, lanes);
  const double pins = gpu.properties.memory_clock_khz * 1e3 * 2 * gpu.properties.memory_bus_bits / 8 / 1e9;
  if (pins > 0) g.memory_gb_per_s = pins;
  g.source += pins > 0 ? "; memory: twice its clock times the width of its bus" : "; memory: as measured";
  return g;
}

gpu::DeviceInfo the_gpu() {
  const gpu::DeviceQuery query = gpu::query_devices();
  std::string why = query.why_none;
  for (const gpu::DeviceInfo &device : query.devices) {
    why = gpu::why_retired(std::filesystem::temp_directory_path().string(), device);
    if (why.empty()) return device;
  }
  throw UsageError("microbenchmarks need a GPU, and none is usable here: " + why);
}

void warn(const std::string &sentence) {
  fmt::print(stderr, "warning: {}\n", sentence);
}

/// Figures that no reader of the file would accept have failed.
void leave_out_failures(std::vector<gpu::Figure> &figures) {
  std::erase_if(figures, [](const gpu::Figure &f) {
    for (const course::GpuFigure &known : course::gpu_figures())
      if (known.key == f.key && known.least <= f.value && f.value <= known.most) return false;
    warn(fmt::format("{} is left out: measured as {}, which is impossible", f.key, f.value));
    return true;
  });
}

void warn_about(const gpu::Prober &prober, const std::vector<gpu::Figure> &figures, double expected_mhz) {
  if (const auto others = prober.other_processes(); others && *others > 0)
    warn(fmt::format("{} other process{} this GPU; measure again when it is free", *others,
                     *others == 1 ? " uses" : "es use"));
  for (const std::string &doubt : gpu::doubts(figures)) warn(doubt);
  const auto &state = prober.state();
  if (const std::string why = state ? gpu::throttle_reasons(*state) : std::string(); !why.empty())
    warn("the GPU ran below its clocks: " + why);
  for (const gpu::Figure &f : figures)
    if (f.key == "clock_mhz" && f.value < 0.95 * expected_mhz)
      warn(fmt::format("under load the clock was {:.0f} MHz, not {:.0f}", f.value, expected_mhz));
}

}  // namespace

std::string machine_yaml(const course::Gpu *described, const gpu::DeviceInfo &gpu, int blocks,
                         const std::vector<gpu::Figure> &figures, const std::string &date) {
  const course::Gpu g = described ? *described : described_by_driver(gpu, figures);
  std::string text = fmt::format(
      "# One {} as `gradebook calibrate --machine` found it. Predictions use what is under `measured`; "
      "thresholds and\n"
      "# rooflines use the figures above it.\n"
      "name: {}\nmatch: {}\n"
      "compute_capability: \"{}.{}\"  # says the driver\n"
      "multiprocessors: {}  # says the driver\n"
      "clock_mhz: {}\npeak_gflops: {}\n{}memory_gb_per_s: {}\nsource: {}\n"
      "measured:\n  source: {}\n",
      gpu.name, quoted(g.name), quoted(g.match), gpu.major, gpu.minor, gpu.multiprocessors,
      digits(g.clock_mhz), digits(g.peak_gflops), tensor_peaks(g), digits(g.memory_gb_per_s),
      quoted(g.source),
      quoted(
          fmt::format("measured by gradebook calibrate --machine, {}, driver {}", date, gpu.driver_version)));
  for (const gpu::Figure &f : figures) {
    text += fmt::format("  {}: {}  # {}; ", f.key, digits(f.value), f.how);
    if (f.clock_mhz > 0 && f.key != "clock_mhz") text += fmt::format("at {:.0f} MHz, ", f.clock_mhz);
    text += fmt::format("varies by {:.1f} %\n", 100 * f.spread);
  }
  const auto limit = [&](const char *key, double value, const char *what) {
    if (value > 0) text += fmt::format("  {}: {:g}  # {}, says the driver\n", key, value, what);
  };
  const plan::DeviceProperties &p = gpu.properties;
  limit("warps", p.max_threads_per_multiprocessor / 32, "on a multiprocessor at most");
  limit("blocks", blocks, "on a multiprocessor at most");
  limit("shared_kib", std::floor(static_cast<double>(p.shared_bytes_per_multiprocessor) / 1024),
        "of a multiprocessor");
  limit("l2_mib", static_cast<double>(p.l2_bytes) / (1 << 20), "of the GPU");
  return text;
}

int calibrate_machine(const MachineOptions &w) {
  const gpu::DeviceInfo device = the_gpu();
  const gpu::DeviceLock alone(std::filesystem::temp_directory_path().string(), device, patience);
  if (!alone.held())
    throw UsageError(fmt::format("another process has been measuring on {} for {:.0f} s; try again later",
                                 device.name, patience));
  const auto begin = std::chrono::steady_clock::now();
  gpu::Prober prober(device);
  std::vector<gpu::Figure> figures = gpu::measure_figures(
      device, [&](const gpu::Probe &p) { return prober.run(p); },
      [](const std::string &what) { fmt::print(stderr, "measuring {}\n", what); });
  leave_out_failures(figures);
  const std::filesystem::path root = w.out.empty() ? find_root() : std::filesystem::path();
  const std::vector<course::Gpu> known = course::read_gpus(root / "assignments");
  const course::Gpu *described = course::find_gpu(known, device.name);
  warn_about(prober, figures, described ? described->clock_mhz : 0);
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
  fmt::print(stderr, "{} figures of {} in {:.0f} s\n", figures.size(), device.name, seconds.count());
  const std::string id = described ? described->id : file_stem(device.name);
  const std::filesystem::path file =
      !w.out.empty() ? std::filesystem::path(w.out)
                     : std::filesystem::relative(root / "assignments" / "gpus" / (id + ".yaml"));
  const std::string text =
      machine_yaml(described, device, prober.blocks_per_multiprocessor(), figures, today());
  if (!write_after_a_look(file, text, w.yes)) return below;
  fmt::print("{} is written; './grade predict STEP --gpu {}' uses it.\n", file.string(), file.string());
  return full_score;
}

}  // namespace warpgrade::authoring
