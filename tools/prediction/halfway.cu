// A thread computes TM elements of C below each other. A block of T threads reads its tile of A, TM x BK, into shared
// memory, or with KEEP_B 1 its tile of B, BK x T; the other matrix comes straight from global memory.
//   T, TM, BK
//   KEEP_B
//   FP64        1: sums in double precision
//   DIVIDE      1: the place in the tile is found with divisions in each step, as in a flattened index
#include "gemm.h"

#ifndef KEEP_B
#define KEEP_B 0
#endif
#ifndef FP64
#define FP64 0
#endif
#ifndef DIVIDE
#define DIVIDE 0
#endif

template <bool Double>
struct Sum {
  using Type = float;
};
template <>
struct Sum<true> {
  using Type = double;
};

__global__ void product(int M, int N, int K, int width, float alpha, const float *A, const float *B, float beta,
                        float *C) {
  __shared__ float tile[KEEP_B ? BK * T : TM * BK];
  const int t = threadIdx.x, col = blockIdx.x * T + t, row0 = blockIdx.y * TM;
  typename Sum<FP64 != 0>::Type sum[TM] = {};
  for (int k0 = 0; k0 < K; k0 += BK) {
    if (KEEP_B)
      for (int k = 0; k < BK; ++k)
        tile[k * T + t] = k0 + k < K && col < N ? B[std::int64_t{k0 + k} * N + col] : 0.0f;
    else
      for (int i = t; i < TM * BK; i += T)
        tile[i] = row0 + i / BK < M && k0 + i % BK < K ? A[std::int64_t{row0 + i / BK} * K + k0 + i % BK] : 0.0f;
    __syncthreads();
    for (int k = 0; k < BK && k0 + k < K; ++k) {
      const float b = KEEP_B ? tile[k * T + t] : B[std::int64_t{k0 + k} * N + min(col, N - 1)];
      for (int i = 0; i < TM; ++i) {
        const int place = i * BK + k;
        const float a = KEEP_B ? A[std::int64_t{min(row0 + i, M - 1)} * K + k0 + k]
                               : tile[DIVIDE ? place / width * BK + place % width : place];
        sum[i] += a * b;
      }
    }
    __syncthreads();
  }
  for (int i = 0; i < TM; ++i)
    if (row0 + i < M && col < N) {
      float *to = C + std::int64_t{row0 + i} * N + col;
      *to = alpha * static_cast<float>(sum[i]) + (beta == 0.0f ? 0.0f : beta * *to);
    }
}

void STEP(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
  product<<<dim3(ceil_div(N, T), ceil_div(M, TM)), T>>>(M, N, K, BK, alpha, A, B, beta, C);
}
