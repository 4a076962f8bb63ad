#include "predict/machine.hpp"

#include <algorithm>
#include <iterator>

namespace warpgrade::predict {

namespace {

constexpr Architecture architectures[] = {
#include "predict/architectures.inc"
};

}  // namespace

std::optional<Machine> machine_of(const course::Gpu &gpu) {
  const auto *found =
      std::find_if(std::begin(architectures), std::end(architectures),
                   [&](const Architecture &a) { return gpu.compute_capability == a.compute_capability; });
  if (found == std::end(architectures)) return std::nullopt;
  return Machine{gpu, *found};
}

}  // namespace warpgrade::predict
