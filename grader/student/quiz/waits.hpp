// Which warps of a block wait at its barriers, from the requests that they make before these. Internal to quiz/.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "counters/sample.hpp"

namespace warpgrade::quiz {

struct Longest {
  std::vector<std::uint32_t> warps;    ///< that wait longest
  std::vector<std::uint32_t> busiest;  ///< that others wait for
  std::uint64_t fewest = 0, most = 0;  ///< requests of either before the last barrier
};
/// Nothing unless it is clear: the next ones make at least a quarter more requests, and two more.
/// trace      the requests of one block
/// barriers   that it passes
std::optional<Longest> those_that_wait_longest(const std::vector<simt::TracedRequest> &trace,
                                               std::size_t warps, std::uint64_t barriers);

}  // namespace warpgrade::quiz
