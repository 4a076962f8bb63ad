// A call as it would be if the accesses of some source lines wasted nothing. Counters in, counters out.
#pragma once

#include <set>

#include "predict/predict.hpp"

namespace warpgrade::whatif {

/// The same instructions, bytes and buffers. In these lines, a request to global memory touches no more sectors
/// than its distinct bytes need, and one to shared memory has no bank conflicts.
predict::Call ideal(const predict::Call &, const std::set<simt::SourceLine> &lines);

}  // namespace warpgrade::whatif
