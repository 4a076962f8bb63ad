// Step corner_turning: N is column-major again, but all of its loads are coalesced. A block copies tiles to
// shared memory, where the order does not matter, and exchanges rows and columns of a tile of N on the way.
#include "layouts.h"

[[maybe_unused]] constexpr int TILE = 32;

__global__ void multiply_turned(int n, const float *M, const float *N, float *P) {
  // TODO(1): declare the two tiles. In which of them does a warp write down a column, and what bank conflicts
  // does that cause unless its rows are one element longer?
  // BEGIN SOLUTION
  __shared__ float m_tile[TILE][TILE];
  __shared__ float n_tile[TILE][TILE + 1];  // [row of N][column of N]
  // END SOLUTION
  // TODO(2): walk along k tile by tile. Let threadIdx.x count along memory in every load, both of M and of N.
  // Elements outside a matrix count as zero.
  // BEGIN SOLUTION
  const int x = threadIdx.x, y = threadIdx.y;
  const int first_row = blockIdx.y * TILE, first_column = blockIdx.x * TILE;
  const int row = first_row + y, column = first_column + x;
  const int turned = first_column + y;  // the column of N that this thread loads from
  float sum = 0.0f;
  for (int first = 0; first < n; first += TILE) {
    const bool inside = first + x < n;
    m_tile[y][x] = row < n && inside ? M[row * n + first + x] : 0.0f;
    n_tile[x][y] = turned < n && inside ? N[turned * n + first + x] : 0.0f;
    __syncthreads();
    for (int k = 0; k < TILE; ++k) sum += m_tile[y][k] * n_tile[k][x];
    __syncthreads();
  }
  if (row < n && column < n) P[row * n + column] = sum;
  // END SOLUTION
}

void corner_turning(int n, const float *M, const float *N, float *P) {
  // TODO(3): one block of TILE x TILE threads for each tile of P.
  // BEGIN SOLUTION
  const int blocks = (n + TILE - 1) / TILE;
  multiply_turned<<<dim3(blocks, blocks), dim3(TILE, TILE)>>>(n, M, N, P);
  // END SOLUTION
}
