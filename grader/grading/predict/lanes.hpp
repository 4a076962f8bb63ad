// What a request of a warp costs, by what its lanes access. Internal to predict.
#pragma once

#include <string>

#include "counters/sample.hpp"

namespace warpgrade::predict {

/// Lines of 128 bytes for each sector of a request to global memory.
double lines_per_sector(const simt::LaneSample &);
/// Share of the bytes of a request's sectors that it asks for.
double used_of_sectors(const simt::LaneSample &);

/// Samples of atomic operations have no bytes: nothing else in them is a pattern.
inline bool is_atomic(const simt::LaneSample &s) {
  return s.bytes == 0 && s.space != ptx::Space::local;
}

/// What one atomic request costs, in cycles: the load and store unit, or a line of the L2 cache.
struct Turns {
  double shared = 0, global = 0;
  std::string buffer;
  void operator+=(const Turns &o) {
    shared += o.shared, global += o.global;
    if (buffer.empty()) buffer = o.buffer;
  }
};

/// Words of the same bank take turns. So do lanes of the same word, unless they only count. In L2, a request takes a line
/// 3.5 cycles, 2.2 more for each further sector, and 1.4 for each further lane of the same word: measured on an H200.
Turns turns_of(const simt::LaneSample &, bool counts_only);

}  // namespace warpgrade::predict
