// Leaves out wgmma_fence() before the products, which does not order them after the sums' registers.
// Verdict: race: products use registers that were written before, without an order.
#include "hopper.h"

constexpr int BM = 128, BN = 256, BK = 64;         // the block's tile of C, and its stride along K
constexpr int STAGES = 4;                          // pairs of tiles in shared memory
constexpr int THREADS = BM / 64 * 128;             // one warpgroup for 64 rows
constexpr int A_TILE = BM * BK, B_TILE = BK * BN;  // halves
constexpr int STAGE_BYTES = (A_TILE + B_TILE) * sizeof(__half);
constexpr int SHARED_BYTES = STAGES * STAGE_BYTES;

__global__ void __launch_bounds__(THREADS, 1)
    multiply_boxes(int M, int N, int K, float alpha, float beta, float *C,
                   const __grid_constant__ CUtensorMap A, const __grid_constant__ CUtensorMap B) {
  extern __shared__ __align__(1024) __half tiles[];  // a box begins at a multiple of 1024 bytes
  __shared__ Barrier full[STAGES];
  const int thread = threadIdx.x, group = thread / 128;
  if (thread == 0) {
    for (Barrier &barrier : full) start_barrier(&barrier, 1);
    publish_barriers();
  }
  __syncthreads();

  // Blocks that run at the same time compute 16 rows of tiles: see step 4.
  const int tiles_across = ceil_div(N, BN), tiles_down = ceil_div(M, BM);
  const int band = blockIdx.x / (16 * tiles_across), in_band = blockIdx.x % (16 * tiles_across);
  const int height = min(16, tiles_down - 16 * band);
  const int row0 = (16 * band + in_band % height) * BM, col0 = in_band / height * BN;
  const int strides = ceil_div(K, BK);

  // Thread 0 starts the copies of stride s: one box of A, and four of B side by side.
  const auto fetch = [&](int s) {
    if (thread != 0 || s >= strides) return;
    __half *a = tiles + s % STAGES * (A_TILE + B_TILE), *b = a + A_TILE;
    arrive_and_expect(&full[s % STAGES], STAGE_BYTES);
    copy_box(a, A, s * BK, row0, &full[s % STAGES]);
    for (int i = 0; i < BN / 64; ++i) copy_box(b + i * 64 * BK, B, col0 + i * 64, s * BK, &full[s % STAGES]);
  };

  for (int s = 0; s < STAGES - 1; ++s) fetch(s);
  float sum[BN / 2];
  for (int s = 0; s < strides; ++s) {
    await(&full[s % STAGES], s / STAGES % 2);
    const __half *a = tiles + s % STAGES * (A_TILE + B_TILE), *b = a + A_TILE;
#pragma unroll
    for (int k = 0; k < BK; k += 16)
      multiply_tile(sum, factor_at(a + group * 64 * BK + k), factor_at(b + k * 64, 64 * BK * 2), s + k > 0);
    wgmma_commit();
    wgmma_wait(0);
    __syncthreads();  // nobody reads this stride's tiles any more, nor the last one's: their place is free
    fetch(s + STAGES - 1);
  }
  store_tile(C, M, N, row0 + group * 64, col0, alpha, beta, sum);
}

void beyond2(int M, int N, int K, float alpha, const __half *A, const __half *B, float beta, float *C) {
  cudaFuncSetAttribute(multiply_boxes, cudaFuncAttributeMaxDynamicSharedMemorySize, SHARED_BYTES);
  multiply_boxes<<<ceil_div(M, BM) * ceil_div(N, BN), THREADS, SHARED_BYTES>>>(
      M, N, K, alpha, beta, C, map_of(A, M, K, K, BM), map_of(B, K, N, N, BK));
}
