// Step coarse: a thread scans EACH elements in registers; only the sums of the threads are scanned by all
// together, by shuffles within warps and through shared memory between them.
//
// The rounds cost barriers, and they are as many for EACH times as many elements. Neighbouring elements of a
// thread would make strided loads, so the elements pass through shared memory first.
#include "scan.h"

[[maybe_unused]] constexpr int THREADS = 128, EACH = 8, WARP = 32;
[[maybe_unused]] constexpr unsigned ALL = 0xffffffff;  // the lanes that take part

// The sum over this lane and all before it in the warp.
__device__ int scan_warp(int mine) {
  // TODO(1): five rounds of __shfl_up_sync. The first lanes have no one to add.
  return mine;
}

__global__ void scan_coarse_blocks(int n, const int *x, int *y, int *sums) {
  [[maybe_unused]] __shared__ int part[THREADS * EACH], warps[THREADS / WARP];
  [[maybe_unused]] const int t = threadIdx.x, first = blockIdx.x * THREADS * EACH;
  // TODO(2): bring the block's elements; neighbouring threads load neighbouring elements.
  // TODO(3): add up this thread's EACH elements, and scan these sums over the block.
  // TODO(4): this thread's elements, each with what is before it; then the results, and the sum of the block.
}

__global__ void add_to_coarse_blocks(int n, int *y, const int *sums) {
  // TODO(5): as before; a block has more elements now.
}

void coarse(int n, const int *x, int *y) {
  // TODO(6): as before.
}
