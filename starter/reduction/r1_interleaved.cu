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
  // TODO(2): add up in rounds of growing distance. All threads must meet after each of them.
  // TODO(3): one thread adds the block's sum to the whole one. Other blocks do this too.
}

void interleaved(int n, const float *x, float *sum) {
  // TODO(4): clear the sum, and launch.
}
