// Adds only the first element of each thread.
// Verdict: wrong answer with this cause, where a row is longer than a block.
#include "softmax.h"

[[maybe_unused]] constexpr int THREADS = 256;

// The largest of all threads' numbers, for every thread.
__device__ float largest_of_block(float mine, float *part) {
  const int t = threadIdx.x;
  part[t] = mine;
  __syncthreads();
  for (int half = THREADS / 2; half > 0; half /= 2) {
    if (t < half) part[t] = fmaxf(part[t], part[t + half]);
    __syncthreads();
  }
  const float largest = part[0];
  __syncthreads();  // nobody writes to `part` again before all have read
  return largest;
}

// The sum of all threads' numbers, for every thread.
__device__ float sum_of_block(float mine, float *part) {
  const int t = threadIdx.x;
  part[t] = mine;
  __syncthreads();
  for (int half = THREADS / 2; half > 0; half /= 2) {
    if (t < half) part[t] += part[t + half];
    __syncthreads();
  }
  return part[0];
}

__global__ void softmax_by_block(int columns, const float *x, float *y) {
  __shared__ float part[THREADS];
  const float *const in = x + blockIdx.x * columns;
  float largest = in[0];
  for (int c = threadIdx.x; c < columns; c += THREADS) largest = fmaxf(largest, in[c]);
  largest = largest_of_block(largest, part);
  float sum = 0.0f;
  if (int c = threadIdx.x; c < columns) sum += expf(in[c] - largest);
  sum = sum_of_block(sum, part);
  for (int c = threadIdx.x; c < columns; c += THREADS)
    y[blockIdx.x * columns + c] = expf(in[c] - largest) / sum;
}

void shared(int rows, int columns, const float *x, float *y) {
  if (rows == 0) return;
  softmax_by_block<<<rows, THREADS>>>(columns, x, y);
}
