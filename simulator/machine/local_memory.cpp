#include "machine/local_memory.hpp"

#include <algorithm>
#include <cstring>

#include "decode/context.hpp"

namespace warpgrade::simt {

void LocalMemory::begin_block() {
  if (++stamp_ != 0) return;
  std::fill(written_.begin(), written_.end(), std::uint8_t{0});
  stamp_ = 1;
}

void LocalMemory::mark_written(std::size_t thread, std::uint64_t offset, std::uint32_t bytes) {
  std::memset(written_.data() + thread * bytes_ + offset, stamp_, bytes);
}

bool LocalMemory::fill_unset(std::size_t thread, std::uint64_t offset, std::uint32_t bytes) {
  bool any = false;
  for (std::uint64_t i = offset; i < offset + bytes; ++i) {
    if (has_value(thread, i)) continue;
    of(thread)[i] = std::byte{unset_byte};
    any = true;
  }
  return any;
}

}  // namespace warpgrade::simt
