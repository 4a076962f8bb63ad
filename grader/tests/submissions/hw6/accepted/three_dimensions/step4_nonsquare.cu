// A grid and blocks of three dimensions: the third splits K, sums meet in shared memory.
// Verdict: accepted.
#include "gemm.h"

__global__ void multiply(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
  __shared__ float part[4][4][17];
  int z = threadIdx.z, y = threadIdx.y, x = threadIdx.x;
  for (int row = blockIdx.z * 4 + y; row - y < M; row += gridDim.z * 4)
    for (int col = (blockIdx.y * gridDim.x + blockIdx.x) * 16 + x; col - x < N; col += gridDim.x * gridDim.y * 16) {
      float sum = 0;
      if (row < M && col < N)
        for (int k = z; k < K; k += 4) sum += A[row * K + k] * B[k * N + col];
      part[z][y][x] = sum;
      __syncthreads();
      if (z == 0 && row < M && col < N)
        C[row * N + col] = alpha * (part[0][y][x] + part[1][y][x] + part[2][y][x] + part[3][y][x]) + beta * C[row * N + col];
      __syncthreads();
    }
}

void step4(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
  multiply<<<dim3(2, 3, 5), dim3(16, 4, 4)>>>(M, N, K, alpha, A, B, beta, C);
}
