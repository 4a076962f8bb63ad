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
  Machine machine{gpu, known ? *found : Architecture{}, 0, {}};
  Architecture &a = machine.architecture;
  for (const Figure &f : figures) a.*f.to = measured(f.key).value_or(a.*f.to);
  for (const WholeFigure &c : whole_figures) a.*c.to = static_cast<int>(measured(c.key).value_or(a.*c.to));
  // wmma is not all that tensor cores can do, so it is only used where nothing else is known.
  const std::optional<double> wmma = measured("mma_flops");
  if (!known) a.tensor_flops = wmma.value_or(0);
  machine.clock_mhz = measured("clock_mhz").value_or(gpu.clock_mhz);
  machine.dram_gb_per_s = measured("dram_read_gb_per_s");
  if (!known && !complete) return std::nullopt;
  return machine;
}

}  // namespace warpgrade::predict
