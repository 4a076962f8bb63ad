#include "machine/block_order.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace warpgrade::simt {

namespace {
constexpr std::uint64_t most_reordered = 1 << 22;
}  // namespace

std::vector<std::uint64_t> with_first(std::uint64_t blocks, std::uint64_t first) {
  std::vector<std::uint64_t> order;
  if (first >= blocks || blocks > most_reordered) return order;
  order.resize(blocks);
  std::iota(order.begin(), order.end(), std::uint64_t{0});
  const auto chosen = order.begin() + static_cast<std::ptrdiff_t>(first);
  std::rotate(order.begin(), chosen, chosen + 1);
  return order;
}

std::vector<std::uint64_t> shuffled(std::uint64_t blocks, std::uint64_t seed) {
  std::vector<std::uint64_t> order;
  if (seed == 0 || blocks > most_reordered) return order;
  order.resize(blocks);
  std::iota(order.begin(), order.end(), std::uint64_t{0});
  std::uint64_t state = seed * 0x9E3779B97F4A7C15ull + 1;
  for (std::size_t i = order.size(); i > 1; --i) {
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    std::swap(order[i - 1], order[state % i]);
  }
  return order;
}

}  // namespace warpgrade::simt
