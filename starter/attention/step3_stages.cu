// Step 3, copies in stages: while a block works on one tile of keys and values, the next one is on its way;
// and tiles that a causal mask hides entirely are not even fetched.
//
// A warp has 32 queries, so that each fragment of keys or values that it loads serves two products. That
// leaves no registers for the queries, which stay in shared memory. While a fragment is multiplied, the next
// one is loaded. Only tiles at the diagonal or at the end compare keys with queries, and results are
// multiplied only when a larger score has appeared. Under a causal mask, blocks with many tiles start first.
#include <cuda_pipeline.h>

#include <cfloat>

#include "attention.h"
#include "tensor.h"

constexpr int WARPS = 4, ROWS = 32, BM = WARPS * ROWS, BN = 64;  // queries of a block, keys of a tile
constexpr int THREADS = WARPS * 32, STAGES = 2;                  // tiles of keys and values in shared memory
[[maybe_unused]] constexpr int CHUNK = 8;                        // numbers in 16 bytes
[[maybe_unused]] constexpr unsigned ALL = 0xffffffff;
/// Bytes of the shared memory of a block: its queries, and tiles of keys and values.
constexpr int shared_bytes(int width) {
  return (BM + STAGES * 2 * BN) * width * static_cast<int>(sizeof(Number));
}

template <int WIDTH>
__global__ void __launch_bounds__(THREADS, 2)
    attend_in_stages(int length, int causal, const Number *Q, const Number *K, const Number *V, float *O) {
  // TODO(1): start the copies of the queries and of the first tile with copy_async. For each tile that a query
  // of the block sees: wait until it has arrived, let all threads meet, start the copies of the next tile, and
  // work as in step 2. Hide keys in a branch that most tiles skip.

  // TODO(2): the results, as in step 2.
}

void step3(int batch, int heads, int length, int width, int causal, const Number *Q, const Number *K,
           const Number *V, float *O) {
  // TODO(3): allow the kernel its shared memory (shared_bytes), and launch it.
}
