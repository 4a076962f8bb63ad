#include "predict/machine.hpp"

#include <algorithm>
#include <iterator>

namespace warpgrade::predict {

namespace {

constexpr Architecture architectures[] = {
#include "predict/architectures.inc"
};

struct Figure {
  const char *key;
  double Architecture::*to;
};
constexpr Figure figures[] = {
    {"issue", &Architecture::issue},
    {"fp32", &Architecture::fp32},
    {"fp64", &Architecture::fp64},
    {"wavefronts", &Architecture::wavefronts},
    {"l2_bytes", &Architecture::l2_bytes},
    {"fp32_latency", &Architecture::fp32_latency},
    {"shared_latency", &Architecture::shared_latency},
    {"l1_latency", &Architecture::l1_latency},
    {"l2_latency", &Architecture::l2_latency},
    {"dram_latency", &Architecture::dram_latency},
    {"l2_mib", &Architecture::l2_mib},
};
struct WholeFigure {
  const char *key;
  int Architecture::*to;
};
constexpr WholeFigure whole_figures[] = {{"warps", &Architecture::warps},
                                         {"blocks", &Architecture::blocks},
                                         {"shared_kib", &Architecture::shared_kib}};

}  // namespace

double Machine::dram_gb_per_s(double read) const {
  const double of_reads = 1 / dram_read_share, of_writes = std::max(of_reads, 2 / dram_copy_share - of_reads);
  return gpu.memory_gb_per_s / (read * of_reads + (1 - read) * of_writes);
}

std::optional<Machine> machine_of(const course::Gpu &gpu) {
  const auto *found =
      std::find_if(std::begin(architectures), std::end(architectures),
                   [&](const Architecture &a) { return gpu.compute_capability == a.compute_capability; });
  const bool known = found != std::end(architectures);
  bool complete = true;
  const auto measured = [&](const char *key) {
    const auto figure = gpu.measured.find(key);
    if (figure != gpu.measured.end()) return std::optional(figure->second);
    complete = false;
    return std::optional<double>();
  };
  Machine machine;
  machine.gpu = gpu;
  if (known) machine.architecture = *found;
  Architecture &a = machine.architecture;
  for (const Figure &f : figures) a.*f.to = measured(f.key).value_or(a.*f.to);
  for (const WholeFigure &c : whole_figures) a.*c.to = static_cast<int>(measured(c.key).value_or(a.*c.to));
  // wmma is not all that tensor cores can do, so it is only used where nothing else is known.
  const std::optional<double> wmma = measured("mma_flops");
  if (!known) a.tensor_flops = wmma.value_or(0);
  machine.clock_mhz = measured("clock_mhz").value_or(gpu.clock_mhz);
  const auto share = [&](const char *key, double known_share) {
    const std::optional<double> rate = measured(key);
    return rate ? *rate / gpu.memory_gb_per_s : known_share;
  };
  machine.dram_read_share = share("dram_read_gb_per_s", machine.dram_read_share);
  machine.dram_copy_share = share("dram_copy_gb_per_s", machine.dram_copy_share);
  if (!known && !complete) return std::nullopt;
  return machine;
}

}  // namespace warpgrade::predict
