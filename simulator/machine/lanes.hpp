// Lanes of a warp as bits of a mask.
#pragma once

#include <cstdint>

namespace warpgrade::simt {

/// of a mask that is not 0
inline std::uint32_t first_lane(std::uint32_t mask) {
  return static_cast<std::uint32_t>(__builtin_ctz(mask));
}

/// Without a special instruction, since every x86-64 has to run this, and the compiler would call a
/// function. Most masks are full.
inline std::uint32_t lanes_in(std::uint32_t mask) {
  if (mask == 0xffffffff) return 32;
  mask -= mask >> 1 & 0x55555555;
  mask = (mask & 0x33333333) + (mask >> 2 & 0x33333333);
  return ((mask + (mask >> 4)) & 0x0f0f0f0f) * 0x01010101 >> 24;
}

}  // namespace warpgrade::simt
