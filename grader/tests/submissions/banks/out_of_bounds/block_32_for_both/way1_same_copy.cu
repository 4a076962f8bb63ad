// One tile too many in each direction.
#include "tiles.h"

template <int BLOCK, bool TRANSPOSED>
__global__ void multiply_way1(int n, const float *A, const float *B, float *C) {
  __shared__ float a_tile[BLOCK][BLOCK];
  __shared__ float tile[BLOCK][BLOCK];
  const int x = threadIdx.x, y = threadIdx.y;
  const int row = blockIdx.y * BLOCK, column = blockIdx.x * BLOCK;

  float sum = 0.0f;
  for (int first = 0; first < n; first += BLOCK) {
    // Where the part of B begins that these columns of C need: below row `first`, or, for B', right of column
    // `first`.
    const float *from = TRANSPOSED ? B + column * n + first : B + first * n + column;
    a_tile[y][x] = A[(row + y) * n + first + x];
    tile[y][x] = from[y * n + x];  // to the tile
    __syncthreads();
    for (int k = 0; k < BLOCK; ++k)
      if (TRANSPOSED)
        sum += a_tile[y][k] * tile[x][k];  // from the tile of B'
      else
        sum += a_tile[y][k] * tile[k][x];  // from the tile of B
    __syncthreads();
  }
  C[(row + y) * n + column + x] = sum;
}

template <int BLOCK>
static void launch(int n, bool transposed, const float *A, const float *B, float *C) {
  const dim3 grid(n / BLOCK, n / BLOCK), block(BLOCK, BLOCK);
  if (transposed)
    multiply_way1<BLOCK, true><<<grid, block>>>(n, A, B, C);
  else
    multiply_way1<BLOCK, false><<<grid, block>>>(n, A, B, C);
}

void way1(int n, int block, int transposed, const float *A, const float *B, float *C) {
  if (block == 16)
    launch<32>(n + 16, transposed != 0, A, B, C);
  else
    launch<32>(n, transposed != 0, A, B, C);
}
