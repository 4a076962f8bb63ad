// Threads compare several elements each, warps pass on pairs by shuffles, and a second launch compares the blocks' results.
#include "reduction.h"

[[maybe_unused]] constexpr int THREADS = 256, WARP = 32, EACH = 8;

__device__ void take(float &value, int &place, float other, int other_place) {
  if (other < value || (other == value && other_place < place)) value = other, place = other_place;
}

__device__ void least_of_block(float value, int place, float *values, int *places) {
  __shared__ float of_warp[THREADS / WARP];
  __shared__ int where[THREADS / WARP];
  for (int bit = WARP / 2; bit > 0; bit /= 2)
    take(value, place, __shfl_xor_sync(0xffffffff, value, bit), __shfl_xor_sync(0xffffffff, place, bit));
  if (threadIdx.x % WARP == 0) of_warp[threadIdx.x / WARP] = value, where[threadIdx.x / WARP] = place;
  __syncthreads();
  if (threadIdx.x > 0) return;
  for (int w = 1; w < THREADS / WARP; ++w) take(value, place, of_warp[w], where[w]);
  if (values != nullptr) values[blockIdx.x] = value;
  places[blockIdx.x] = place;
}

__global__ void least_of_each(int n, const float *x, float *values, int *places) {
  const int first = blockIdx.x * THREADS * EACH + threadIdx.x;
  float value = x[0];
  int place = 0;
#pragma unroll
  for (int k = 0; k < EACH; ++k)
    if (const int i = first + k * THREADS; i < n) take(value, place, x[i], i);
  least_of_block(value, place, values, places);
}

__global__ void least_of_all(int n, const float *values, const int *places, int *best) {
  float value = values[0];
  int place = places[0];
  for (int i = threadIdx.x; i < n; i += THREADS) take(value, place, values[i], places[i]);
  least_of_block(value, place, nullptr, best);
}

void argmin(int n, const float *x, int *place) {
  constexpr int per_block = THREADS * EACH;
  const int blocks = (n + per_block - 1) / per_block;
  float *values;
  int *places;
  cudaMalloc(&values, blocks * sizeof(float));
  cudaMalloc(&places, blocks * sizeof(int));
  least_of_each<<<blocks, THREADS>>>(n, x, values, places);
  least_of_all<<<1, THREADS>>>(blocks, values, places, place);
  cudaFree(values);
  cudaFree(places);
}
