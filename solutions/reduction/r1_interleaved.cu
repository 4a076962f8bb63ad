// Step interleaved: a block adds its elements in pairs, in log2(THREADS) rounds, and adds the result to the
// sum.
//
// In the first round, threads 0, 2, 4, ... add their right neighbour; then threads 0, 4, 8, ... the one two
// further on; and so on. Half of the lanes of every warp have nothing to do in the first round, three
// quarters in the second.
#include "reduction.h"

[[maybe_unused]] constexpr int THREADS = 256;

__global__ void add_interleaved(int n, const float *x, float *sum) {
  [[maybe_unused]] __shared__ float part[THREADS];
  // TODO(1): bring one element per thread to `part`. Beyond the end, it is 0.
  // BEGIN SOLUTION
  const int t = threadIdx.x, i = blockIdx.x * THREADS + t;
  part[t] = i < n ? x[i] : 0.0f;
  __syncthreads();
  // END SOLUTION
  // TODO(2): add up in rounds of growing distance. All threads must meet after each of them.
  // BEGIN SOLUTION
  for (int distance = 1; distance < THREADS; distance *= 2) {
    if (t % (2 * distance) == 0) part[t] += part[t + distance];
    __syncthreads();
  }
  // END SOLUTION
  // TODO(3): one thread adds the block's sum to the whole one. Other blocks do this too.
  // BEGIN SOLUTION
  if (t == 0) atomicAdd(sum, part[0]);
  // END SOLUTION
}

void interleaved(int n, const float *x, float *sum) {
  // TODO(4): clear the sum, and launch.
  // BEGIN SOLUTION
  cudaMemset(sum, 0, sizeof(float));
  if (n > 0) add_interleaved<<<(n + THREADS - 1) / THREADS, THREADS>>>(n, x, sum);
  // END SOLUTION
}
