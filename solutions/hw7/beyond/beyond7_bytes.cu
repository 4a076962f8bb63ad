// Beyond 7, eight bits: C = a_scale b_scale A B', with factors in e4m3, which tensor cores multiply twice as fast.
//
// A is M x K and B is N x K, both by rows, so each result is a product of two rows. K is a multiple of 16, N of 4.
// A number has 3 bits of mantissa (4 with the leading 1), and one scale serves a whole matrix: the scales multiply
// results, not factors.
//
// A box of 128 columns has as many bytes as one of 64 halves, and a stride keeps the tensor cores busy as long as
// in beyond 5. So the structure is the same, but the results of a tile come after half as many strides, and storing
// them takes nearly twice the share of the time. One box holds all of B's tile, because B lies as wgmma wants it.
//
// Tensor cores keep only 14 bits of a sum of 8-bit products, so long sums lose their last bits.
#include <cuda_fp8.h>

#include <algorithm>

#include "hopper.h"

constexpr int BM = 128, BN = 256, BK = 128;  // the block's tile of C, and its stride along K
constexpr int STAGES = 4;                    // pairs of tiles in shared memory
constexpr int BAND = 16;                     // rows of tiles that blocks compute at the same time
constexpr int BUFFERS = 2;                   // boxes of results, for each warpgroup that multiplies
constexpr int CONSUMERS = BM / 64, THREADS = (1 + CONSUMERS) * 128;
constexpr int A_TILE = BM * BK, STAGE = A_TILE + BN * BK;  // bytes
constexpr int SHARED_BYTES = STAGES * STAGE + CONSUMERS * BUFFERS * BOX_BYTES;

__global__ void __launch_bounds__(THREADS, 1)
    multiply_in_8_bits(int M, int N, int K, float scale, const __grid_constant__ CUtensorMap A,
                       const __grid_constant__ CUtensorMap B, const __grid_constant__ CUtensorMap to) {
  extern __shared__ __align__(1024) char tiles[];
  __shared__ Barrier full[STAGES], empty[STAGES];
  const int thread = threadIdx.x, group = thread / 128;
  if (thread == 0) {
    fetch_map(A), fetch_map(B), fetch_map(to);
    for (Barrier &barrier : full) start_barrier(&barrier, 1);
    for (Barrier &barrier : empty) start_barrier(&barrier, CONSUMERS);
    publish_barriers();
  }
  __syncthreads();

  const int tiles_across = ceil_div(N, BN), tiles_down = ceil_div(M, BM), strides = ceil_div(K, BK);
  const int count = tiles_across * tiles_down;
  const auto place = [&](int tile, int &row, int &col) {
    const int band = tile / (BAND * tiles_across), in_band = tile % (BAND * tiles_across);
    const int height = min(BAND, tiles_down - BAND * band);
    row = (BAND * band + in_band % height) * BM;
    col = in_band / height * BN;
  };
  int stage = 0, round = 0;
  const auto advance = [&] {
    if (++stage == STAGES) stage = 0, round ^= 1;
  };

  if (group == 0) {
    give_registers_up<40>();
    if (thread != 0) return;
    for (int tile = blockIdx.x; tile < count; tile += gridDim.x) {
      int row, col;
      place(tile, row, col);
      for (int s = 0; s < strides; ++s, advance()) {
        await(&empty[stage], round ^ 1);
        arrive_and_expect(&full[stage], STAGE);
        copy_box(tiles + stage * STAGE, A, s * BK, row, &full[stage]);
        copy_box(tiles + stage * STAGE + A_TILE, B, s * BK, col, &full[stage]);
      }
    }
    return;
  }

  take_registers<232>();
  const int mine = group - 1;
  char *boxes = tiles + STAGES * STAGE + mine * BUFFERS * BOX_BYTES;
  for (int tile = blockIdx.x; tile < count; tile += gridDim.x) {
    int row, col;
    place(tile, row, col);
    float sum[BN / 2];
    int last = 0;
    for (int s = 0; s < strides; ++s, advance()) {
      await(&full[stage], round);
      const char *a = tiles + stage * STAGE + mine * 64 * BK, *b = tiles + stage * STAGE + A_TILE;
      wgmma_fence();
#pragma unroll
      for (int k = 0; k < BK; k += 32) multiply_bytes(sum, factor_at(a + k), factor_at(b + k), s + k > 0);
      wgmma_commit();
      if (s > 0) {
        wgmma_wait(1);
        if (thread % 128 == 0) arrive(&empty[last]);
      }
      last = stage;
    }
    wgmma_wait(0);
    if (thread % 128 == 0) arrive(&empty[last]);
    store_by_copies<BUFFERS>(boxes, 1 + mine, scale, sum, [&](const char *box, int column) {
      store_box(to, box, col + column, row + mine * 64);
    });
  }
  if (thread % 128 == 0) await_stores<0>();  // the copy engine reads shared memory of this block
}

void beyond7(int M, int N, int K, float a_scale, const __nv_fp8_e4m3 *A, float b_scale,
             const __nv_fp8_e4m3 *B, float *C) {
  int multiprocessors = 1;
  cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, 0);
  const int blocks = std::min(ceil_div(M, BM) * ceil_div(N, BN), multiprocessors);
  cudaFuncSetAttribute(multiply_in_8_bits, cudaFuncAttributeMaxDynamicSharedMemorySize, SHARED_BYTES);
  multiply_in_8_bits<<<blocks, THREADS, SHARED_BYTES>>>(M, N, K, a_scale * b_scale, map_of_bytes(A, M, K, BM),
                                                        map_of_bytes(B, N, K, BN), map_of_c(C, M, N));
}
