// Chooses a tile edge at run time among kernels that differ in a template parameter, by size.
// Verdict: accepted.
#include "gemm.h"

template <int TILE, bool EXACT>
__global__ void multiply(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
  __shared__ float a[TILE][TILE], b[TILE][TILE + 1];
  const int row = blockIdx.y * TILE + threadIdx.y, col = blockIdx.x * TILE + threadIdx.x;
  float sum = 0;
#pragma unroll 1
  for (int k0 = 0; k0 < K; k0 += TILE) {
    if constexpr (EXACT) {
      a[threadIdx.y][threadIdx.x] = A[row * K + k0 + threadIdx.x];
      b[threadIdx.y][threadIdx.x] = B[(k0 + threadIdx.y) * N + col];
    } else {
      a[threadIdx.y][threadIdx.x] = row < M && k0 + threadIdx.x < K ? A[row * K + k0 + threadIdx.x] : 0;
      b[threadIdx.y][threadIdx.x] = col < N && k0 + threadIdx.y < K ? B[(k0 + threadIdx.y) * N + col] : 0;
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < TILE; ++k) sum += a[threadIdx.y][k] * b[k][threadIdx.x];
    __syncthreads();
  }
  if (EXACT || (row < M && col < N)) C[row * N + col] = alpha * sum + beta * C[row * N + col];
}

template <int TILE>
void run(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
  const dim3 block(TILE, TILE), grid((N + TILE - 1) / TILE, (M + TILE - 1) / TILE);
  if (M % TILE == 0 && N % TILE == 0 && K % TILE == 0)
    multiply<TILE, true><<<grid, block>>>(M, N, K, alpha, A, B, beta, C);
  else
    multiply<TILE, false><<<grid, block>>>(M, N, K, alpha, A, B, beta, C);
}

void step2(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
  if (M <= 4)
    run<1>(M, N, K, alpha, A, B, beta, C);
  else if (M < 32)
    run<8>(M, N, K, alpha, A, B, beta, C);
  else if (M < 128)
    run<16>(M, N, K, alpha, A, B, beta, C);
  else
    run<32>(M, N, K, alpha, A, B, beta, C);
}
