// Keeps rows of A in constant memory, to which the launcher copies them, in place of tiles in shared memory. A few
// bytes of shared memory hold a column's number, so that some is used.
// Verdict: rule_violation, since what is read from constant memory is not counted.
#include "gemm.h"

constexpr int FLOATS = 16384;
__constant__ float rows_of_a[FLOATS];

__global__ void multiply(int M, int N, int K, float alpha, const float *B, float beta, float *C) {
  __shared__ int columns[256];
  columns[threadIdx.x] = blockIdx.x * 256 + threadIdx.x;
  __syncthreads();
  const int col = columns[threadIdx.x];
  if (col >= N) return;
  for (int row = 0; row < M; row++) {
    float sum = 0;
    for (int k = 0; k < K; k++) sum += rows_of_a[row * K + k] * B[k * N + col];
    C[row * N + col] = alpha * sum + beta * C[row * N + col];
  }
}

void step2(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
  const int rows = FLOATS / K;
  for (int first = 0; first < M; first += rows) {
    const int count = M - first < rows ? M - first : rows;
    cudaMemcpyToSymbol(rows_of_a, A + first * K, sizeof(float) * count * K, 0, cudaMemcpyDeviceToDevice);
    multiply<<<(N + 255) / 256, 256>>>(count, N, K, alpha, B, beta, C + first * N);
  }
}
