// Damage to guard zones, as parents and children both describe it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace warpgrade::gpu {

/// Bytes of a guard zone that no longer have the pattern.
struct GuardDamage {
  std::uint64_t before = 0, after = 0;                  ///< bytes overwritten on either side
  std::uint64_t nearest_before = 0, nearest_after = 0;  ///< distance of the nearest one, 1 = adjacent
  bool any() const { return before + after > 0; }
};

/// Adds "C: 12 bytes past the end were overwritten, the nearest 1 byte past it" for each side that was
/// damaged.
void describe(const GuardDamage &damage, const std::string &buffer, std::vector<std::string> &sentences);

}  // namespace warpgrade::gpu
