// What guard zones tell; known to parents and children alike.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace warpgrade::gpu {

/// Bytes of a guard zone that no longer hold the pattern.
struct GuardDamage {
  std::uint64_t before = 0, after = 0;                  ///< bytes overwritten on either side
  std::uint64_t nearest_before = 0, nearest_after = 0;  ///< distance of the nearest one, 1 = adjacent
  bool any() const { return before + after > 0; }
};

/// Adds "C: 12 bytes past the end were overwritten, the nearest 1 byte past it" for either side that was.
void describe(const GuardDamage &damage, const std::string &buffer, std::vector<std::string> &sentences);

}  // namespace warpgrade::gpu
