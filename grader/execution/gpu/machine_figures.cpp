#include "gpu/machine_figures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>
#include <string_view>

#include "base/statistics.hpp"

namespace warpgrade::gpu {

namespace {

constexpr double mib = 1024.0 * 1024.0;
constexpr double much_spread = 0.03;
/// Some GPUs renew their timer once in a microsecond: loops must take much longer for a clock.
constexpr double least_nanoseconds = 5e4;

/// What one step costs in one repeat: the slopes of all lengths.
struct Cost {
  double cycles = 0, nanoseconds = 0, seconds = 0;
  double one = 0;      ///< seconds of the shortest run
  double longest = 0;  ///< nanoseconds of the longest one
  double hertz() const { return longest < least_nanoseconds ? 0 : cycles / nanoseconds * 1e9; }
};

Cost cost_of(const std::vector<ProbeTime> &times, double length) {
  std::vector<double> steps, cycles, nanoseconds, seconds;
  for (const ProbeTime &t : times) {
    steps.push_back(length * static_cast<double>(steps.size() + 1));
    cycles.push_back(t.cycles), nanoseconds.push_back(t.nanoseconds), seconds.push_back(t.seconds);
  }
  return {slope(steps, cycles), slope(steps, nanoseconds), slope(steps, seconds), seconds.front(),
          nanoseconds.back()};
}

/// From what a step costs, and how many operations it is, to a figure.
using Value = double (*)(const Cost &, double operations, double multiprocessors);

double cycles_each(const Cost &c, double operations, double) {
  return c.cycles / operations;
}
double per_cycle(const Cost &c, double operations, double) {
  return operations / c.cycles;
}
/// Where all multiprocessors work together, the events say how long, and the first block's clocks how fast.
double per_cycle_of_all(const Cost &c, double operations, double multiprocessors) {
  return operations / c.seconds / c.hertz() / multiprocessors;
}
double gb_per_s(const Cost &c, double operations, double) {
  return operations / c.seconds / 1e9;
}
double microseconds(const Cost &c, double, double) {
  return 1e6 * c.seconds;
}
double microseconds_of_one(const Cost &c, double, double) {
  return 1e6 * c.one;
}
double mhz(const Cost &c, double, double) {
  return c.hertz() / 1e6;
}

struct Benchmark {
  const char *key;
  Probe probe;
  double operations;  ///< of a step
  Value value;
  std::string how;
};

std::vector<Benchmark> benchmarks_for(const DeviceInfo &gpu) {
  using K = ProbeKernel;
  const auto chips = static_cast<std::uint32_t>(gpu.multiprocessors);
  const auto l2 = static_cast<std::uint64_t>(gpu.properties.l2_bytes);
  constexpr std::uint64_t one_mib = 1 << 20;
  const auto at_most_a_quarter = [&](std::uint64_t bytes) {
    return std::min(bytes, std::bit_floor(std::max<std::uint64_t>(gpu.memory / 4, one_mib)));
  };
  const std::uint64_t stream = at_most_a_quarter(2048 * one_mib), far = at_most_a_quarter(512 * one_mib);
  const std::uint64_t near = std::min(far, 32 * one_mib);
  // A quarter of the L2 cache at most, so that it stays there.
  const std::uint64_t cached = std::bit_floor(std::clamp<std::uint64_t>(l2 / 4, one_mib / 4, 8 * one_mib));
  const std::uint64_t chased = std::min(cached, 2 * one_mib);
  const auto of = [](std::uint64_t n) { return static_cast<double>(n); };
  const auto in_mib = [&](std::uint64_t bytes) { return fmt::format("{:.3g} MiB", of(bytes) / mib); };
  const std::string each = "per cycle and multiprocessor: ";
  constexpr std::uint32_t block = 1024, warps = block / 32, readers = 256, per_chip = 8;
  const std::uint64_t adders = std::uint64_t{4} * chips * readers;
  constexpr double in_warp_step = warps * 8;  // eight independent results in each thread
  std::vector<Benchmark> all = {
      {"clock_mhz",
       {K::many_fp32, chips, block, 0, 1 << 17},
       1,
       mhz,
       "MHz of the multiprocessors while all of them compute FFMAs"},
      {"issue",
       {K::many_issued, 1, block, 0, 2048},
       2 * in_warp_step,
       per_cycle,
       "warp instructions " + each + "FFMAs and integer operations in turn"},
      {"fp32",
       {K::many_fp32, 1, block, 0, 4096},
       in_warp_step,
       per_cycle,
       "warp instructions " + each + "independent FFMAs"},
      {"fp64",
       {K::many_fp64, 1, block, 0, 512},
       in_warp_step,
       per_cycle,
       "warp instructions " + each + "independent DFMAs"},
      {"integer",
       {K::many_integer, 1, block, 0, 2048},
       2 * in_warp_step,
       per_cycle,
       "warp instructions " + each + "additions and exclusive ors in turn"},
      {"special",
       {K::many_special, 1, block, 0, 1024},
       in_warp_step,
       per_cycle,
       "warp instructions " + each + "exponentials of the special function unit"},
      {"wavefronts",
       {K::many_shared, 1, block, 0, 2048},
       in_warp_step,
       per_cycle,
       "of 128 bytes " + each + "loads from shared memory without bank conflicts"},
      {"l2_bytes",
       {K::read, per_chip * chips, readers, cached, 128},
       of(cached),
       per_cycle_of_all,
       "bytes " + each + "all read " + in_mib(cached) + " of the L2 cache again and again"},
      {"l2_bytes_alone",
       {K::read, 1, block, chased, 8},
       of(chased),
       per_cycle,
       "bytes per cycle: the same with one block on one multiprocessor"},
      {"atomics",
       {K::atomics, 4 * chips, readers, adders * 4, 512},
       of(adders),
       per_cycle_of_all,
       "lanes " + each + "atomic additions, each to a word of its own"},
      {"atomics_one_word",
       {K::atomics, 4 * chips, readers, 4, 64},
       of(adders),
       per_cycle_of_all,
       "lanes " + each + "atomic additions of all threads to one word"},
      {"dram_read_gb_per_s",
       {K::read, per_chip * chips, readers, stream, 1, 9, 1},
       of(stream),
       gb_per_s,
       "GB/s: " + in_mib(stream) + " are read"},
      {"dram_copy_gb_per_s",
       {K::copy, per_chip * chips, readers, stream / 2, 1, 9, 1},
       of(stream),
       gb_per_s,
       "GB/s, bytes read and written: " + in_mib(stream / 2) + " are copied"},
      {"fp32_latency",
       {K::chain_fp32, 1, 32, 0, 16384},
       1,
       cycles_each,
       "cycles: a chain of dependent FFMAs"},
      {"fp64_latency", {K::chain_fp64, 1, 32, 0, 4096}, 1, cycles_each, "cycles: a chain of dependent DFMAs"},
      {"integer_latency",
       {K::chain_integer, 1, 32, 0, 8192},
       2,
       cycles_each,
       "cycles: a chain of additions and exclusive ors in turn"},
      {"special_latency",
       {K::chain_special, 1, 32, 0, 4096},
       1,
       cycles_each,
       "cycles: a chain of exponentials of the special function unit"},
      {"shared_latency",
       {K::chain_shared, 1, 1, 0, 4096},
       1,
       cycles_each,
       "cycles: a chain of loads from shared memory"},
      {"l1_latency",
       {K::chain_l1, 1, 1, 16 << 10, 4096},
       1,
       cycles_each,
       "cycles: a chain of loads through 16 KiB, read before"},
      {"l2_latency",
       {K::chain_l2, 1, 1, chased, 2048},
       1,
       cycles_each,
       "cycles: a chain of loads past the first-level cache through " + in_mib(chased) + ", read before"},
      {"dram_latency",
       {K::chain_l2, 1, 1, near, 2048, 9, 1},
       1,
       cycles_each,
       "cycles: the same through " + in_mib(near) + " that no cache holds"},
      {"dram_latency_far",
       {K::chain_l2, 1, 1, far, 2048, 9, 1},
       1,
       cycles_each,
       "cycles: the same through " + in_mib(far) + ", with misses of the address translation"},
      {"barrier_256",
       {K::barrier, 1, 256, 0, 4096},
       1,
       cycles_each,
       "cycles: __syncthreads() of 256 threads"},
      {"barrier_1024",
       {K::barrier, 1, block, 0, 4096},
       1,
       cycles_each,
       "cycles: __syncthreads() of 1024 threads"},
      {"launch_us",
       {K::nothing, 1, 32, 0, 50, 9, 1},
       1,
       microseconds,
       "microseconds: one more launch of an empty kernel after others"},
      {"first_launch_us",
       {K::nothing, 1, 32, 0, 1, 9, 1},
       1,
       microseconds_of_one,
       "microseconds: one launch of an empty kernel between two events"},
  };
  if (gpu.major >= 7) {
    constexpr double flops = 2.0 * 16 * 16 * 16, multiplying = 512.0 / 32, sums = 4;
    all.push_back({"mma_flops",
                   {K::many_tensor, 1, 512, 0, 1024},
                   flops * multiplying * sums,
                   per_cycle,
                   "fp16 operations with fp32 sums " + each + "independent products by wmma"});
    all.push_back({"mma_latency",
                   {K::chain_tensor, 1, 32, 0, 2048},
                   1,
                   cycles_each,
                   "cycles: a chain of 16 x 16 x 16 products by wmma"});
  }
  return all;
}

/// Kernels of one kind can issue more than the mixture does, whose operations get into each other's way on
/// some GPUs.
void raise_issue(std::vector<Figure> &figures) {
  const auto find = [&](std::string_view key) {
    return std::find_if(figures.begin(), figures.end(), [&](const Figure &f) { return f.key == key; });
  };
  const auto issue = find("issue");
  if (issue == figures.end()) return;
  for (const char *kind : {"fp32", "integer"}) {
    const auto other = find(kind);
    if (other == figures.end() || other->value <= issue->value) continue;
    issue->value = other->value, issue->how = other->how;
    issue->spread = other->spread, issue->clock_mhz = other->clock_mhz;
  }
}

}  // namespace

double slope(const std::vector<double> &x, const std::vector<double> &y) {
  const auto n = static_cast<double>(x.size());
  const double mean_x = std::accumulate(x.begin(), x.end(), 0.0) / n;
  const double mean_y = std::accumulate(y.begin(), y.end(), 0.0) / n;
  double both = 0, square = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    both += (x[i] - mean_x) * (y[i] - mean_y);
    square += (x[i] - mean_x) * (x[i] - mean_x);
  }
  return both / square;
}

