// Step larger: tiles of 64 x 64. A thread of step wide has one float4 on its way and then waits for the
// barrier; here it has four.
#include "transpose.h"

void larger(int rows, int columns, const float *A, float *B);

namespace {

constexpr int TILE = 64, WIDTH = 4, HIGH = 16, EACH = TILE / HIGH;

// Reads four elements of a row of `length`, from column c on: at once where rows begin at multiples of 16
// bytes.
__device__ float4 read_row(const float *row, int c, int length) {
  if (length % WIDTH == 0 && c < length) return *reinterpret_cast<const float4 *>(row + c);
  return make_float4(c < length ? row[c] : 0.0f, c + 1 < length ? row[c + 1] : 0.0f,
                     c + 2 < length ? row[c + 2] : 0.0f, c + 3 < length ? row[c + 3] : 0.0f);
}

__device__ void write_row(float *row, int c, int length, float4 v) {
  if (length % WIDTH == 0 && c < length) {
    *reinterpret_cast<float4 *>(row + c) = v;
    return;
  }
  if (c < length) row[c] = v.x;
  if (c + 1 < length) row[c + 1] = v.y;
  if (c + 2 < length) row[c + 2] = v.z;
  if (c + 3 < length) row[c + 3] = v.w;
}

__global__ void __launch_bounds__(TILE / WIDTH * HIGH)
    move_large_tile(int rows, int columns, const float *A, float *B) {
  __shared__ float part[TILE][TILE + 1];
  const int x = WIDTH * threadIdx.x, y = threadIdx.y;
  const int first_column = blockIdx.x * TILE, first_row = blockIdx.y * TILE;
  float4 v[EACH] = {};
  for (int k = 0; k < EACH; ++k)
    if (const int row = first_row + y + k * HIGH; row < rows)
      v[k] = read_row(A + static_cast<size_t>(row) * columns, first_column + x, columns);
  for (int k = 0; k < EACH; ++k) {
    float *const at = &part[y + k * HIGH][x];
    at[0] = v[k].x, at[1] = v[k].y, at[2] = v[k].z, at[3] = v[k].w;
  }
  __syncthreads();
  for (int k = 0; k < EACH; ++k) {
    const int column = y + k * HIGH;
    if (first_column + column < columns)
      write_row(B + static_cast<size_t>(first_column + column) * rows, first_row + x, rows,
                make_float4(part[x][column], part[x + 1][column], part[x + 2][column], part[x + 3][column]));
  }
}

}  // namespace

void larger(int rows, int columns, const float *A, float *B) {
  if (rows == 0 || columns == 0) return;
  const dim3 grid((columns + TILE - 1) / TILE, (rows + TILE - 1) / TILE), block(TILE / WIDTH, HIGH);
  move_large_tile<<<grid, block>>>(rows, columns, A, B);
}
