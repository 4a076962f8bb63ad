// Bytes between processes: a writer that appends, and a reader that checks every length before reading.
// Numbers are little-endian and unpadded; text and runs of bytes are preceded by their length as 64 bits.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace warpgrade {

static_assert(std::endian::native == std::endian::little, "the wire format is the memory of these machines");

/// The bytes end too early, or a length or value in them cannot be right.
class WireError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Copied as it is in memory: numbers, and plain structures, which only processes of one build exchange.
template <typename T>
concept Plain = std::is_arithmetic_v<T> ||
    (std::is_trivially_copyable_v<T> &&std::is_aggregate_v<T> && !std::is_array_v<T>);

class Writer {
 public:
  template <typename T>
  requires Plain<T> || std::is_enum_v<T> Writer &put(const T &value) { return append(&value, sizeof value); }
  Writer &put_bytes(std::span<const std::byte> bytes) {
    return put<std::uint64_t>(bytes.size()).append(bytes.data(), bytes.size());
  }
  Writer &put_string(std::string_view text) { return put_bytes(std::as_bytes(std::span(text))); }

  const std::vector<std::byte> &bytes() const { return bytes_; }
  std::string text() const { return {reinterpret_cast<const char *>(bytes_.data()), bytes_.size()}; }
  void clear() { bytes_.clear(); }

 private:
  Writer &append(const void *from, std::size_t count) {
    const auto *first = static_cast<const std::byte *>(from);
    bytes_.insert(bytes_.end(), first, first + count);
    return *this;
  }
  std::vector<std::byte> bytes_;
};

/// Views bytes that live longer than it does. Every get throws WireError when fewer bytes are left.
class Reader {
 public:
  explicit Reader(std::span<const std::byte> bytes) : rest_(bytes) {}

  /// Not for bool and enums, which have invalid representations: read a number and check it.
  template <Plain T>
  requires(!std::is_same_v<T, bool>) T get() {
    T value;
    std::memcpy(&value, take(sizeof value).data(), sizeof value);
    return value;
  }
  /// A view of the reader's own bytes.
  std::span<const std::byte> get_bytes() { return take(get<std::uint64_t>()); }
  std::vector<std::byte> copy_bytes() {
    const std::span<const std::byte> bytes = get_bytes();
    return {bytes.begin(), bytes.end()};
  }
  std::string get_string() {
    const std::span<const std::byte> bytes = get_bytes();
    return std::string(reinterpret_cast<const char *>(bytes.data()), bytes.size());
  }
  /// The number of elements that follow, each at least `least` bytes long. Rejects an impossible count before
  /// anything is allocated for it.
  std::uint64_t get_count(std::size_t least) {
    const auto count = get<std::uint64_t>();
    if (count > rest_.size() / least) throw WireError("a count is larger than the bytes that follow");
    return count;
  }
  bool at_end() const { return rest_.empty(); }

 private:
  std::span<const std::byte> take(std::uint64_t count) {
    if (count > rest_.size()) throw WireError("the bytes end too early");
    const std::span<const std::byte> taken = rest_.first(count);
    rest_ = rest_.subspan(count);
    return taken;
  }
  std::span<const std::byte> rest_;
};

}  // namespace warpgrade
