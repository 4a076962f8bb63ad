// One measurement on a GPU at a time, in any process, and nothing else next to it.
#pragma once

#include <string>
#include <vector>

#include "gpu/gpu.hpp"

namespace warpgrade::gpu {

/// The beginning of the names of a GPU's files, the same for every process: "gpu-0000-17-00-0".
std::string lock_name(const DeviceInfo &);

/// Holds one GPU or several: alone, to measure, or shared with others, for untimed runs. Uses files in `directory`,
/// which all graders of a machine share; a process that ends releases its locks.
class DeviceLock {
 public:
  enum class Use { alone, together };
  /// Waits until it has the GPU or `wait_seconds` are over (then held() is false). A process that waits to
  /// have it alone goes before all later ones.
  /// throws std::system_error if a file can't be opened
  DeviceLock(const std::string &directory, const DeviceInfo &device, double wait_seconds,
             Use use = Use::alone)
      : DeviceLock(directory, std::vector<DeviceInfo>{device}, wait_seconds, use) {}
  /// The same for all of them: held only together.
  DeviceLock(const std::string &directory, std::vector<DeviceInfo> devices, double wait_seconds,
             Use use = Use::alone);
  bool held() const { return !files_.empty(); }

 private:
  std::vector<Descriptor> files_;  ///< of each GPU; none if one could not be had
};

/// Runs of one submission beside other graders' runs.
struct Company {
  std::string directory;     ///< of the lock files; empty: nobody else uses the GPU
  double wait_seconds = 0;   ///< for the GPU
  double spent_seconds = 0;  ///< grows by the time of the runs, without that of waiting for the GPU
  bool fails_alone = false;  ///< a run ended with an error of the device with nobody else there
};

/// Replays a plan beside other graders' runs, but not beside a measurement. A neighbour that hangs can end
/// everything that runs on the GPU, so a run that ends with an error of the device is repeated alone, and the
/// repetition counts. A submission that fails alone too is believed from then on, because others wait while
/// one has the GPU alone.
run::Run replay_beside_others(Replay &, const plan::LaunchPlan &, const std::vector<run::HostBuffer> &inputs,
                              Company &);

}  // namespace warpgrade::gpu
