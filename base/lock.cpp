#include "base/lock.hpp"

#include <sys/file.h>

#include <cerrno>
#include <chrono>
#include <system_error>
#include <thread>

namespace warpgrade {

bool lock_file(int descriptor, Lock lock, double seconds) {
  using Clock = std::chrono::steady_clock;
  const auto end = Clock::now() + std::chrono::duration<double>(seconds);
  while (::flock(descriptor, (lock == Lock::alone ? LOCK_EX : LOCK_SH) | LOCK_NB) != 0) {
    if (errno == ENOLCK)
      throw std::system_error(errno, std::generic_category(),
                              "this file system cannot lock files; use a folder on a local disk");
    if (errno != EWOULDBLOCK && errno != EINTR)
      throw std::system_error(errno, std::generic_category(), "a file cannot be locked");
    if (Clock::now() >= end) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return true;
}

}  // namespace warpgrade
