// Hunt h05: P = M N for n x n matrices. A block computes a tile of P from tiles of M and N in shared memory.
//
// TODO(1): find the fault, fix it below, and write here where it was and what it was.
// answer line:
// answer cause:
#include "hunts.h"

constexpr int TILE = 16;

__global__ void multiply_tiles(int n, const float *M, const float *N, float *P) {
  __shared__ float m[TILE][TILE], v[TILE][TILE];
  const int x = threadIdx.x, y = threadIdx.y;
  const int row = blockIdx.y * TILE + y, column = blockIdx.x * TILE + x;
  float sum = 0.0f;
  for (int k0 = 0; k0 < n; k0 += TILE) {
    m[y][x] = row < n && k0 + x < n ? M[row * n + k0 + x] : 0.0f;
    v[y][x] = k0 + y < n && column < n ? N[(k0 + y) * n + column] : 0.0f;
    __syncthreads();
    for (int k = 0; k < TILE; ++k) sum += m[y][k] * v[k][x];
  }
  if (row < n && column < n) P[row * n + column] = sum;
}

void product_square(int n, const float *M, const float *N, float *P) {
  const dim3 grid((n + TILE - 1) / TILE, (n + TILE - 1) / TILE);
  multiply_tiles<<<grid, dim3(TILE, TILE)>>>(n, M, N, P);
}
