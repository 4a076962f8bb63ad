// Lets the runtime choose: properties, attributes, occupancy, potential block size, limits, versions.
// Verdict: accepted.
#include "gemm.h"

#include <cassert>
#include <cstdio>

__global__ void multiply(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < M * N; i += gridDim.x * blockDim.x) {
    int row = i / N, col = i % N;
    float sum = 0;
    for (int k = 0; k < K; k++) sum += A[row * K + k] * B[k * N + col];
    C[i] = alpha * sum + beta * C[i];
  }
}

void step1(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
  int device = -1, count = 0, sms = 0, least = 0, block = 0, per_sm = 0, version = 0;
  assert(cudaGetDeviceCount(&count) == cudaSuccess && count >= 1);
  cudaGetDevice(&device);
  cudaSetDevice(device);
  cudaDeviceProp prop;
  cudaGetDeviceProperties(&prop, device);
  cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device);
  cudaRuntimeGetVersion(&version);
  cudaFuncAttributes attributes;
  cudaFuncGetAttributes(&attributes, multiply);
  cudaOccupancyMaxPotentialBlockSize(&least, &block, multiply, 0, 0);
  cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_sm, multiply, block, 0);
  std::printf("%s: %d blocks of %d, %d registers\n", prop.name, least, block, attributes.numRegs);
  assert(prop.warpSize == 32 && prop.multiProcessorCount == sms && block % 32 == 0 && block <= prop.maxThreadsPerBlock);
  assert(attributes.maxThreadsPerBlock >= block && per_sm >= 1);
  size_t room = 0, total = 0;
  cudaMemGetInfo(&room, &total);
  multiply<<<sms * per_sm, block>>>(M, N, K, alpha, A, B, beta, C);
  assert(cudaGetLastError() == cudaSuccess);
  assert(cudaDeviceSynchronize() == cudaSuccess);
}
