// What a request of a warp costs, by what its lanes access. Internal to predict.
#pragma once

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

}  // namespace warpgrade::predict
