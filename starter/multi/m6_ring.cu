// Step ring_allreduce: every device gets the sum of the arrays of all devices. The devices form a ring: each
// receives from the one before it, its left neighbour. Arrays are cut into as many chunks as there are
// devices.
//
// Reduce-scatter: sums of chunks travel around the ring, and each device adds its own elements to the sum
// that arrives. After devices - 1 rounds, device d has all of the sum of chunk d + 1. All-gather: the
// finished chunks travel around once more. In each round each device receives one chunk, so all links are
// busy all the time.
#include <algorithm>

#include "multi.h"

[[maybe_unused]] constexpr int THREADS = 256, MOST_BLOCKS = 1024;

// sum[i] = mine[i] + received[i]. received is in the memory of the left neighbour.
__global__ void add(int count, const float *__restrict__ mine, const float *__restrict__ received,
                    float *__restrict__ sum) {
  // TODO(1): for any number of blocks.
}

void ring_allreduce(int devices, int n, const float *const *in, float *const *out) {
  // TODO(2): for each device: let it access the memory of its left neighbour, and create a stream and an
  // event.

  // TODO(3): the rounds: first those of the reduce-scatter, then those of the all-gather. Which chunk does
  // device d receive in each? For whom must it wait?

  // TODO(4): destroy streams and events.
}
