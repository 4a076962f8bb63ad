// Step one_pass: no atomic addition of floats. Blocks leave their sums in memory, and the one that finishes
// last adds these.
//
// Atomic additions come in any order, and floats round differently in each: two runs may give different sums.
// Here the order is always the same. The blocks count who has finished. A block must make its sum visible
// (__threadfence) before it counts itself, or the last block may add what is not there yet.
#include "reduction.h"

[[maybe_unused]] constexpr int THREADS = 256, WARP = 32, MOST_BLOCKS = 512;
[[maybe_unused]] constexpr unsigned ALL = 0xffffffff;

// The sum over the threads of a block, in thread 0. `part` has a word for each warp.
__device__ float sum_of_block(float mine, float *part) {
  // TODO(1): warps by shuffles, then their sums. Callers may use `part` again: who must wait for whom?
  return mine + part[0];
}

// parts: a word for each block; finished: how many blocks have written theirs, 0 before the first one
__global__ void add_in_one_pass(int n, const float *x, float *sum, float *parts, unsigned *finished) {
  [[maybe_unused]] __shared__ float part[THREADS / WARP];
  float mine = 0.0f;
  // TODO(2): add the elements of this block in strides of the grid.
  mine = sum_of_block(mine, part);
  // TODO(3): leave the sum in parts[blockIdx.x], and count this block as finished. The block that finds all
  // others finished adds the parts.
}

void one_pass(int n, const float *x, float *sum) {
  // TODO(4): memory for the parts and the counter, at most MOST_BLOCKS blocks, and at least one: the sum of
  // nothing is 0.
}
