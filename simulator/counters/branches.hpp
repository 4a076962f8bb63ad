// How often the threads of a launch went each way at a branch.
#pragma once

#include <cstdint>

#include "base/fields.hpp"

namespace warpgrade::simt {

struct BranchCount {
  std::int32_t ptx_line =
      0;  ///< of the branch, or of another instruction under a guard that ends a basic block
  std::uint64_t taken = 0;  ///< threads for which the guard holds
  std::uint64_t not_taken = 0;
  BranchCount &operator+=(const BranchCount &o) {
    taken += o.taken;
    not_taken += o.not_taken;
    return *this;
  }
  bool operator==(const BranchCount &) const = default;
};
WARPGRADE_FIELDS(BranchCount, ptx_line, taken, not_taken)

}  // namespace warpgrade::simt
