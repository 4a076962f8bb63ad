// Step split_k: each device holds some columns of A and the same rows of B. Their product has the size of C,
// but each element of it is only a part of the sum. So the parts of all devices are added up.
//
// Each device adds up its own rows of C only. Its kernel reads these rows from the memory of all devices:
// nothing travels that is not needed. It may begin when all devices have finished their parts, which events
// tell.
#include <algorithm>

#include "multi.h"

[[maybe_unused]] constexpr int TILE = 16, THREADS = 256, MOST_BLOCKS = 512;

// C = A B on one device; all zeros if k is 0.
__global__ void multiply(int m, int n, int k, const float *A, const float *B, float *C) {
  __shared__ float a_tile[TILE][TILE], b_tile[TILE][TILE];
  const int x = threadIdx.x, y = threadIdx.y;
  const int row = blockIdx.y * TILE + y, column = blockIdx.x * TILE + x;
  float sum = 0.0f;
  for (int first = 0; first < k; first += TILE) {
    a_tile[y][x] = row < m && first + x < k ? A[row * k + first + x] : 0.0f;
    b_tile[y][x] = first + y < k && column < n ? B[(first + y) * n + column] : 0.0f;
    __syncthreads();
    for (int i = 0; i < TILE; ++i) sum += a_tile[y][i] * b_tile[i][x];
    __syncthreads();
  }
  if (row < m && column < n) C[row * n + column] = sum;
}

// A kernel cannot read the host's arrays, so it gets the pointers by value.
struct Parts {
  const float *of[MOST_DEVICES];
};

__global__ void add_parts(int devices, int count, Parts parts, float *sums) {
  // TODO(1): sums[i] is the sum of all parts[d][i], for 0 <= i < count.
}

void split_k(int devices, int m, int n, int k, const float *const *A, const float *const *B,
             float *const *C) {
  // TODO(2): for each device: let it access the memory of the others, allocate memory for its part, create
  // its event.

  // TODO(3): for each device: compute its part, and record its event. A device without columns of A has a
  // part too.

  // TODO(4): for each device: wait for all parts, and add up the device's rows of C.

  // TODO(5): free the memory when nobody needs it any more.
}
