// Step kogge: the scan of Kogge and Stone. In round d, each element adds the one d places before it; d
// doubles each time.
//
// After log2(THREADS) rounds, every element of a block has its sum. The blocks do not know of each other: the
// last element of each is scanned in turn, and the results are added to the blocks that follow.
#include "scan.h"

[[maybe_unused]] constexpr int THREADS = 256;

// Scans each block on its own, and leaves its last sum in sums[blockIdx.x].
__global__ void scan_blocks(int n, const int *x, int *y, int *sums) {
  [[maybe_unused]] __shared__ int part[THREADS];
  // TODO(1): bring one element per thread. Beyond the end, it is 0.
  // TODO(2): the rounds. A thread reads what another writes in the same round: who must wait for whom, and
  // when?
  // TODO(3): the results, and the sum of the block.
}

// Adds to each block what all blocks before it add up to.
__global__ void add_before(int n, int *y, const int *sums) {
  // TODO(4): the first block has none before it.
}

void kogge(int n, const int *x, int *y) {
  // TODO(5): scan the blocks, then their sums (this function does that), then add. One block alone needs no
  // more.
}
