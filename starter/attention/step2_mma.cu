// Step 2, tensor cores: both products by mma, and the weights between them never leave the registers.
//
// A warp has 16 queries. What it receives from the first product, 16 x 64 scores, is spread over its lanes in
// exactly the way in which the second product takes its left factor: two neighbouring results of a lane,
// rounded and packed, are one register of a fragment. So the softmax works in place. A row is shared by the
// four lanes of the same t = lane / 4, which find its largest score together.
#include <cfloat>

#include "attention.h"
#include "tensor.h"

[[maybe_unused]] constexpr int WARPS = 4, BM = WARPS * 16, BN = 64;  // queries of a block, keys of a tile
constexpr int THREADS = WARPS * 32;
[[maybe_unused]] constexpr int CHUNK = 8;  // numbers in 16 bytes
[[maybe_unused]] constexpr unsigned ALL = 0xffffffff;

/// Where a chunk of a row of a tile is stored, counted in chunks. Any 8 consecutive rows must be in different
/// banks for each chunk.
template <int WIDTH>
inline __device__ int place(int row, int chunk) {
  // TODO(1): a row has WIDTH / CHUNK chunks, 8 or 16; the 32 banks hold 8.
  return row * (WIDTH / CHUNK) + chunk;
}

template <int WIDTH>
__global__ void __launch_bounds__(THREADS)
    attend_in_registers(int length, int causal, const Number *Q, const Number *K, const Number *V, float *O) {
  // TODO(2): load the fragments of the warp's 16 queries. For each tile: bring keys and values to shared
  // memory; multiply queries by keys with load_matrices; hide keys beyond the end and, if causal, after the
  // query; make weights of the scores; multiply them by values with load_matrices_transposed.

  // TODO(3): add up the sums of the four lanes of a row, and write the results inside of O, divided by them.
}

void step2(int batch, int heads, int length, int width, int causal, const Number *Q, const Number *K,
           const Number *V, float *O) {
  // TODO(4): launch the kernel for this width: a block for BM queries of a head.
}
