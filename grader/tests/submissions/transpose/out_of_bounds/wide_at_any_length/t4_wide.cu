// Reads a float4 wherever a row has any length: some rows do not begin at multiples of 16 bytes.
// Verdict: out of bounds: misaligned, at the line of the read.
#include "transpose.h"

[[maybe_unused]] constexpr int TILE = 32, WIDTH = 4;

// Reads up to WIDTH elements of a row of `length`, from column c on.
__device__ void read_row(const float *row, int c, int length, float (&four)[WIDTH]) {
  if (c < length) {
    const float4 all = *reinterpret_cast<const float4 *>(row + c);
    four[0] = all.x, four[1] = all.y, four[2] = all.z, four[3] = all.w;
    return;
  }
  for (int i = 0; i < WIDTH; ++i)
    if (c + i < length) four[i] = row[c + i];
}

// Writes them.
__device__ void write_row(float *row, int c, int length, const float (&four)[WIDTH]) {
  if (length % WIDTH == 0 && c < length) {
    *reinterpret_cast<float4 *>(row + c) = make_float4(four[0], four[1], four[2], four[3]);
    return;
  }
  for (int i = 0; i < WIDTH; ++i)
    if (c + i < length) row[c + i] = four[i];
}

__global__ void move_wide_tile(int rows, int columns, const float *A, float *B) {
  __shared__ float part[TILE][TILE + 1];
  const int x = WIDTH * threadIdx.x, y = threadIdx.y;
  const int first_column = blockIdx.x * TILE, first_row = blockIdx.y * TILE;
  float four[WIDTH] = {};
  if (first_row + y < rows) read_row(A + (first_row + y) * columns, first_column + x, columns, four);
  for (int i = 0; i < WIDTH; ++i) part[y][x + i] = four[i];
  __syncthreads();
  for (int i = 0; i < WIDTH; ++i) four[i] = part[x + i][y];
  if (first_column + y < columns) write_row(B + (first_column + y) * rows, first_row + x, rows, four);
}

void wide(int rows, int columns, const float *A, float *B) {
  if (rows == 0 || columns == 0) return;
  const dim3 grid((columns + TILE - 1) / TILE, (rows + TILE - 1) / TILE), block(TILE / WIDTH, TILE);
  move_wide_tile<<<grid, block>>>(rows, columns, A, B);
}
