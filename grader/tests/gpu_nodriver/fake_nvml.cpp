// An NVML without a GPU: it reports what the environment says, for tests of clocks and of throttling.
#include <chrono>
#include <cstdlib>

namespace {
unsigned from_environment(const char *name, unsigned otherwise) {
  const char *text = std::getenv(name);
  return text == nullptr ? otherwise : static_cast<unsigned>(std::strtoul(text, nullptr, 0));
}
}  // namespace

extern "C" {

int nvmlInit_v2() {
  return 0;
}
int nvmlDeviceGetHandleByPciBusId_v2(const char *, void **device) {
  return *device = device, 0;
}
int nvmlDeviceGetClockInfo(void *, int which, unsigned *mhz) {
  return *mhz = which == 1 ? 1980 : 3201, 0;
}
int nvmlDeviceGetTemperature(void *, int, unsigned *celsius) {
  return *celsius = 41, 0;
}
int nvmlDeviceGetPowerUsage(void *, unsigned *milliwatts) {
  return *milliwatts = 345600, 0;
}
int nvmlDeviceGetCurrentClocksThrottleReasons(void *, unsigned long long *reasons) {
  return *reasons = from_environment("PAPER_THROTTLE_REASONS", 0), 0;
}

/// PAPER_WATTS all the time; without them, energy is not counted.
int nvmlDeviceGetTotalEnergyConsumption(void *, unsigned long long *millijoules) {
  const unsigned watts = from_environment("PAPER_WATTS", 0);
  const std::chrono::duration<double> time = std::chrono::steady_clock::now().time_since_epoch();
  constexpr double advances_a_second = 200;
  *millijoules = static_cast<unsigned long long>(
      static_cast<unsigned long long>(time.count() * advances_a_second) * (watts * 1000 / advances_a_second));
  return watts == 0 ? 3 : 0;
}

int nvmlDeviceGetComputeRunningProcesses(void *, unsigned *count, void *) {
  *count = from_environment("PAPER_PROCESSES", 0);
  return *count > 0 ? 7 : 0;  // too little room
}

}  // extern "C"
