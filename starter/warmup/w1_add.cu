// Step add: the first kernel. One thread adds one pair of numbers.
//
// A thread knows its number within its block (threadIdx.x), the number of its block (blockIdx.x) and how many
// threads a block has (blockDim.x). Blocks are whole, so the last one usually has more threads than there are
// elements left.
#include "warmup.h"

[[maybe_unused]] constexpr int THREADS = 256;

__global__ void add_element(int n, const float *x, const float *y, float *z) {
  // TODO(1): which element is this thread's? There may be none for it.
}

void add(int n, const float *x, const float *y, float *z) {
  // TODO(2): launch enough blocks of THREADS threads for n elements. A grid of no blocks is an error: what if
  // n is 0?
}
