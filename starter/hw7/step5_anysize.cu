// Step 5, any sizes: rows that do not begin at multiples of 16 bytes, and shapes with few tiles.
//
// If K and N are multiples of 8, tiles are copied as in step 4. Otherwise a chunk may begin anywhere, and
// cp.async copies 4 bytes at least: a thread then loads the 8 elements of its chunk one by one. If tiles of
// 128 x 128 are too few for all multiprocessors, tiles of 64 x 64 are used.
#include <cuda_pipeline.h>

#include "hgemm.h"
#include "tensor.h"

[[maybe_unused]] constexpr int LARGE = 128, SMALL = 64;  // rows and columns of a block's tile of C
[[maybe_unused]] constexpr int BK = 32, STAGES = 4, THREADS = 128, CHUNK = 8;
[[maybe_unused]] constexpr int FEW_TILES = 132;  // fewer large tiles than this leave an H200 partly idle

// TODO(1): the kernels that you need. The kernel of step 4, as a template over its tile sizes and over
// whether all rows begin at multiples of 16 bytes, is a good start.

void step5(int M, int N, int K, float alpha, const __half *A, const __half *B, float beta, float *C) {
  // TODO(2): choose a kernel by the sizes, and launch it.
}
