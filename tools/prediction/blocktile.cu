// A block computes BM x BN elements of C, each thread TM x TN of them, in strides of BK along K.
//   BM, BN, BK, TM, TN
//   APART       1: the columns of a thread are BN / TN apart, so that the lanes of a warp read neighbours
//   PAD         floats between the rows of A's tile, which is stored transposed
//   TURNED      0: A's tile is stored as it is in memory
//   WIDE        1: global memory is read 16 bytes at a time (N and K must be multiples of 4)
//   BLOCKS      blocks that __launch_bounds__ asks for on a multiprocessor; many make registers spill
//   SHARED      bytes of dynamic shared memory that only keep other blocks away
//   ROLLED      1: the loop over a stride is not unrolled
//   PERSISTENT  blocks of the grid, which walk over the tiles; 0: one for each tile
#include "gemm.h"

#ifndef APART
#define APART 1
#endif
#ifndef PAD
#define PAD 4
#endif
#ifndef TURNED
#define TURNED 1
#endif
#ifndef WIDE
#define WIDE 0
#endif
#ifndef BLOCKS
#define BLOCKS 1
#endif
#ifndef SHARED
#define SHARED 0
#endif
#ifndef ROLLED
#define ROLLED 0
#endif
#ifndef PERSISTENT
#define PERSISTENT 0
#endif

constexpr int ACROSS = BN / TN, THREADS = ACROSS * (BM / TM);
constexpr int TURNS = ROLLED ? 1 : BK;  // of the loop over a stride that are unrolled
static_assert(BM * BK % THREADS == 0 && BN * BK % THREADS == 0);

__global__ void __launch_bounds__(THREADS, BLOCKS)
    product(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
  __shared__ __align__(16) float a_tile[TURNED ? BK : BM][(TURNED ? BM : BK) + PAD];
  __shared__ __align__(16) float b_tile[BK][BN];
  const int across = ceil_div(N, BN), tiles = across * ceil_div(M, BM), t = threadIdx.x;
  const int row = t / ACROSS * TM, col = APART ? t % ACROSS : t % ACROSS * TN;
  constexpr int STEP_APART = APART ? ACROSS : 1;
  for (int tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
    const int row0 = tile / across * BM, col0 = tile % across * BN;
    float sum[TM][TN] = {};
    for (int k0 = 0; k0 < K; k0 += BK) {
      if (WIDE) {
        for (int i = t; i < BM * BK / 4; i += THREADS) {
          const int r = i / (BK / 4), c = i % (BK / 4) * 4;
          float4 v = {0, 0, 0, 0};
          if (row0 + r < M && k0 + c < K)
            v = *reinterpret_cast<const float4 *>(A + std::int64_t{row0 + r} * K + k0 + c);
          const float part[4] = {v.x, v.y, v.z, v.w};
          for (int p = 0; p < 4; ++p)
            if (TURNED)
              a_tile[c + p][r] = part[p];
            else
              a_tile[r][c + p] = part[p];
        }
        for (int i = t; i < BK * BN / 4; i += THREADS) {
          const int r = i / (BN / 4), c = i % (BN / 4) * 4;
          float4 v = {0, 0, 0, 0};
          if (k0 + r < K && col0 + c < N)
            v = *reinterpret_cast<const float4 *>(B + std::int64_t{k0 + r} * N + col0 + c);
          *reinterpret_cast<float4 *>(&b_tile[r][c]) = v;
        }
      } else {
        for (int i = t; i < BM * BK; i += THREADS) {
          const int r = i / BK, c = i % BK;
          const float v = row0 + r < M && k0 + c < K ? A[std::int64_t{row0 + r} * K + k0 + c] : 0.0f;
          if (TURNED)
            a_tile[c][r] = v;
          else
            a_tile[r][c] = v;
        }
        for (int i = t; i < BK * BN; i += THREADS) {
          const int r = i / BN, c = i % BN;
          b_tile[r][c] = k0 + r < K && col0 + c < N ? B[std::int64_t{k0 + r} * N + col0 + c] : 0.0f;
        }
      }
      __syncthreads();
#pragma unroll(TURNS)
      for (int k = 0; k < BK; ++k) {
        float a[TM], b[TN];
        for (int i = 0; i < TM; ++i) a[i] = TURNED ? a_tile[k][row + i] : a_tile[row + i][k];
        for (int j = 0; j < TN; ++j) b[j] = b_tile[k][col + j * STEP_APART];
        for (int i = 0; i < TM; ++i)
          for (int j = 0; j < TN; ++j) sum[i][j] += a[i] * b[j];
      }
      __syncthreads();
    }
    for (int i = 0; i < TM; ++i)
      for (int j = 0; j < TN; ++j)
        if (row0 + row + i < M && col0 + col + j * STEP_APART < N) {
          float *to = C + std::int64_t{row0 + row + i} * N + col0 + col + j * STEP_APART;
          *to = alpha * sum[i][j] + (beta == 0.0f ? 0.0f : beta * *to);
        }
  }
}

void STEP(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
  const int tiles = ceil_div(M, BM) * ceil_div(N, BN);
  if (SHARED > 0) cudaFuncSetAttribute(product, cudaFuncAttributeMaxDynamicSharedMemorySize, SHARED);
  product<<<PERSISTENT > 0 ? min(PERSISTENT, tiles) : tiles, THREADS, SHARED>>>(M, N, K, alpha, A, B, beta, C);
}
