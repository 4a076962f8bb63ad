// Shared by the handlers of tensor-core instructions. Internal to simt.
#pragma once

#include <array>
#include <cstdint>

#include "decode/context.hpp"

namespace warpgrade::simt {

/// throws Fault if a lane of the warp is missing
void need_whole_warp(const Op &, const Context &);

/// A matrix of 8 x 8 elements of 16 bits, two in each lane: lane / 4 is the row, lane % 4 the pair of
/// columns. Returns the transposed one.
inline std::array<std::uint32_t, 32> transposed(const std::uint32_t (&from)[32]) {
  std::array<std::uint32_t, 32> to{};
  for (std::uint32_t lane = 0; lane < 32; ++lane)
    for (std::uint32_t e = 0; e < 2; ++e) {
      const std::uint32_t row = lane % 4 * 2 + e, column = lane / 4;
      to[lane] |= (from[row * 4 + column / 2] >> 16 * (column & 1) & 0xFFFF) << 16 * e;
    }
  return to;
}

}  // namespace warpgrade::simt
