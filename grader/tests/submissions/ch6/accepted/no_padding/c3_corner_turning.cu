// Turns the corner in a tile whose rows are as long as there are banks.
// Verdict: accepted, and no points for the banks.
#include "layouts.h"

[[maybe_unused]] constexpr int TILE = 32;

__global__ void multiply_turned(int n, const float *M, const float *N, float *P) {
  __shared__ float m_tile[TILE][TILE];
  __shared__ float n_tile[TILE][TILE];  // [row of N][column of N]
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
}

void corner_turning(int n, const float *M, const float *N, float *P) {
  const int blocks = (n + TILE - 1) / TILE;
  multiply_turned<<<dim3(blocks, blocks), dim3(TILE, TILE)>>>(n, M, N, P);
}
