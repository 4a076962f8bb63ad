// Messages between gpu/ and its children: a type, a length, bytes. Everything read is length-checked.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

namespace warpgrade::gpu {

/// A message that is shorter than what it claims to hold.
class WireError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class Writer {
 public:
  template <typename T>
  Writer &put(const T &value) {
    static_assert(std::is_trivially_copyable_v<T>);
    const auto *first = reinterpret_cast<const std::byte *>(&value);
    bytes_.insert(bytes_.end(), first, first + sizeof value);
    return *this;
  }
  Writer &put_bytes(std::span<const std::byte> bytes) {
    put(std::uint64_t{bytes.size()});
    bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
    return *this;
  }
  Writer &put_text(const std::string &text) { return put_bytes(std::as_bytes(std::span(text))); }
  const std::vector<std::byte> &bytes() const { return bytes_; }

 private:
  std::vector<std::byte> bytes_;
};

class Reader {
 public:
  explicit Reader(std::span<const std::byte> bytes) : rest_(bytes) {}

  template <typename T>
  T get() {
    static_assert(std::is_trivially_copyable_v<T> && !std::is_same_v<T, bool> && !std::is_enum_v<T>);
    T value;
    std::memcpy(&value, take(sizeof value).data(), sizeof value);
    return value;
  }
  std::vector<std::byte> get_bytes() {
    const auto bytes = take(get<std::uint64_t>());
    return {bytes.begin(), bytes.end()};
  }
  std::string get_text() {
    const auto bytes = take(get<std::uint64_t>());
    return {reinterpret_cast<const char *>(bytes.data()), bytes.size()};
  }
  /// A count of things that take at least `each` bytes: refused when that many cannot follow.
  std::uint64_t get_count(std::size_t each) {
    const auto count = get<std::uint64_t>();
    if (count > rest_.size() / each) throw WireError("a count is larger than its message");
    return count;
  }

 private:
  std::span<const std::byte> take(std::uint64_t size) {
    if (size > rest_.size()) throw WireError("a message ends early");
    const auto taken = rest_.first(size);
    rest_ = rest_.subspan(size);
    return taken;
  }
  std::span<const std::byte> rest_;
};

enum class Message : std::uint32_t {
  // from the parent
  query = 1,
  set_up_replay,
  set_up_referee,
  adopt,    ///< with files: the memory that later runs find their judge buffers in
  run,      ///< a plan, or cuBLAS's product: prepare it
  go,       ///< start it now
  product,  ///< what is dealt, multiplied and checked from now on
  deal,     ///< draw fresh inputs
  check,    ///< look at what a run left
  // from a child
  devices = 100,
  ready,     ///< set up; what it found
  failed,    ///< could not: a sentence
  armed,     ///< prepared, the GPU idle
  finished,  ///< how it ended and the event time
  outputs,   ///< the shared memory holds the results
  exchange,  ///< where inputs will be dealt; with files when another process can map that memory
  dealt,
  checked,
};

struct Header {
  std::uint32_t type = 0;
  std::uint32_t reserved = 0;
  std::uint64_t bytes = 0;
};

/// The longest message that a parent accepts from a child; bulk data goes through shared memory.
inline constexpr std::uint64_t max_answer_bytes = std::uint64_t{1} << 20;

}  // namespace warpgrade::gpu
