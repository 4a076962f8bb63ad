// A warp computes one element of C: its lanes take every 32nd product, and a reduction adds them up.
//   WARPS       warps of a block
//   HOW         0: shuffles; 1: shared memory with a barrier in each round
//   TRANSPOSE   1: B is transposed first, so that the lanes read neighbours; 2: the same by way of shared memory
#include "gemm.h"

#ifndef HOW
#define HOW 0
#endif
#ifndef TRANSPOSE
#define TRANSPOSE 0
#endif

__global__ void transpose_plain(int K, int N, const float *B, float *T) {
  const int n = blockIdx.x * 32 + threadIdx.x, k = blockIdx.y * 8 + threadIdx.y;
  if (k < K && n < N) T[std::int64_t{n} * K + k] = B[std::int64_t{k} * N + n];
}

__global__ void transpose_tiled(int K, int N, const float *B, float *T) {
  __shared__ float tile[32][33];
  const int n = blockIdx.x * 32, k = blockIdx.y * 32;
  for (int i = threadIdx.y; i < 32; i += 8)
    if (k + i < K && n + threadIdx.x < N) tile[i][threadIdx.x] = B[std::int64_t{k + i} * N + n + threadIdx.x];
  __syncthreads();
  for (int i = threadIdx.y; i < 32; i += 8)
    if (n + i < N && k + threadIdx.x < K) T[std::int64_t{n + i} * K + k + threadIdx.x] = tile[threadIdx.x][i];
}

__global__ void product(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
  __shared__ float sums[WARPS][32];
  const int lane = threadIdx.x, warp = threadIdx.y;
  const std::int64_t element = std::int64_t{blockIdx.x} * WARPS + warp;
  const bool inside = element < std::int64_t{M} * N;
  const int row = inside ? element / N : 0, col = inside ? element % N : 0;
  float sum = 0.0f;
  for (int k = lane; k < K; k += 32)
    sum += A[std::int64_t{row} * K + k] * (TRANSPOSE ? B[std::int64_t{col} * K + k] : B[std::int64_t{k} * N + col]);
  if (HOW == 0) {
    for (int step = 16; step > 0; step /= 2) sum += __shfl_down_sync(0xffffffffu, sum, step);
  } else {
    sums[warp][lane] = sum;
    for (int step = 16; step > 0; step /= 2) {
      __syncthreads();
      const float other = lane < step ? sums[warp][lane + step] : 0.0f;
      __syncthreads();
      sums[warp][lane] += other;
    }
    __syncthreads();
    sum = sums[warp][0];
  }
  if (lane == 0 && inside) C[element] = alpha * sum + (beta == 0.0f ? 0.0f : beta * C[element]);
}

void STEP(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
  const float *from = B;
  float *scratch = nullptr;
  if (TRANSPOSE) {
    cudaMalloc(&scratch, sizeof(float) * K * N);
    if (TRANSPOSE == 1)
      transpose_plain<<<dim3(ceil_div(N, 32), ceil_div(K, 8)), dim3(32, 8)>>>(K, N, B, scratch);
    else
      transpose_tiled<<<dim3(ceil_div(N, 32), ceil_div(K, 32)), dim3(32, 8)>>>(K, N, B, scratch);
    from = scratch;
  }
  const std::int64_t elements = std::int64_t{M} * N;
  product<<<static_cast<int>((elements + WARPS - 1) / WARPS), dim3(32, WARPS)>>>(M, N, K, alpha, A, from, beta, C);
  if (scratch) cudaFree(scratch);
}
