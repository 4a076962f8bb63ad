#include "gpu/nvml.hpp"

#include <dlfcn.h>

namespace warpgrade::gpu {

Nvml::Nvml(const std::string &library, const std::string &pci_bus_id) : why_(open(library, pci_bus_id)) {}

std::string Nvml::open(const std::string &library, const std::string &pci_bus_id) {
  void *handle = ::dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) return "NVML (" + library + ") is missing: clocks and temperature are unknown";
  const auto find = [&](auto &member, const char *name) {
    member = reinterpret_cast<std::remove_reference_t<decltype(member)>>(::dlsym(handle, name));
    return member != nullptr;
  };
  if (!find(init_, "nvmlInit_v2") || !find(by_bus_id_, "nvmlDeviceGetHandleByPciBusId_v2") ||
      !find(clock_, "nvmlDeviceGetClockInfo") || !find(temperature_, "nvmlDeviceGetTemperature") ||
      !find(power_, "nvmlDeviceGetPowerUsage") ||
      !find(reasons_, "nvmlDeviceGetCurrentClocksThrottleReasons"))
    return "NVML (" + library + ") is too old";
  find(energy_, "nvmlDeviceGetTotalEnergyConsumption");
  find(processes_, "nvmlDeviceGetComputeRunningProcesses");
  if (const int status = init_(); status != 0) return "NVML does not start: status " + std::to_string(status);
  if (const int status = by_bus_id_(pci_bus_id.c_str(), &device_); status != 0) {
    device_ = nullptr;
    return "NVML does not know the GPU " + pci_bus_id + ": status " + std::to_string(status);
  }
  return "";
}

int Nvml::processes() const {
  constexpr int success = 0, no_room = 7;  // there is no room for any of them: the count is what we ask for
  if (device_ == nullptr || processes_ == nullptr) return -1;
  unsigned count = 0;
  const int status = processes_(device_, &count, nullptr);
  return status == success || status == no_room ? static_cast<int>(count) : -1;
}

std::optional<double> Nvml::joules() const {
  unsigned long long millijoules = 0;
  if (device_ == nullptr || energy_ == nullptr || energy_(device_, &millijoules) != 0) return std::nullopt;
  return static_cast<double>(millijoules) * 1e-3;
}

std::optional<GpuState> Nvml::read() const {
  constexpr int sm_clock = 1, memory_clock = 2, on_the_chip = 0;
  if (device_ == nullptr) return std::nullopt;
  unsigned sm = 0, memory = 0, celsius = 0, milliwatts = 0;
  unsigned long long reasons = 0;
  if (clock_(device_, sm_clock, &sm) != 0) return std::nullopt;
  // What a GPU does not tell stays zero.
  clock_(device_, memory_clock, &memory);
  temperature_(device_, on_the_chip, &celsius);
  power_(device_, &milliwatts);
  reasons_(device_, &reasons);
  return GpuState{static_cast<std::int32_t>(sm), static_cast<std::int32_t>(memory),
                  static_cast<std::int32_t>(celsius), milliwatts * 1e-3, reasons};
}

}  // namespace warpgrade::gpu
