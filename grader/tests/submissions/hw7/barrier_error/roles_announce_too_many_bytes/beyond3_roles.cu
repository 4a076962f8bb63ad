// Announces more bytes than the copies bring, so no phase ends.
// Verdict: barrier_error.
#include "hopper.h"

constexpr int BM = 128, BN = 256, BK = 64;  // the block's tile of C, and its stride along K
constexpr int STAGES = 4;                   // pairs of tiles in shared memory
constexpr int CONSUMERS = BM / 64;          // warpgroups that multiply, each 64 rows
constexpr int THREADS = (1 + CONSUMERS) * 128;
constexpr int A_TILE = BM * BK, B_TILE = BK * BN;  // halves
constexpr int STAGE_BYTES = (A_TILE + B_TILE) * sizeof(__half);
constexpr int SHARED_BYTES = STAGES * STAGE_BYTES;

__global__ void __launch_bounds__(THREADS, 1)
    multiply_in_roles(int M, int N, int K, float alpha, float beta, float *C,
                      const __grid_constant__ CUtensorMap A, const __grid_constant__ CUtensorMap B) {
  extern __shared__ __align__(1024) __half tiles[];
  __shared__ Barrier full[STAGES], empty[STAGES];
  const int thread = threadIdx.x, group = thread / 128;
  if (thread == 0) {
    for (Barrier &barrier : full) start_barrier(&barrier, 1);
    for (Barrier &barrier : empty) start_barrier(&barrier, CONSUMERS);
    publish_barriers();
  }
  __syncthreads();

  const int tiles_across = ceil_div(N, BN), tiles_down = ceil_div(M, BM);
  const int band = blockIdx.x / (16 * tiles_across), in_band = blockIdx.x % (16 * tiles_across);
  const int height = min(16, tiles_down - 16 * band);
  const int row0 = (16 * band + in_band % height) * BM, col0 = in_band / height * BN;
  const int strides = ceil_div(K, BK);

  if (group == 0) {
    give_registers_up<40>();
    if (thread != 0) return;
    for (int s = 0; s < strides; ++s) {
      const int stage = s % STAGES;
      await(&empty[stage], s / STAGES % 2 ^ 1);  // at once in the first round: no phase is over yet
      __half *a = tiles + stage * (A_TILE + B_TILE), *b = a + A_TILE;
      arrive_and_expect(&full[stage], STAGE_BYTES + A_TILE);
      copy_box(a, A, s * BK, row0, &full[stage]);
      for (int i = 0; i < BN / 64; ++i) copy_box(b + i * 64 * BK, B, col0 + i * 64, s * BK, &full[stage]);
    }
    return;
  }

  take_registers<232>();
  const int mine = group - 1;
  float sum[BN / 2];
  for (int s = 0; s < strides; ++s) {
    await(&full[s % STAGES], s / STAGES % 2);
    const __half *a = tiles + s % STAGES * (A_TILE + B_TILE), *b = a + A_TILE;
    wgmma_fence();
#pragma unroll
    for (int k = 0; k < BK; k += 16)
      multiply_tile(sum, factor_at(a + mine * 64 * BK + k), factor_at(b + k * 64, 64 * BK * 2), s + k > 0);
    wgmma_commit();
    if (s > 0) {
      wgmma_wait(1);  // the products of this stride run; those of the last are done, and its tiles are free
      if (thread % 128 == 0) arrive(&empty[(s - 1) % STAGES]);
    }
  }
  wgmma_wait(0);
  store_tile(C, M, N, row0 + mine * 64, col0, alpha, beta, sum);
}

void beyond3(int M, int N, int K, float alpha, const __half *A, const __half *B, float beta, float *C) {
  cudaFuncSetAttribute(multiply_in_roles, cudaFuncAttributeMaxDynamicSharedMemorySize, SHARED_BYTES);
  multiply_in_roles<<<ceil_div(M, BM) * ceil_div(N, BN), THREADS, SHARED_BYTES>>>(
      M, N, K, alpha, beta, C, map_of(A, M, K, K, BM), map_of(B, K, N, N, BK));
}
