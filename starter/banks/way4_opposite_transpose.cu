// Way 4, opposite order, transpose: a thread reads the element in row x and column y of the tile, and stores
// it in row y, column x.
//
// Neighbouring threads read a column of B, and write a row of the tile. What does the inner loop read then?
#include "tiles.h"

template <int BLOCK, bool TRANSPOSED>
__global__ void multiply_way4(int n, const float *A, const float *B, float *C) {
  __shared__ float a_tile[BLOCK][BLOCK];
  __shared__ float tile[BLOCK][BLOCK];
  const int x = threadIdx.x, y = threadIdx.y;
  const int row = blockIdx.y * BLOCK, column = blockIdx.x * BLOCK;

  float sum = 0.0f;
  for (int first = 0; first < n; first += BLOCK) {
    // The start of the part of B that these columns of C need: from row `first` on or, for B', from column
    // `first` on.
    [[maybe_unused]] const float *from = TRANSPOSED ? B + column * n + first : B + first * n + column;
    a_tile[y][x] = A[(row + y) * n + first + x];
    // TODO(1): copy the element to the tile in this file's way.
    __syncthreads();
    // TODO(2): add up BLOCK products. Which element of the tile contains row k, column x of B, and which one
    // that of B'?
    __syncthreads();
  }
  C[(row + y) * n + column + x] = sum;
}

template <int BLOCK>
static void launch(int n, bool transposed, const float *A, const float *B, float *C) {
  const dim3 grid(n / BLOCK, n / BLOCK), block(BLOCK, BLOCK);
  // TODO(3): launch multiply_way4, for B or for B'.
}

void way4(int n, int block, int transposed, const float *A, const float *B, float *C) {
  if (block == 16)
    launch<16>(n, transposed != 0, A, B, C);
  else
    launch<32>(n, transposed != 0, A, B, C);
}
