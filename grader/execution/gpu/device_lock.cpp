#include "gpu/device_lock.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <optional>
#include <system_error>
#include <utility>

#include "base/lock.hpp"
#include "gpu/child_process.hpp"

namespace warpgrade::gpu {

namespace {

/// Another user may have made it, in a folder where only owners may open for writing; locking needs no more
/// than reading.
int open_file(const std::string &path) {
  constexpr int plain = O_RDONLY | O_CLOEXEC | O_NOFOLLOW;
  int file = ::open(path.c_str(), plain);
  if (file < 0 && errno == ENOENT) {
    file = ::open(path.c_str(), plain | O_CREAT, 0644);
    // Whatever this process keeps to itself otherwise (umask), everybody takes turns on the GPU. Where
    // another user was first, this fails, and they have done it.
    if (file >= 0) ::fchmod(file, 0644);
  }
  if (file < 0) throw std::system_error(errno, std::generic_category(), "opening the lock file " + path);
  return file;
}

}  // namespace

std::string lock_name(const DeviceInfo &device) {
  std::string name = "gpu-" + device.pci_bus_id;
  for (auto &letter : name)
    if (std::isalnum(static_cast<unsigned char>(letter)) == 0) letter = '-';
  return name;
}

DeviceLock::DeviceLock(const std::string &directory, std::vector<DeviceInfo> devices, double wait_seconds,
                       Use use) {
  const double deadline = now() + wait_seconds;
  // In one order for everybody, or two that want the same GPUs would wait for each other.
  std::ranges::sort(devices, {}, lock_name);
  std::vector<Descriptor> held;
  for (const DeviceInfo &device : devices) {
    const std::string name = lock_name(device);
    const Descriptor gate(open_file(directory + "/" + name + ".gate"));
    Descriptor gpu(open_file(directory + "/" + name + ".lock"));
    // Everybody passes the gate one by one, and who wants the GPU alone stays in it until the others have left.
    if (!lock_file(gate.get(), Lock::alone, deadline - now())) return;
    if (!lock_file(gpu.get(), use == Use::alone ? Lock::alone : Lock::shared, deadline - now())) return;
    held.push_back(std::move(gpu));
  }
  files_ = std::move(held);
}

run::Run replay_beside_others(Replay &replay, const plan::LaunchPlan &plan,
                              const std::vector<run::HostBuffer> &inputs, Company &company) {
  const auto run_with = [&](DeviceLock::Use use) {
    std::optional<DeviceLock> place;
    if (!company.directory.empty())
      place.emplace(company.directory, replay.devices(), company.wait_seconds, use);
    const double begin = now();
    run::Run run = replay.replay(plan, inputs);
    company.spent_seconds += now() - begin;
    return run;
  };
  run::Run run = run_with(DeviceLock::Use::together);
  if (run.end != run::End::device_error || company.directory.empty() || company.fails_alone) return run;
  run = run_with(DeviceLock::Use::alone);
  company.fails_alone = run.end == run::End::device_error;
  return run;
}

}  // namespace warpgrade::gpu
