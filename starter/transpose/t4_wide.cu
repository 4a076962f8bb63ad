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
}

// Writes them.
__device__ void write_row(float *row, int c, int length, const float (&four)[WIDTH]) {
  // TODO(2): the same in the other direction.
}

__global__ void move_wide_tile(int rows, int columns, const float *A, float *B) {
  // TODO(3): the tile of step padded. A thread brings WIDTH elements of a row of A, and takes WIDTH elements
  // of a column of the tile to a row of B. Which threads must share a row, so that no two lanes meet in a
  // bank?
}

void wide(int rows, int columns, const float *A, float *B) {
  // TODO(4): a block of TILE / WIDTH x TILE threads for each tile.
}
