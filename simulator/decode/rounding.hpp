// How results are rounded.
#pragma once

#include <cstdint>

namespace warpgrade::simt {

enum class Rounding : std::uint8_t { nearest, zero, down, up, nearest_away };

}  // namespace warpgrade::simt
