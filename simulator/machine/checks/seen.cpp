#include "machine/checks/seen.hpp"

#include <algorithm>

namespace warpgrade::simt {

void Seen::join(const Seen &other) {
  for (std::size_t i = 0; i < before.size(); ++i) before[i] = std::max(before[i], other.before[i]);
  if (!other.others.empty()) others.join(other.others);
  if (!has_some && !other.has_some) return;
  has_some = false;
  for (std::size_t w = 0; w < some.size(); ++w) {
    const Some &more = other.some[w];
    if (more.before > before[w])
      some[w] = some[w].before > before[w]
                    ? Some{some[w].lanes | more.lanes, std::max(some[w].before, more.before)}
                    : more;
    else if (some[w].before <= before[w])
      some[w] = {};
    has_some = has_some || some[w].lanes != 0;
  }
}

void Seen::add(std::uint32_t warp, std::uint32_t lanes, bool all, std::uint32_t time) {
  if (all) {
    before[warp] = std::max(before[warp], time);
    return;
  }
  some[warp] = {some[warp].before > before[warp] ? some[warp].lanes | lanes : lanes,
                std::max(some[warp].before, time)};
  has_some = true;
}

bool Seen::knows(std::uint64_t cell, bool synced) const {
  const auto time = static_cast<std::uint32_t>(cell >> 32);
  const std::uint64_t warp = (cell & cell_warp) >> 5;
  if (time < before[warp]) return true;
  return has_some && time < some[warp].before && (synced || (some[warp].lanes >> (cell & 31) & 1) != 0);
}

}  // namespace warpgrade::simt
