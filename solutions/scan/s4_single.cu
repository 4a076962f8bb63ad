// Step single: one pass over the data. A block does not wait for a second kernel to learn what is before it;
// it looks back at the blocks before it (Merrill and Garland, 2016).
//
// Each block first publishes its own sum, and later the sum of everything up to its end. A block walks back
// and adds the sums of single blocks, until it finds one that knows everything up to its end. A state is one
// word of 64 bits, so that the kind and the sum change at once. Blocks take their number from a counter: a
// block that waits for another can be sure that this one runs already.
#include "scan.h"

[[maybe_unused]] constexpr int THREADS = 128, EACH = 8, WARP = 32;
[[maybe_unused]] constexpr unsigned ALL = 0xffffffff;  // the lanes that take part
using State = unsigned long long;
[[maybe_unused]] constexpr State UNKNOWN = 0, OWN = 1,
                                 WHOLE = 2;  // in the upper half; a sum in the lower one

__device__ State state_of(State kind, int sum) {
  return kind << 32 | static_cast<unsigned>(sum);
}

// What all blocks before `block` add up to. One thread calls it.
__device__ int look_back(int block, State *states) {
  // TODO(1): walk back from block - 1. While a state is UNKNOWN, read it again: atomicAdd(&states[b], 0)
  // reads what others write.
  // STUB: return states[block] == UNKNOWN ? 0 : 1;
  // BEGIN SOLUTION
  int before = 0;
  for (int b = block - 1; b >= 0;) {
    const State found = atomicAdd(&states[b], 0ull);
    if (found >> 32 == UNKNOWN) continue;
    before += static_cast<int>(found & 0xffffffff);
    if (found >> 32 == WHOLE) break;
    --b;
  }
  return before;
  // END SOLUTION
}

// states, next: 0 before the launch; next counts the blocks that have begun
__global__ void scan_in_one_pass(int n, const int *x, int *y, State *states, int *next) {
  // TODO(2): a number for this block, in the order in which blocks begin.
  // BEGIN SOLUTION
  __shared__ int part[THREADS * EACH], warps[THREADS / WARP], number, before_block;
  const int t = threadIdx.x;
  if (t == 0) number = atomicAdd(next, 1);
  __syncthreads();
  const int first = number * THREADS * EACH;
  // END SOLUTION
  // TODO(3): scan the block as in step coarse, without what is before it.
  // BEGIN SOLUTION
  for (int k = t; k < THREADS * EACH; k += THREADS) part[k] = first + k < n ? x[first + k] : 0;
  __syncthreads();
  int mine = 0;
  for (int k = 0; k < EACH; ++k) mine += part[t * EACH + k];
  int through = mine;
  for (int distance = 1; distance < WARP; distance *= 2) {
    const int other = __shfl_up_sync(ALL, through, distance);
    if (t % WARP >= distance) through += other;
  }
  if (t % WARP == WARP - 1) warps[t / WARP] = through;
  __syncthreads();
  for (int w = 0; w < t / WARP; ++w) through += warps[w];
  // END SOLUTION
  // TODO(4): publish the block's sum, look back, and publish the sum of everything up to
  // the end of this block.
  // BEGIN SOLUTION
  if (t == THREADS - 1) {
    atomicExch(&states[number], state_of(number == 0 ? WHOLE : OWN, through));
    before_block = number == 0 ? 0 : look_back(number, states);
    if (number > 0) atomicExch(&states[number], state_of(WHOLE, before_block + through));
  }
  __syncthreads();
  // END SOLUTION
  // TODO(5): the results.
  // BEGIN SOLUTION
  int before = before_block + through - mine;
  for (int k = 0; k < EACH; ++k) part[t * EACH + k] = before += part[t * EACH + k];
  __syncthreads();
  for (int k = t; k < THREADS * EACH; k += THREADS)
    if (first + k < n) y[first + k] = part[k];
  // END SOLUTION
}

void single(int n, const int *x, int *y) {
  // TODO(6): memory for the states and the counter, all 0, and one launch.
  // BEGIN SOLUTION
  if (n == 0) return;
  const int blocks = (n + THREADS * EACH - 1) / (THREADS * EACH);
  State *states;
  int *next;
  cudaMalloc(&states, blocks * sizeof(State));
  cudaMalloc(&next, sizeof(int));
  cudaMemset(states, 0, blocks * sizeof(State));
  cudaMemset(next, 0, sizeof(int));
  scan_in_one_pass<<<blocks, THREADS>>>(n, x, y, states, next);
  cudaFree(states);
  cudaFree(next);
  // END SOLUTION
}
