// Advisory cases that are too large to be simulated: only the last block of each launch runs, where an index that
// no longer fits an int shows itself as an access far outside the buffers.
#pragma once

#include "problem/problem.hpp"

namespace warpgrade::grading {

/// Whether the buffers of a case take more memory than a simulation may touch.
bool is_too_large(const problem::Problem &, const problem::Case &);

}  // namespace warpgrade::grading
