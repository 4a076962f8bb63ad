// Step sequential: the same with the distances the other way round.
//
// The first half of the threads adds what the second half has brought, then the first quarter what the second
// quarter has. The threads that work are neighbours, so whole warps work or have finished; and they access
// neighbouring words.
#include "reduction.h"

[[maybe_unused]] constexpr int THREADS = 256;

__global__ void add_sequential(int n, const float *x, float *sum) {
  [[maybe_unused]] __shared__ float part[THREADS];
  // TODO(1): bring one element per thread to `part`, and add up in rounds of shrinking distance.
}

void sequential(int n, const float *x, float *sum) {
  // TODO(2): clear the sum, and launch.
}
