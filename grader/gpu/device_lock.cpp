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

DeviceLock::DeviceLock(const std::string &directory, const DeviceInfo &device, double wait_seconds) {
  std::string name = device.pci_bus_id;
  for (auto &letter : name)
    if (std::isalnum(static_cast<unsigned char>(letter)) == 0) letter = '-';
  const auto path = directory + "/gpu-" + name + ".lock";
  const int file = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
  if (file < 0) throw std::system_error(errno, std::generic_category(), "opening the lock file " + path);
  const double deadline = now() + wait_seconds;
  while (::flock(file, LOCK_EX | LOCK_NB) != 0) {
    if (now() >= deadline) {
      ::close(file);
      return;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  file_ = file;
}

DeviceLock::~DeviceLock() {
  if (file_ >= 0) ::close(file_);  // lets go of the lock too
}

DeviceLock::DeviceLock(DeviceLock &&other) noexcept : file_(std::exchange(other.file_, -1)) {}

}  // namespace warpgrade::gpu
