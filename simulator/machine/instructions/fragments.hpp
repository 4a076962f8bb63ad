// Which lane of a warp holds which element of a product's operands, for drawings. Takes the name of an
// instruction; the places are those that the simulator multiplies by.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "decode/tensor.hpp"

namespace warpgrade::simt::tensor {

/// The register slot of an element: `index` counts through the lane's registers, low bits first.
struct Holder {
  std::uint32_t lane = 0, index = 0;
  bool operator==(const Holder &) const = default;
};

/// An operand as one warp holds it.
struct Fragment {
  Element element = Element::f16;
  std::uint32_t rows = 0, columns = 0;
  std::vector<Holder> holders;  ///< row by row; empty: the operand is in shared memory
  std::uint32_t each_lane() const { return rows * columns / 32; }
};

/// D = A * B + C. C and D have the same places.
struct Fragments {
  Fragment a, b, c;
  Element d = Element::f32;
  std::uint32_t warps = 1;   ///< 4: wgmma; the fragments are those of its first warp
  bool as_measured = false;  ///< wmma: undocumented; the layout of an H200
};

/// a_in_shared   of wgmma: A comes from shared memory
/// Nothing if the simulator multiplies by no such instruction.
std::optional<Fragments> fragments_of(std::string_view instruction, bool a_in_shared = false);

}  // namespace warpgrade::simt::tensor
