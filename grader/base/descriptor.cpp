#include "base/descriptor.hpp"

#include <cerrno>

namespace warpgrade {

bool write_all(int descriptor, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t put = ::write(descriptor, bytes.data(), bytes.size());
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) return false;
    bytes = bytes.subspan(static_cast<std::size_t>(put));
  }
  return true;
}
bool write_all(int descriptor, std::string_view text) {
  return write_all(descriptor, std::as_bytes(std::span(text)));
}

bool read_all(int descriptor, std::span<std::byte> to) {
  while (!to.empty()) {
    const ssize_t got = ::read(descriptor, to.data(), to.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    to = to.subspan(static_cast<std::size_t>(got));
  }
  return true;
}

}  // namespace warpgrade
