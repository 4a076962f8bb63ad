// Step lookback: the pass of step single at the speed of memory. A thread loads 16 elements, four at a time,
// and a whole warp looks back at 32 blocks at once.
//
// In step single, two things cost time. A block has 1024 elements, so there are many blocks, and each waits
// for those before it; and one thread walks back block by block, with a trip to the L2 cache for each. Here a
// block has 4096 elements, which stay in registers: shared memory holds only the sum of each warp.
#include "scan.h"

void lookback(int n, const int *x, int *y);

namespace {

constexpr int THREADS = 256, WARP = 32, VECTORS = 4, WIDTH = 4 * WARP;  // a warp's vectors side by side
constexpr int OF_WARP = VECTORS * WIDTH, OF_BLOCK = THREADS / WARP * OF_WARP;
constexpr unsigned ALL = 0xffffffff;
using State = unsigned long long;
constexpr State UNKNOWN = 0, OWN = 1, WHOLE = 2;  // in the upper half; a sum in the lower one

__device__ State state_of(State kind, int sum) {
  return kind << 32 | static_cast<unsigned>(sum);
}

// What all blocks before `block` add up to, in every lane of the warp that calls it.
__device__ int look_back(int block, const State *states) {
  const int lane = threadIdx.x % WARP;
  int before = 0;
  for (int b = block - 1 - lane;; b -= WARP) {
    State found;
    unsigned whole;
    int used;  // lanes up to the nearest block that knows everything up to its end
    do {
      found = b >= 0 ? *const_cast<const volatile State *>(states + b) : WHOLE << 32;
      whole = __ballot_sync(ALL, found >> 32 == WHOLE);
      used = whole == 0 ? WARP : __ffs(whole);
    } while (__any_sync(ALL, lane < used && found >> 32 == UNKNOWN));
    before += __reduce_add_sync(ALL, lane < used ? static_cast<int>(found & 0xffffffff) : 0);
    if (whole != 0) return before;
  }
}

__device__ int4 load(const int *x, int at, int n) {
  if (at + 3 < n) return *reinterpret_cast<const int4 *>(x + at);
  return {at < n ? x[at] : 0, at + 1 < n ? x[at + 1] : 0, at + 2 < n ? x[at + 2] : 0, 0};
}

__device__ void store(int *y, int at, int n, int4 v) {
  if (at + 3 < n) {
    *reinterpret_cast<int4 *>(y + at) = v;
    return;
  }
  if (at < n) y[at] = v.x;
  if (at + 1 < n) y[at + 1] = v.y;
  if (at + 2 < n) y[at + 2] = v.z;
}

// states, next: 0 before the launch; next counts the blocks that have begun
__global__ void scan_vectors(int n, const int *x, int *y, State *states, int *next) {
  __shared__ int warps[THREADS / WARP], number, before_block;
  const int lane = threadIdx.x % WARP, warp = threadIdx.x / WARP;
  if (threadIdx.x == 0) number = atomicAdd(next, 1);
  __syncthreads();
  const int block = number, first = block * OF_BLOCK + warp * OF_WARP + 4 * lane;
  int4 v[VECTORS];
  for (int k = 0; k < VECTORS; ++k) v[k] = load(x, first + k * WIDTH, n);
  // Each vector becomes the sums up to its elements, within the warp.
  int sum = 0;
  for (int k = 0; k < VECTORS; ++k) {
    v[k].y += v[k].x, v[k].z += v[k].y, v[k].w += v[k].z;
    int through = v[k].w;
    for (int distance = 1; distance < WARP; distance *= 2) {
      const int other = __shfl_up_sync(ALL, through, distance);
      if (lane >= distance) through += other;
    }
    const int before = sum + through - v[k].w;
    v[k].x += before, v[k].y += before, v[k].z += before, v[k].w += before;
    sum += __shfl_sync(ALL, through, WARP - 1);
  }
  if (lane == 0) warps[warp] = sum;
  __syncthreads();
  int before = 0, all = 0;
  for (int w = 0; w < THREADS / WARP; ++w) {
    if (w < warp) before += warps[w];
    all += warps[w];
  }
  if (warp == 0) {
    if (lane == 0) atomicExch(&states[block], state_of(block == 0 ? WHOLE : OWN, all));
    const int blocks_before = block == 0 ? 0 : look_back(block, states);
    if (lane == 0) {
      if (block > 0) atomicExch(&states[block], state_of(WHOLE, blocks_before + all));
      before_block = blocks_before;
    }
  }
  __syncthreads();
  before += before_block;
  for (int k = 0; k < VECTORS; ++k) {
    v[k].x += before, v[k].y += before, v[k].z += before, v[k].w += before;
    store(y, first + k * WIDTH, n, v[k]);
  }
}

}  // namespace

void lookback(int n, const int *x, int *y) {
  if (n == 0) return;
  const int blocks = (n + OF_BLOCK - 1) / OF_BLOCK;
  State *states;
  int *next;
  cudaMalloc(&states, blocks * sizeof(State));
  cudaMalloc(&next, sizeof(int));
  cudaMemset(states, 0, blocks * sizeof(State));
  cudaMemset(next, 0, sizeof(int));
  scan_vectors<<<blocks, THREADS>>>(n, x, y, states, next);
  cudaFree(states);
  cudaFree(next);
}
