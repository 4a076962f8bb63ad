// A lock per row, taken with atomicCAS and given back with atomicExch, guards the sums that blocks add to.
// Verdict: accepted, slow.
#include "gemm.h"

__device__ int locks[1024];

__global__ void scale(int n, float beta, float *C) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) C[i] *= beta;
}

__global__ void multiply(int M, int N, int K, float alpha, const float *A, const float *B, float *C) {
  int col = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y, half = blockIdx.z;
  float sum = 0;
  if (col < N)
    for (int k = half; k < K; k += 2) sum += A[row * K + k] * B[k * N + col];
  if (threadIdx.x == 0)
    while (atomicCAS(&locks[row % 1024], 0, 1) != 0) __nanosleep(20);
  __syncthreads();
  __threadfence();
  if (col < N) {
    volatile float *c = C + row * N + col;
    *c = *c + alpha * sum;
  }
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) atomicExch(&locks[row % 1024], 0);
}

void step1(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
  scale<<<(M * N + 255) / 256, 256>>>(M * N, beta, C);
  multiply<<<dim3((N + 63) / 64, M, 2), 64>>>(M, N, K, alpha, A, B, C);
}
