// Local memory of the current block: a part for each thread, and which of its bytes the thread has
// written. Internal to simt.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace warpgrade::simt {

class LocalMemory {
 public:
  LocalMemory(std::uint32_t bytes_per_thread, std::size_t threads)
      : bytes_(bytes_per_thread), data_(bytes_ * threads), written_(data_.size()) {}

  /// Marks all of it as unset.
  void begin_block();
  std::byte *of(std::size_t thread) { return data_.data() + thread * bytes_; }
  bool has_value(std::size_t thread, std::uint64_t offset) const {
    return written_[thread * bytes_ + offset] == stamp_;
  }
  void mark_written(std::size_t thread, std::uint64_t offset, std::uint32_t bytes);
  /// Before a read: unset bytes get the value of unset_byte. Returns whether there were any.
  bool fill_unset(std::size_t thread, std::uint64_t offset, std::uint32_t bytes);

 private:
  std::size_t bytes_;
  std::vector<std::byte> data_;
  std::vector<std::uint8_t> written_;  // per byte: stamp_ once it was written in this block
  std::uint8_t stamp_ = 0;
};

}  // namespace warpgrade::simt
