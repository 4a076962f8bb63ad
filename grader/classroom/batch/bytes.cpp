#include "batch/bytes.hpp"

namespace warpgrade::batch {

std::size_t MemoryBytes::read(std::uint64_t offset, std::span<char> out) const {
  if (offset >= bytes_.size()) return 0;
  return bytes_.copy(out.data(), out.size(), offset);
}

}  // namespace warpgrade::batch
