// Bytes on a pipe: a writer that appends and a reader that checks every length before it looks.
// Numbers are little-endian and unpadded; strings and byte runs are preceded by their length as 64 bits.
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

namespace warpgrade::plan {

static_assert(std::endian::native == std::endian::little, "the wire format is the memory of these machines");

/// The bytes end too early, or a length in them is beyond what is left.
class WireError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class Writer {
 public:
  template <typename Number>
  void put(Number number) {
    static_assert(std::is_arithmetic_v<Number> || std::is_enum_v<Number>);
    append(&number, sizeof number);
  }
  void put_bytes(std::span<const std::byte> bytes) {
    put<std::uint64_t>(bytes.size());
    append(bytes.data(), bytes.size());
  }
  void put_string(std::string_view text) { put_bytes(std::as_bytes(std::span(text))); }

  const std::vector<std::byte> &bytes() const { return bytes_; }
  void clear() { bytes_.clear(); }

 private:
  void append(const void *from, std::size_t count) {
    const auto *first = static_cast<const std::byte *>(from);
    bytes_.insert(bytes_.end(), first, first + count);
  }
  std::vector<std::byte> bytes_;
};

class Reader {
 public:
  explicit Reader(std::span<const std::byte> bytes) : rest_(bytes) {}

  /// throws WireError when fewer bytes are left
  template <typename Number>
  Number get() {
    static_assert(std::is_arithmetic_v<Number>);
    Number number;
    std::memcpy(&number, take(sizeof number).data(), sizeof number);
    return number;
  }
  std::span<const std::byte> get_bytes() { return take(get<std::uint64_t>()); }
  std::string get_string() {
    const std::span<const std::byte> bytes = get_bytes();
    return std::string(reinterpret_cast<const char *>(bytes.data()), bytes.size());
  }
  /// How many elements follow, each at least `least` bytes long: a count that cannot be true is refused here,
  /// before anyone allocates for it.
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

}  // namespace warpgrade::plan
