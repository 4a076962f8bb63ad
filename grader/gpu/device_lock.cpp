#include "gpu/device_lock.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cctype>
#include <cerrno>
#include <chrono>
#include <system_error>
#include <thread>
#include <utility>

#include "gpu/child_process.hpp"

namespace warpgrade::gpu {

namespace {

/// Another user may have made it, in a folder where only owners may open for writing; locking needs no more
/// than reading.
int open_file(const std::string &path) {
  constexpr int plain = O_RDONLY | O_CLOEXEC | O_NOFOLLOW;
  int file = ::open(path.c_str(), plain);
  if (file < 0 && errno == ENOENT) file = ::open(path.c_str(), plain | O_CREAT, 0644);
  if (file < 0) throw std::system_error(errno, std::generic_category(), "opening the lock file " + path);
  return file;
}

bool lock(int file, int how, double deadline) {
  while (::flock(file, how | LOCK_NB) != 0) {
    if (now() >= deadline) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return true;
}

}  // namespace

std::string lock_name(const DeviceInfo &device) {
  std::string name = "gpu-" + device.pci_bus_id;
  for (auto &letter : name)
    if (std::isalnum(static_cast<unsigned char>(letter)) == 0) letter = '-';
  return name;
}

DeviceLock::DeviceLock(const std::string &directory, const DeviceInfo &device, double wait_seconds, Use use) {
  const std::string name = lock_name(device);
  const double deadline = now() + wait_seconds;
  const sandbox::Descriptor gate(open_file(directory + "/" + name + ".gate"));
  sandbox::Descriptor gpu(open_file(directory + "/" + name + ".lock"));
  // Everybody passes the gate one by one, and who wants the GPU alone stays in it until the others have left.
  if (!lock(gate.get(), LOCK_EX, deadline)) return;
  if (!lock(gpu.get(), use == Use::alone ? LOCK_EX : LOCK_SH, deadline)) return;
  file_ = std::move(gpu);
}

}  // namespace warpgrade::gpu
