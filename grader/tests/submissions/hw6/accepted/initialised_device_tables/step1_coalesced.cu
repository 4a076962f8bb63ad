// Tables in __constant__ and __device__ memory with initialisers, one overwritten with cudaMemcpyToSymbolAsync.
// Verdict: accepted.
#include "gemm.h"

__constant__ float one_two[4] = {1, 2, 4, 8};
__constant__ struct {
  int size[3];
  float alpha, beta;
} p;
__device__ const int step[] = {1, 1, 1};
__device__ static float half = 0.5f;

__global__ void multiply(const float *A, const float *B, float *C) {
  int col = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y;
  if (col >= p.size[1]) return;
  float sum = 0;
  for (int k = 0; k < p.size[2]; k += step[k % 3]) sum += A[row * p.size[2] + k] * B[k * p.size[1] + col];
  float *c = C + row * p.size[1] + col;
  *c = p.alpha * (sum * one_two[1]) * half + p.beta * *c * one_two[threadIdx.x % 4] / one_two[threadIdx.x & 3];
}

void step1(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
  struct {
    int size[3];
    float alpha, beta;
  } now = {{M, N, K}, alpha, beta};
  cudaMemcpyToSymbol(p, &now, sizeof now.size, 0);
  cudaMemcpyToSymbolAsync(p, &now.alpha, 2 * sizeof(float), 3 * sizeof(int), cudaMemcpyHostToDevice, 0);
  float h = 0.5f;
  void *where = nullptr;
  cudaGetSymbolAddress(&where, half);
  cudaMemcpy(where, &h, sizeof h, cudaMemcpyHostToDevice);
  multiply<<<dim3((N + 127) / 128, M), 128>>>(A, B, C);
}
