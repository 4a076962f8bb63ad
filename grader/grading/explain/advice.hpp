// One sentence for each pattern. Internal to explain.
#pragma once

#include "explain/explain.hpp"

namespace warpgrade::explain {

/// Facts about the whole launch that concern a single line.
struct Whole {
  const simt::Counters &counters;
  double outputs_per_thread = 0;
  std::uint64_t moved_bytes = 0;
  const Bounds &bounds;
  std::vector<const Access *> accesses = {};  ///< those that have samples
};

/// Fills in line.advice; what costs most comes first.
void advise(Line &line, const Whole &whole);

}  // namespace warpgrade::explain
