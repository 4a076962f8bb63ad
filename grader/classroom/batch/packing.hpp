// Numbers and texts as bytes, for communication between two processes of one program.
#pragma once

#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>
#include <string_view>

namespace warpgrade::batch {

class Packer {
 public:
  void number(std::uint64_t n) { bytes_.append(reinterpret_cast<const char *>(&n), sizeof n); }
  void text(std::string_view t) {
    number(t.size());
    bytes_ += t;
  }
  std::string take() { return std::move(bytes_); }

 private:
  std::string bytes_;
};

/// Throws std::runtime_error if bytes are missing.
class Unpacker {
 public:
  explicit Unpacker(std::string_view bytes) : bytes_(bytes) {}
  std::uint64_t number() {
    std::uint64_t n = 0;
    std::memcpy(&n, bytes(sizeof n).data(), sizeof n);
    return n;
  }
  std::string text() { return std::string(bytes(number())); }
  bool done() const { return bytes_.empty(); }

 private:
  std::string_view bytes(std::uint64_t n) {
    if (n > bytes_.size()) throw std::runtime_error("the archive reader gave an incomplete answer");
    const std::string_view taken = bytes_.substr(0, n);
    bytes_.remove_prefix(n);
    return taken;
  }
  std::string_view bytes_;
};

}  // namespace warpgrade::batch
