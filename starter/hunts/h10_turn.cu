// Hunt h10: B[c * rows + r] = A[r * columns + c]. A block of 32 x 8 threads moves a tile of 32 x 32 elements
// through shared memory, eight rows at a time.
//
// TODO(1): find the fault, fix it below, and write here where it was and what it was.
// answer line:
// answer cause:
#include "hunts.h"

constexpr int WIDE = 32, HIGH = 8;

__global__ void turn_strips(int rows, int columns, const float *A, float *B) {
  __shared__ float strip[WIDE][WIDE];
  const int across = blockIdx.x * WIDE, down = blockIdx.y * WIDE;
  for (int j = threadIdx.y; j < WIDE; j += HIGH) {
    const int r = down + j, c = across + threadIdx.x;
    if (r < rows && c < columns) strip[j][threadIdx.x] = A[r * columns + c];
  }
  __syncthreads();
  for (int j = threadIdx.y; j < WIDE; j += HIGH) {
    const int r = down + threadIdx.x, c = across + j;
    if (r < rows && c < columns) B[c * rows + r] = strip[threadIdx.x][j];
  }
}

void turn_tall(int rows, int columns, const float *A, float *B) {
  if (rows == 0 || columns == 0) return;
  const dim3 grid((columns + WIDE - 1) / WIDE, (rows + WIDE - 1) / WIDE);
  turn_strips<<<grid, dim3(WIDE, HIGH)>>>(rows, columns, A, B);
}
