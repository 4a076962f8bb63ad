// K is cut into slices that are added to C one launch after the other; in a block, groups of threads (threadIdx.z)
// compute each its share of a slice for the same tile of 32 x 8 elements and add their sums in shared memory.
//   LAUNCHES    slices
//   GROUPS      groups of 32 x 8 threads
//   COLUMNS     1: the slices of B are first copied, column by column, so that a thread reads along K
#include "gemm.h"

#ifndef COLUMNS
#define COLUMNS 0
#endif

__global__ void turn(int K, int N, const float *B, float *to) {
  const std::int64_t count = std::int64_t{K} * N;
  for (std::int64_t i = std::int64_t{blockIdx.x} * 256 + threadIdx.x; i < count; i += std::int64_t{gridDim.x} * 256)
    to[i % N * K + i / N] = B[i];
}

__global__ void product(int M, int N, int K, int first, int last, float alpha, const float *A, const float *B,
                        float beta, float *C) {
  __shared__ float sums[GROUPS][8][32];
  const int x = threadIdx.x, y = threadIdx.y, z = threadIdx.z, row = blockIdx.y * 8 + y, col = blockIdx.x * 32 + x;
  float sum = 0.0f;
  if (row < M && col < N)
    for (int k = first + z; k < last; k += GROUPS)
      sum += A[std::int64_t{row} * K + k] * B[COLUMNS ? std::int64_t{col} * K + k : std::int64_t{k} * N + col];
  sums[z][y][x] = sum;
  __syncthreads();
  if (z > 0 || row >= M || col >= N) return;
  for (int g = 1; g < GROUPS; ++g) sum += sums[g][y][x];
  float *to = C + std::int64_t{row} * N + col;
  *to = alpha * sum + (beta == 0.0f ? 0.0f : beta * *to);
}

void STEP(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
  const float *from = B;
  float *turned = nullptr;
  if (COLUMNS) {
    cudaMalloc(&turned, sizeof(float) * K * N);
    turn<<<264, 256>>>(K, N, B, turned);
    from = turned;
  }
  const int length = ceil_div(K, LAUNCHES);
  for (int first = 0; first < K; first += length)
    product<<<dim3(ceil_div(N, 32), ceil_div(M, 8)), dim3(32, 8, GROUPS)>>>(
        M, N, K, first, min(K, first + length), alpha, A, from, first == 0 ? beta : 1.0f, C);
  if (turned) cudaFree(turned);
}
