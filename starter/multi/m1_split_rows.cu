// Step split_rows: each device computes its rows of C = A B. It holds its rows of A, but only a part of B,
// and first gathers all of B.
//
// Every device fetches what it needs into memory of its own, in its own stream. So the product, in the same
// stream, begins when B is there, and since nobody writes to A or B, no device has to wait for another.
#include "multi.h"

[[maybe_unused]] constexpr int TILE = 16;

// C = A B on one device: the product with tiles in shared memory that you know.
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

void split_rows(int devices, int m, int n, int k, const float *const *A, const float *const *B,
                float *const *C) {
  // TODO(1): for each device: let it access the memory of the others, allocate memory for all of B, and
  // create a stream that does not wait for the default stream.

  // TODO(2): for each device: copy the parts of B from the devices that hold them, and multiply.

  // TODO(3): free everything when nobody needs it any more.
}
