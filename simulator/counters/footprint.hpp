// The bytes of global memory that an operation accessed.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace warpgrade::simt {

/// Strong: atomic, volatile, or with an order and scope.
enum class Access : std::uint8_t { read, write, strong_read, strong_write };

struct AddressRange {
  std::uint64_t begin = 0, end = 0;
  std::uint32_t source = 0;  ///< what accessed it last: LaunchResult::sources, from 1; 0: not known
};

/// By Access; ascending, and none overlaps the next.
using Footprint = std::array<std::vector<AddressRange>, 4>;

}  // namespace warpgrade::simt
