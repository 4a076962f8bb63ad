// Step compact: keep the elements that are not negative, in their order.
//
// A scan says where each of them goes: the sum over "is kept" of everything up to an element counts the kept
// ones.
#include "scan.h"

[[maybe_unused]] constexpr int THREADS = 256;

// places[i] = how many of the elements of i's block, up to i, are kept; counts[b] = how many of block b are.
__global__ void count_kept(int n, const int *x, int *places, int *counts) {
  // TODO(1): the scan of step kogge over ones and zeros.
}

// starts[b] = how many are kept in the blocks before b; kept[0] = in all blocks. One block runs this.
__global__ void start_of_blocks(int blocks, const int *counts, int *starts, int *kept) {
  // TODO(2): blocks may be more than THREADS. Each round of a loop scans THREADS counts, and carries on from
  // the last sum.
}

__global__ void move_kept(int n, const int *x, int *y, const int *places, const int *starts) {
  // TODO(3): write each kept element to its place.
}

void compact(int n, const int *x, int *y, int *kept) {
  // TODO(4): memory, and three launches. If there are no elements, none are kept.
}
