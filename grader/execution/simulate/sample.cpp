#include "simulate/sample.hpp"

#include <algorithm>
#include <array>

namespace warpgrade::run {

namespace {

constexpr std::uint64_t small_grid = 16;

/// Positions along an axis and how many each represents; the inner one first.
std::vector<std::pair<std::uint64_t, std::uint64_t>> positions(std::uint64_t extent) {
  if (extent == 1) return {{0, 1}};
  if (extent == 2) return {{0, 1}, {1, 1}};
  return {{extent / 2, extent - 2}, {0, 1}, {extent - 1, 1}};
}

}  // namespace

SampleBlocks choose_blocks(const simt::Dim3 &grid) {
  SampleBlocks chosen;
  const auto number = [&](std::uint64_t x, std::uint64_t y, std::uint64_t z) {
    return (z * grid.y + y) * grid.x + x;
  };
  const std::uint64_t all = std::uint64_t{grid.x} * grid.y * grid.z;
  for (const auto &[z, of_z] : positions(grid.z))
    for (const auto &[y, of_y] : positions(grid.y))
      for (const auto &[x, of_x] : positions(grid.x))
        chosen.kinds.push_back({number(x, y, z), of_x * of_y * of_z});
  const std::uint64_t first = chosen.kinds.front().block;
  if (all <= small_grid) {
    chosen.kinds.clear();
    chosen.kinds.push_back({first, 1});
    for (std::uint64_t block = 0; block < all; ++block)
      if (block != first) chosen.kinds.push_back({block, 1});
  }
  const std::uint64_t x = first % grid.x, y = first / grid.x % grid.y, z = first / grid.x / grid.y;
  chosen.right = x + 1 < grid.x ? number(x + 1, y, z) : first;
  chosen.below = y + 1 < grid.y ? number(x, y + 1, z) : first;
  if (all <= small_grid) return chosen;
  // A grid along one axis may traverse rows of tiles whose edges it does not show: check more of them.
  const bool one_axis = std::max({grid.x, grid.y, grid.z}) == all;
  constexpr std::array<double, 7> shares = {0.381966, 0.763932, 0.145898, 0.618034,
                                            0.236068, 0.854102, 0.927051};
  const std::size_t count = one_axis ? shares.size() : 3;
  const auto inside = [](std::uint64_t extent, double share) {
    if (extent < 3) return std::uint64_t{0};
    return 1 + static_cast<std::uint64_t>(share * static_cast<double>(extent - 2));
  };
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t block =
        number(inside(grid.x, shares[i]), inside(grid.y, shares[(i + 1) % shares.size()]),
               inside(grid.z, shares[(i + 2) % shares.size()]));
    const bool known = block == first || std::count(chosen.inner.begin(), chosen.inner.end(), block) != 0;
    if (!known) chosen.inner.push_back(block);
  }
  return chosen;
}

}  // namespace warpgrade::run
