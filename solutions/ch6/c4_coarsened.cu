// Step coarsening: a block computes `factor` neighbouring tiles in a row of P. They share one tile of M,
// which is loaded once for all of them instead of once for each. A thread computes `factor` elements.
#include "layouts.h"

[[maybe_unused]] constexpr int TILE = 32;

template <int FACTOR>
__global__ void multiply_coarsened(int n, const float *M, const float *N, float *P) {
  // TODO(1): keep FACTOR sums. In every stride of k, load the tile of M once, then the tiles of N one by one.
  // Mind the barriers between them: which threads may still read the tile that you overwrite?
  // BEGIN SOLUTION
  __shared__ float m_tile[TILE][TILE], n_tile[TILE][TILE];
  const int x = threadIdx.x, y = threadIdx.y;
  const int row = blockIdx.y * TILE + y;
  const int first_column = blockIdx.x * TILE * FACTOR + x;
  float sums[FACTOR] = {};
  for (int first = 0; first < n; first += TILE) {
    m_tile[y][x] = row < n && first + x < n ? M[row * n + first + x] : 0.0f;
#pragma unroll
    for (int f = 0; f < FACTOR; ++f) {
      const int column = first_column + f * TILE;
      n_tile[y][x] = first + y < n && column < n ? N[(first + y) * n + column] : 0.0f;
      __syncthreads();
      for (int k = 0; k < TILE; ++k) sums[f] += m_tile[y][k] * n_tile[k][x];
      __syncthreads();
    }
  }
#pragma unroll
  for (int f = 0; f < FACTOR; ++f) {
    const int column = first_column + f * TILE;
    if (row < n && column < n) P[row * n + column] = sums[f];
  }
  // END SOLUTION
}

template <int FACTOR>
static void launch(int n, const float *M, const float *N, float *P) {
  // TODO(2): how many blocks does the grid need along x if each covers TILE * FACTOR columns?
  // BEGIN SOLUTION
  const int wide = TILE * FACTOR;
  const dim3 grid((n + wide - 1) / wide, (n + TILE - 1) / TILE);
  multiply_coarsened<FACTOR><<<grid, dim3(TILE, TILE)>>>(n, M, N, P);
  // END SOLUTION
}

void coarsened(int n, int factor, const float *M, const float *N, float *P) {
  if (factor == 1) launch<1>(n, M, N, P);
  if (factor == 2) launch<2>(n, M, N, P);
  if (factor == 4) launch<4>(n, M, N, P);
  if (factor == 8) launch<8>(n, M, N, P);
}
