// Tiles of T x T elements in shared memory; a thread computes Q x Q elements, T / Q apart (COARSE=1) or neighbours (0).
// Only whole tiles of K are multiplied without tests; blocks go down columns of C (DOWN=1) or along its rows.
//   T, Q, COARSE, DOWN
#include "gemm.h"

#ifndef DOWN
#define DOWN 0
#endif

__global__ void __launch_bounds__(T *T / Q / Q)
    product(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
  __shared__ float a_tile[T][T], b_tile[T][T];
  constexpr int SIDE = T / Q;
  const int x = threadIdx.x, y = threadIdx.y;
  const int row0 = (DOWN ? blockIdx.x : blockIdx.y) * T, col0 = (DOWN ? blockIdx.y : blockIdx.x) * T;
  const auto place = [](int i, int t) { return COARSE ? i * SIDE + t : t * Q + i; };
  float sum[Q][Q] = {};
  for (int k0 = 0; k0 < K; k0 += T) {
    for (int i = 0; i < Q; ++i)
      for (int j = 0; j < Q; ++j) {
        const int r = i * SIDE + y, c = j * SIDE + x;
        a_tile[r][c] = row0 + r < M && k0 + c < K ? A[std::int64_t{row0 + r} * K + k0 + c] : 0.0f;
        b_tile[r][c] = k0 + r < K && col0 + c < N ? B[std::int64_t{k0 + r} * N + col0 + c] : 0.0f;
      }
    __syncthreads();
#pragma unroll 8
    for (int k = 0; k < T; ++k) {
      float a[Q], b[Q];
      for (int i = 0; i < Q; ++i) a[i] = a_tile[place(i, y)][k];
      for (int j = 0; j < Q; ++j) b[j] = b_tile[k][place(j, x)];
      for (int i = 0; i < Q; ++i)
        for (int j = 0; j < Q; ++j) sum[i][j] += a[i] * b[j];
    }
    __syncthreads();
  }
  for (int i = 0; i < Q; ++i)
    for (int j = 0; j < Q; ++j) {
      const int r = row0 + place(i, y), c = col0 + place(j, x);
      if (r >= M || c >= N) continue;
      float *to = C + std::int64_t{r} * N + c;
      *to = alpha * sum[i][j] + (beta == 0.0f ? 0.0f : beta * *to);
    }
}

void STEP(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
  const dim3 grid = DOWN ? dim3(ceil_div(M, T), ceil_div(N, T)) : dim3(ceil_div(N, T), ceil_div(M, T));
  product<<<grid, dim3(T / Q, T / Q)>>>(M, N, K, alpha, A, B, beta, C);
}
