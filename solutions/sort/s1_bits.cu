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
  // BEGIN SOLUTION
  const int i = blockIdx.x * THREADS + threadIdx.x;
  const int count = __syncthreads_count(i < n && (keys[i] >> bit & 1) == 0);
  if (threadIdx.x == 0) zeros[blockIdx.x] = count;
  // END SOLUTION
}

// starts[b] = how many zeros are in the blocks before b; starts[blocks] = in all blocks. One block runs this.
__global__ void start_of_zeros(int blocks, const int *zeros, int *starts) {
  // TODO(2): a scan. blocks may be more than THREADS: each round of a loop scans THREADS numbers, and carries
  // on from the last sum.
  // BEGIN SOLUTION
  __shared__ int part[THREADS];
  const int t = threadIdx.x;
  int carry = 0;
  for (int first = 0; first < blocks; first += THREADS) {
    const int mine = first + t < blocks ? zeros[first + t] : 0;
    part[t] = mine;
    __syncthreads();
    for (int distance = 1; distance < THREADS; distance *= 2) {
      const int before = t >= distance ? part[t - distance] : 0;
      __syncthreads();
      part[t] += before;
      __syncthreads();
    }
    if (first + t < blocks) starts[first + t] = carry + part[t] - mine;
    carry += part[THREADS - 1];
    __syncthreads();
  }
  if (t == 0) starts[blocks] = carry;
  // END SOLUTION
}

__global__ void move_by_bit(int n, int bit, int blocks, const int *starts, const unsigned *keys,
                            const unsigned *values, unsigned *to_keys, unsigned *to_values) {
  // TODO(3): count the zeros before this thread's key: in the blocks before, in the warps before, and in the
  // lanes before. __ballot_sync gives one bit for each lane, and __popc counts bits.
  // BEGIN SOLUTION
  __shared__ int warps[THREADS / WARP];
  const int t = threadIdx.x, lane = t % WARP, i = blockIdx.x * THREADS + t;
  const bool zero = i < n && (keys[i] >> bit & 1) == 0;
  const unsigned zeros = __ballot_sync(ALL, zero);
  if (lane == 0) warps[t / WARP] = __popc(zeros);
  __syncthreads();
  int before = starts[blockIdx.x] + __popc(zeros & ((1u << lane) - 1));
  for (int w = 0; w < t / WARP; ++w) before += warps[w];
  // END SOLUTION
  // TODO(4): the place of the key, and of the value with it.
  // BEGIN SOLUTION
  if (i < n) {
    const int place = zero ? before : starts[blocks] + i - before;
    to_keys[place] = keys[i];
    to_values[place] = values[i];
  }
  // END SOLUTION
}

void bits(int n, const unsigned *keys, const unsigned *values, unsigned *sorted_keys,
          unsigned *sorted_values) {
  // TODO(5): memory for the counts and for a second copy of the pairs; then BITS passes of three launches.
  // A pass cannot write where it reads. Where does the last one write?
  // BEGIN SOLUTION
  if (n == 0) return;
  const int blocks = (n + THREADS - 1) / THREADS;
  unsigned *other;
  int *zeros;
  cudaMalloc(&other, 2 * n * sizeof(unsigned));
  cudaMalloc(&zeros, (2 * blocks + 1) * sizeof(int));
  for (int bit = 0; bit < BITS; ++bit) {
    const bool to_other = bit % 2 == 0;
    unsigned *to_keys = to_other ? other : sorted_keys, *to_values = to_other ? other + n : sorted_values;
    count_zeros<<<blocks, THREADS>>>(n, bit, keys, zeros);
    start_of_zeros<<<1, THREADS>>>(blocks, zeros, zeros + blocks);
    move_by_bit<<<blocks, THREADS>>>(n, bit, blocks, zeros + blocks, keys, values, to_keys, to_values);
    keys = to_keys;
    values = to_values;
  }
  cudaFree(other);
  cudaFree(zeros);
  // END SOLUTION
}
