// An open file that closes itself, and functions that write or read all bytes through it.
#pragma once

#include <unistd.h>

#include <cstddef>
#include <span>
#include <string_view>
#include <utility>

namespace warpgrade {

class Descriptor {
 public:
  explicit Descriptor(int descriptor = -1) : descriptor_(descriptor) {}
  Descriptor(Descriptor &&other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
  Descriptor &operator=(Descriptor &&other) noexcept {
    std::swap(descriptor_, other.descriptor_);
    return *this;
  }
  ~Descriptor() { close(); }
  int get() const { return descriptor_; }
  /// False when the system reports an error, as network file systems do for data that was written before.
  bool close() { return descriptor_ < 0 || ::close(std::exchange(descriptor_, -1)) == 0; }

 private:
  int descriptor_;
};

/// Writes all of it to an open file, pipe or socket; false on an error (errno says why).
bool write_all(int descriptor, std::span<const std::byte>);
bool write_all(int descriptor, std::string_view);
/// Fills all of `to`; false at an early end of the stream, or on an error.
bool read_all(int descriptor, std::span<std::byte> to);

}  // namespace warpgrade
