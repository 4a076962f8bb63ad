// What the occupancy calculator says of a kernel.
#pragma once

#include <cstddef>

#include "cudart/library/runtime.hpp"

namespace warpgrade::cudart {

/// Blocks of this shape that fit on the whole device at once.
int resident_blocks(Kernel &, const ptx::KernelFacts &, int block_threads, std::size_t dynamic_shared);

}  // namespace warpgrade::cudart
