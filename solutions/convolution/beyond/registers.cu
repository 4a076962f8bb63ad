// Step registers: the 5 x 5 filter from registers alone. A thread walks down eight rows of results, four
// neighbouring elements wide. It reads each row of x once, eight elements of it, and adds them to the five
// rows of results that need them. Rows that are complete are written, and the others move up by one.
//
// Step tiled reads 25 numbers from shared memory for each result, and these reads take its time. Here, a
// result costs three numbers, which come in wide reads from the caches. Four rows are on their way while one
// is added, so that no thread waits for memory row by row.
#include "convolution.h"

void registers(int height, int width, const float *x, const float *weights, float *y);

namespace {

constexpr int REACH = 2, SIDE = 2 * REACH + 1, TAKEN = 4 + 2 * REACH;
constexpr int WIDE = 4, HIGH = 8, AHEAD = 4, THREADS = 128;

// Elements c - 2 to c + 5 of a row; zeros outside the image. Wide reads need rows that begin at multiples of
// 16 bytes.
template <bool WIDE_READS>
__device__ void read_row(const float *x, int row, int c, int height, int width, float (&taken)[TAKEN]) {
  for (float &t : taken) t = 0;
  if (row < 0 || row >= height) return;
  const float *const from = x + static_cast<size_t>(row) * width + c;
  if (WIDE_READS) {
    if (c > 0) {
      const float2 before = *reinterpret_cast<const float2 *>(from - REACH);
      taken[0] = before.x, taken[1] = before.y;
    }
    const float4 here = *reinterpret_cast<const float4 *>(from);
    taken[2] = here.x, taken[3] = here.y, taken[4] = here.z, taken[5] = here.w;
    if (c + WIDE < width) {
      const float2 behind = *reinterpret_cast<const float2 *>(from + WIDE);
      taken[6] = behind.x, taken[7] = behind.y;
    }
    return;
  }
  for (int i = 0; i < TAKEN; ++i)
    if (c - REACH + i >= 0 && c - REACH + i < width) taken[i] = from[i - REACH];
}

template <bool WIDE_READS>
__global__ void __launch_bounds__(THREADS)
    filter_in_registers(int height, int width, const float *x, const float *weights, float *y) {
  const int c = (blockIdx.x * THREADS + threadIdx.x) * WIDE, first = blockIdx.y * HIGH;
  if (c >= width) return;
  float weight[SIDE * SIDE];
  for (int i = 0; i < SIDE * SIDE; ++i) weight[i] = weights[i];
  float taken[AHEAD][TAKEN];
#pragma unroll
  for (int i = 0; i < AHEAD; ++i) read_row<WIDE_READS>(x, first - REACH + i, c, height, width, taken[i]);
  float sums[SIDE][WIDE] = {};  // sums[i] belongs to row r - 2 + i of the results
#pragma unroll
  for (int r = -REACH; r < HIGH + REACH; ++r) {
    float(&row)[TAKEN] = taken[(r + REACH) % AHEAD];
#pragma unroll
    for (int i = 0; i < SIDE; ++i)
      for (int j = 0; j < WIDE; ++j)
        for (int k = 0; k < SIDE; ++k) sums[i][j] += weight[(SIDE - 1 - i) * SIDE + k] * row[j + k];
    if (r + AHEAD < HIGH + REACH) read_row<WIDE_READS>(x, first + r + AHEAD, c, height, width, row);
    if (r >= REACH && first + r - REACH < height) {
      float *const to = y + static_cast<size_t>(first + r - REACH) * width + c;
      if (WIDE_READS)
        *reinterpret_cast<float4 *>(to) = make_float4(sums[0][0], sums[0][1], sums[0][2], sums[0][3]);
      else
        for (int j = 0; j < WIDE; ++j)
          if (c + j < width) to[j] = sums[0][j];
    }
#pragma unroll
    for (int i = 0; i < SIDE; ++i)
      for (int j = 0; j < WIDE; ++j) sums[i][j] = i + 1 < SIDE ? sums[i + 1][j] : 0.0f;
  }
}

}  // namespace

void registers(int height, int width, const float *x, const float *weights, float *y) {
  if (height == 0 || width == 0) return;
  constexpr int OF_BLOCK = THREADS * WIDE;
  const dim3 blocks((width + OF_BLOCK - 1) / OF_BLOCK, (height + HIGH - 1) / HIGH);
  if (width % WIDE == 0)
    filter_in_registers<true><<<blocks, THREADS>>>(height, width, x, weights, y);
  else
    filter_in_registers<false><<<blocks, THREADS>>>(height, width, x, weights, y);
}
