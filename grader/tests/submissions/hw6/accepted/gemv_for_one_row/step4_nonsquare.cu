// Dispatches by shape: a row times B with a thread per column, A times a column with a warp per row, else tiles.
// Verdict: accepted.
#include "gemm.h"

__global__ void row_times_matrix(int N, int K, float alpha, const float *a, const float *B, float beta, float *c) {
  int col = blockIdx.x * blockDim.x + threadIdx.x;
  if (col >= N) return;
  float sum = 0;
  for (int k = 0; k < K; ++k) sum = fmaf(__ldg(&a[k]), B[(size_t)k * N + col], sum);
  c[col] = alpha * sum + beta * c[col];
}

__global__ void matrix_times_column(int M, int K, float alpha, const float *A, const float *b, float beta, float *c) {
  int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x & 31;
  if (row >= M) return;
  float sum = 0;
  for (int k = lane; k < K; k += 32) sum += A[(size_t)row * K + k] * b[k];
  for (int d = 16; d; d >>= 1) sum += __shfl_down_sync(~0u, sum, d);
  if (lane == 0) c[row] = alpha * sum + beta * c[row];
}

template <int T>
__global__ void tiles(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
  __shared__ float a[T][T], b[T][T + 1];
  int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * T + y, col = blockIdx.x * T + x;
  float sum = 0;
  for (int k0 = 0; k0 < K; k0 += T) {
    a[y][x] = row < M && k0 + x < K ? A[(size_t)row * K + k0 + x] : 0;
    b[y][x] = col < N && k0 + y < K ? B[(size_t)(k0 + y) * N + col] : 0;
    __syncthreads();
    for (int k = 0; k < T; ++k) sum += a[y][k] * b[k][x];
    __syncthreads();
  }
  if (row < M && col < N) C[(size_t)row * N + col] = alpha * sum + beta * C[(size_t)row * N + col];
}

void step4(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
  if (M == 1)
    row_times_matrix<<<(N + 127) / 128, 128>>>(N, K, alpha, A, B, beta, C);
  else if (N == 1)
    matrix_times_column<<<(M + 3) / 4, 128>>>(M, K, alpha, A, B, beta, C);
  else
    tiles<16><<<dim3((N + 15) / 16, (M + 15) / 16), dim3(16, 16)>>>(M, N, K, alpha, A, B, beta, C);
}
