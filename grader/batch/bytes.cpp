#include "batch/bytes.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

namespace warpgrade::batch {

namespace {

[[noreturn]] void fail(const std::filesystem::path &path, int error) {
  throw std::system_error(error, std::generic_category(), path.string());
}

}  // namespace

std::size_t MemoryBytes::read(std::uint64_t offset, std::span<char> out) const {
  if (offset >= bytes_.size()) return 0;
  return bytes_.copy(out.data(), out.size(), offset);
}

// Without O_NONBLOCK, opening a FIFO that somebody put there waits for ever.
FileBytes::FileBytes(const std::filesystem::path &path)
    : path_(path), descriptor_(::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)) {
  if (descriptor_ < 0) fail(path, errno);
  struct stat status {};
  const int error = ::fstat(descriptor_, &status) != 0 ? errno : S_ISREG(status.st_mode) ? 0 : EINVAL;
  if (error != 0) {
    ::close(descriptor_);
    fail(path, error);
  }
  size_ = static_cast<std::uint64_t>(status.st_size);
}

FileBytes::~FileBytes() {
  ::close(descriptor_);
}

std::size_t FileBytes::read(std::uint64_t offset, std::span<char> out) const {
  std::size_t done = 0;
  while (done < out.size() && offset + done < size_) {
    const ssize_t n =
        ::pread(descriptor_, out.data() + done, out.size() - done, static_cast<off_t>(offset + done));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) fail(path_, errno);
    if (n == 0) break;
    done += static_cast<std::size_t>(n);
  }
  return done;
}

}  // namespace warpgrade::batch