std::vector<Figure> measure_figures(const DeviceInfo &gpu, const RunProbe &run,
                                    const std::function<void(const std::string &)> &progress,
                                    const std::set<std::string> &only) {
  std::vector<Figure> figures;
  for (const Benchmark &b : benchmarks_for(gpu)) {
    if (!only.empty() && !only.contains(b.key)) continue;
    progress(b.key + (": " + b.how));
    std::vector<double> values, clocks;
    for (const std::vector<ProbeTime> &repeat : run(b.probe)) {
      const Cost cost = cost_of(repeat, b.probe.length);
      values.push_back(b.value(cost, b.operations, gpu.multiprocessors));
      clocks.push_back(cost.hertz() / 1e6);
    }
    Figure f{b.key, quantile(values, 0.5), b.how, 0, quantile(clocks, 0.5)};
    f.spread = (quantile(values, 0.75) - quantile(values, 0.25)) / f.value;
    figures.push_back(f);
  }
  raise_issue(figures);
  return figures;
}

std::vector<std::string> doubts(const std::vector<Figure> &figures) {
  std::vector<std::string> sentences;
  for (const Figure &f : figures) {
    if (!(f.spread > much_spread)) continue;
    sentences.push_back(fmt::format("{} varies by {:.0f} % from one run to the next", f.key, 100 * f.spread));
  }
  return sentences;
}

}  // namespace warpgrade::gpu
