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
  return states[block] == UNKNOWN ? 0 : 1;
}

// states, next: 0 before the launch; next counts the blocks that have begun
__global__ void scan_in_one_pass(int n, const int *x, int *y, State *states, int *next) {
  // TODO(2): a number for this block, in the order in which blocks begin.
  // TODO(3): scan the block as in step coarse, without what is before it.
  // TODO(4): publish the block's sum, look back, and publish the sum of everything up to
  // the end of this block.
  // TODO(5): the results.
}

void single(int n, const int *x, int *y) {
  // TODO(6): memory for the states and the counter, all 0, and one launch.
}
