// Step wide: a thread reads and writes four neighbouring floats at once, as a float4.
//
// A quarter of the requests moves the same bytes, and more of them are on their way at the same time. A
// float4 must begin at a multiple of 16 bytes: the rows of A begin at such places only if `columns` is a
// multiple of 4, those of B only if `rows` is one. Otherwise the kernel must move floats one by one.
#include "transpose.h"

[[maybe_unused]] constexpr int TILE = 32, WIDTH = 4;

// Reads up to WIDTH elements of a row of `length`, from column c on.
__device__ void read_row(const float *row, int c, int length, float (&four)[WIDTH]) {
  // TODO(1): one float4 where that is possible, else single floats; nothing beyond the end of the row.
  // BEGIN SOLUTION
  if (length % WIDTH == 0 && c < length) {
    const float4 all = *reinterpret_cast<const float4 *>(row + c);
    four[0] = all.x, four[1] = all.y, four[2] = all.z, four[3] = all.w;
    return;
  }
  for (int i = 0; i < WIDTH; ++i)
    if (c + i < length) four[i] = row[c + i];
  // END SOLUTION
}

// Writes them.
__device__ void write_row(float *row, int c, int length, const float (&four)[WIDTH]) {
  // TODO(2): the same in the other direction.
  // BEGIN SOLUTION
  if (length % WIDTH == 0 && c < length) {
    *reinterpret_cast<float4 *>(row + c) = make_float4(four[0], four[1], four[2], four[3]);
    return;
  }
  for (int i = 0; i < WIDTH; ++i)
    if (c + i < length) row[c + i] = four[i];
  // END SOLUTION
}

__global__ void move_wide_tile(int rows, int columns, const float *A, float *B) {
  // TODO(3): the tile of step padded. A thread brings WIDTH elements of a row of A, and takes WIDTH elements
  // of a column of the tile to a row of B. Which threads must share a row, so that no two lanes meet in a
  // bank?
  // BEGIN SOLUTION
  __shared__ float part[TILE][TILE + 1];
  const int x = WIDTH * threadIdx.x, y = threadIdx.y;
  const int first_column = blockIdx.x * TILE, first_row = blockIdx.y * TILE;
  float four[WIDTH] = {};
  if (first_row + y < rows) read_row(A + (first_row + y) * columns, first_column + x, columns, four);
  for (int i = 0; i < WIDTH; ++i) part[y][x + i] = four[i];
  __syncthreads();
  for (int i = 0; i < WIDTH; ++i) four[i] = part[x + i][y];
  if (first_column + y < columns) write_row(B + (first_column + y) * rows, first_row + x, rows, four);
  // END SOLUTION
}

void wide(int rows, int columns, const float *A, float *B) {
  // TODO(4): a block of TILE / WIDTH x TILE threads for each tile.
  // BEGIN SOLUTION
  if (rows == 0 || columns == 0) return;
  const dim3 grid((columns + TILE - 1) / TILE, (rows + TILE - 1) / TILE), block(TILE / WIDTH, TILE);
  move_wide_tile<<<grid, block>>>(rows, columns, A, B);
  // END SOLUTION
}
