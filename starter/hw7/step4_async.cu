// Step 4, copies in stages: while a block multiplies one pair of tiles, the next pairs are on their way.
//
// cp.async copies from global to shared memory in the background, past the registers. A block has room for
// STAGES pairs of tiles and starts each copy STAGES - 1 strides before its tiles are needed.
#include <cuda_pipeline.h>

#include "hgemm.h"
#include "tensor.h"

constexpr int BM = 128, BN = 128, BK = 32;  // the block's tile of C, and its stride along K
constexpr int WM = 64, WN = 64;             // the part of this tile that one warp computes
constexpr int STAGES = 4;                   // pairs of tiles in shared memory
constexpr int THREADS = (BM / WM) * (BN / WN) * 32;
constexpr int CHUNK = 8, A_CHUNKS = BK / CHUNK, B_CHUNKS = BN / CHUNK;  // see step 3
constexpr int A_TILE = BM * A_CHUNKS, B_TILE = BK * B_CHUNKS;           // chunks of a tile
[[maybe_unused]] constexpr int SHARED_BYTES = STAGES * (A_TILE + B_TILE) * 16;

__global__ void __launch_bounds__(THREADS, 2)
    multiply_in_stages(int M, int N, int K, float alpha, const __half *A, const __half *B, float beta,
                       float *C) {
  // TODO(1): start the copies of the first STAGES - 1 strides with __pipeline_memcpy_async, one group
  // (__pipeline_commit) for each stride. In each stride: wait until its group has arrived
  // (__pipeline_wait_prior), let all threads meet, start the copies of the stride that is STAGES - 1 further,
  // and multiply as in step 3. Which barrier of step 3 is no longer needed, and why?
}

void step4(int M, int N, int K, float alpha, const __half *A, const __half *B, float beta, float *C) {
  // TODO(2): allow the kernel SHARED_BYTES of dynamic shared memory with cudaFuncSetAttribute, and launch it.
}
