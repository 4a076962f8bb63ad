#include "base/descriptor.hpp"

#include <cerrno>

namespace warpgrade {

namespace {

/// Moves all of `rest` by calls of `move`, each of which returns how much it moved, as read and write do.
template <class Bytes, class Move>
bool all_moved(Bytes rest, Move move) {
  while (!rest.empty()) {
    const ssize_t moved = move(rest.data(), rest.size());
    if (moved < 0 && errno == EINTR) continue;
    if (moved <= 0) return false;
    rest = rest.subspan(static_cast<std::size_t>(moved));
  }
  return true;
}

}  // namespace

bool write_all(int descriptor, std::span<const std::byte> bytes) {
  return all_moved(bytes, [&](const void *from, std::size_t n) { return ::write(descriptor, from, n); });
}
bool write_all(int descriptor, std::string_view text) {
  return write_all(descriptor, std::as_bytes(std::span(text)));
}

bool read_all(int descriptor, std::span<std::byte> to) {
  return all_moved(to, [&](void *into, std::size_t n) { return ::read(descriptor, into, n); });
}

}  // namespace warpgrade
