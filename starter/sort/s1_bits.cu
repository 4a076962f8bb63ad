// Step bits: one bit a pass, from the lowest to the highest. A pass moves the keys with a 0 before those with
// a 1, and changes nothing else about their order.
//
// Because a pass keeps the order of equal bits, the passes before it are not undone. A key with a 0 goes
// after all zeros before it. A key with a 1 goes after all zeros and all ones before it. So counting zeros
// is enough.
#include "sort.h"

[[maybe_unused]] constexpr int THREADS = 256, WARP = 32, BITS = 32;
[[maybe_unused]] constexpr unsigned ALL = 0xffffffff;  // the lanes that take part

// zeros[b] = how many keys of block b have a 0 at `bit`.
__global__ void count_zeros(int n, int bit, const unsigned *keys, int *zeros) {
  // TODO(1): __syncthreads_count says for how many threads of the block something holds. The last block has
  // too many threads.
}

// starts[b] = how many zeros are in the blocks before b; starts[blocks] = in all blocks. One block runs this.
__global__ void start_of_zeros(int blocks, const int *zeros, int *starts) {
  // TODO(2): a scan. blocks may be more than THREADS: each round of a loop scans THREADS numbers, and carries
  // on from the last sum.
}

__global__ void move_by_bit(int n, int bit, int blocks, const int *starts, const unsigned *keys,
                            const unsigned *values, unsigned *to_keys, unsigned *to_values) {
  // TODO(3): count the zeros before this thread's key: in the blocks before, in the warps before, and in the
  // lanes before. __ballot_sync gives one bit for each lane, and __popc counts bits.
  // TODO(4): the place of the key, and of the value with it.
}

void bits(int n, const unsigned *keys, const unsigned *values, unsigned *sorted_keys,
          unsigned *sorted_values) {
  // TODO(5): memory for the counts and for a second copy of the pairs; then BITS passes of three launches.
  // A pass cannot write where it reads. Where does the last one write?
}
