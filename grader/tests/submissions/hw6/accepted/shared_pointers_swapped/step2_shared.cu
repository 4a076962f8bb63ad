// Swaps pointers to two halves of shared memory instead of an index; generic pointers go through a function.
// Verdict: accepted.
#include "gemm.h"

constexpr int T = 16;

__device__ __noinline__ float row_by_column(const float *a, const float *b) {
  float sum = 0;
  for (int k = 0; k < T; ++k) sum += a[k] * b[k * T];
  return sum;
}

__global__ void multiply(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
  __shared__ float first[2][T * T], second[2][T * T];
  float *now = first[0], *next = second[0];
  int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * T + y, col = blockIdx.x * T + x;
  auto load = [=](float *to, int k0) {
    to[y * T + x] = row < M && k0 + x < K ? A[row * K + k0 + x] : 0;
    to[T * T + y * T + x] = col < N && k0 + y < K ? B[(k0 + y) * N + col] : 0;
  };
  load(now, 0);
  __syncthreads();
  float sum = 0;
  for (int k0 = 0; k0 < K; k0 += T) {
    if (k0 + T < K) load(next, k0 + T);
    sum += row_by_column(now + y * T, now + T * T + x);
    __syncthreads();
    float *t = now;
    now = next;
    next = t;
  }
  if (row < M && col < N) C[row * N + col] = alpha * sum + beta * C[row * N + col];
}

void step2(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
  multiply<<<dim3((N + T - 1) / T, (M + T - 1) / T), dim3(T, T)>>>(M, N, K, alpha, A, B, beta, C);
}
