// NVML, loaded at run time: the GPU's clocks, temperature, power, energy, and throttle reasons.
#pragma once

#include <optional>
#include <string>

#include "gpu/referee.hpp"

namespace warpgrade::gpu {

class Nvml {
 public:
  /// Never throws: without NVML, read() returns nothing and why() says so.
  Nvml(const std::string &library, const std::string &pci_bus_id);
  std::optional<GpuState> read() const;
  /// That compute on the GPU now, as far as they can be seen from here; -1 if NVML does not say.
  int processes() const;
  /// That the GPU has used since its driver was loaded; none where it does not count.
  std::optional<double> joules() const;
  const std::string &why() const { return why_; }

 private:
  using Device = void *;
  std::string open(const std::string &library, const std::string &pci_bus_id);
  int (*init_)() = nullptr;
  int (*by_bus_id_)(const char *, Device *) = nullptr;
  int (*clock_)(Device, int, unsigned *) = nullptr;
  int (*temperature_)(Device, int, unsigned *) = nullptr;
  int (*power_)(Device, unsigned *) = nullptr;
  int (*reasons_)(Device, unsigned long long *) = nullptr;
  int (*energy_)(Device, unsigned long long *) = nullptr;
  int (*processes_)(Device, unsigned *, void *) = nullptr;
  Device device_ = nullptr;
  std::string why_;
};

}  // namespace warpgrade::gpu
