// Step shared: one block computes a row. Neighbouring threads read neighbouring elements, and trees in shared
// memory find what all of them have together.
#include "softmax.h"

[[maybe_unused]] constexpr int THREADS = 256;

// The largest of all threads' numbers, for every thread.
__device__ float largest_of_block(float mine, float *part) {
  // TODO(1): a tree. `part` is needed again afterwards: when may a thread leave?
  return mine;
}

// The sum of all threads' numbers, for every thread.
__device__ float sum_of_block(float mine, float *part) {
  // TODO(2): the same with additions.
  return mine;
}

__global__ void softmax_by_block(int columns, const float *x, float *y) {
  // TODO(3): each thread takes every THREADS-th element. What does a thread without one contribute?
}

void shared(int rows, int columns, const float *x, float *y) {
  // TODO(4): a block for each row.
}
