// Step product_allreduce: the product of step split_k, with all of C on every device. C is computed in pieces
// of some rows: while the parts of one piece are added up and sent to all devices, the next piece is
// multiplied.
//
// Each device adds up its share of a piece: its kernel reads it from all devices, and stores the sum to all
// of them. So each byte takes one step where a ring takes many, and no more bytes travel.
#include <algorithm>

#include "multi.h"

[[maybe_unused]] constexpr int TILE = 16, THREADS = 256, MOST_BLOCKS = 64, PIECES = 8;

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

// Where a share is on each device: its parts, and its place in C.
struct Share {
  const float *part[MOST_DEVICES];
  float *sum[MOST_DEVICES];
};

__global__ void add_and_send(int devices, int count, Share share) {
  // TODO(1): the sum of part[d][i] over all d becomes sum[d][i] for all d, for 0 <= i < count.
}

void product_allreduce(int devices, int m, int n, int k, const float *const *A, const float *const *B,
                       float *const *C) {
  // TODO(2): for each device: access to the others, memory, two streams and an event.

  // TODO(3): for each piece: all devices multiply it; then each of them waits for all, adds up its share and
  // sends it.

  // TODO(4): free everything when nobody needs it any more.
}
