// Vector clocks of streams: how many operations of each stream are known to have ended.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>

namespace warpgrade::streams {

/// By the stream's number.
using Clock = std::map<std::uint64_t, std::uint64_t>;

inline void join(Clock &to, const Clock &from) {
  for (const auto &[stream, number] : from) {
    std::uint64_t &known = to[stream];
    known = std::max(known, number);
  }
}

}  // namespace warpgrade::streams
