// Compares the numbers alone: of equal ones, any may win.
// Verdict: wrong answer.
#include "reduction.h"

[[maybe_unused]] constexpr int THREADS = 256;

// Whether (value, place) comes before (other_value, other_place).
__device__ bool comes_before(float value, int place, float other_value, int other_place) {
  return value < other_value;
}

// values, places: one for each block
__global__ void smallest_of_block(int n, const float *x, const int *from, float *values, int *places) {
  __shared__ float value[THREADS];
  __shared__ int place[THREADS];
  const int t = threadIdx.x, first = blockIdx.x * THREADS, i = first + t;
  value[t] = i < n ? x[i] : x[first];
  place[t] = i < n ? (from ? from[i] : i) : (from ? from[first] : first);
  __syncthreads();
  for (int distance = THREADS / 2; distance > 0; distance /= 2) {
    if (t < distance && comes_before(value[t + distance], place[t + distance], value[t], place[t])) {
      value[t] = value[t + distance];
      place[t] = place[t + distance];
    }
    __syncthreads();
  }
  if (t == 0) {
    values[blockIdx.x] = value[0];
    places[blockIdx.x] = place[0];
  }
}

void argmin(int n, const float *x, int *place) {
  const int blocks = (n + THREADS - 1) / THREADS;
  float *values;
  int *places;
  cudaMalloc(&values, 2 * blocks * sizeof(float));
  cudaMalloc(&places, 2 * blocks * sizeof(int));
  const int *from = nullptr;
  for (int left = n, half = 0; from == nullptr || left > 1; half = 1 - half) {
    const int needed = (left + THREADS - 1) / THREADS;
    float *const to = values + half * blocks;
    int *const to_places = needed == 1 ? place : places + half * blocks;
    smallest_of_block<<<needed, THREADS>>>(left, x, from, to, to_places);
    x = to, from = to_places, left = needed;
  }
  cudaFree(values);
  cudaFree(places);
}
