// Step registers: the 5 x 5 filter from registers alone. A thread computes four neighbouring elements in each
// of eight rows. It reads each row of x once, eight elements of it, and adds them to all results that need
// them.
//
// Step tiled reads 25 numbers from shared memory for each result, and these reads take its time. Here, a
// result costs three numbers, which come in wide reads from the caches.
#include "convolution.h"

void registers(int height, int width, const float *x, const float *weights, float *y);

namespace {

constexpr int REACH = 2, SIDE = 2 * REACH + 1, WIDE = 4, HIGH = 8, TAKEN = WIDE + 2 * REACH, THREADS = 128;

// Elements c - 2 to c + 5 of a row; zeros outside.
__device__ void read_row(const float *row, int c, int width, float (&taken)[TAKEN]) {
  if (width % WIDE == 0 && c >= WIDE && c + 2 * WIDE <= width) {
    const float2 before = *reinterpret_cast<const float2 *>(row + c - REACH),
                 behind = *reinterpret_cast<const float2 *>(row + c + WIDE);
    const float4 here = *reinterpret_cast<const float4 *>(row + c);
    taken[0] = before.x, taken[1] = before.y, taken[2] = here.x, taken[3] = here.y;
    taken[4] = here.z, taken[5] = here.w, taken[6] = behind.x, taken[7] = behind.y;
    return;
  }
  for (int i = 0; i < TAKEN; ++i) {
    const int at = c - REACH + i;
    taken[i] = at >= 0 && at < width ? row[at] : 0.0f;
  }
}

__global__ void __launch_bounds__(THREADS)
    filter_in_registers(int height, int width, const float *x, const float *weights, float *y) {
  const int c = (blockIdx.x * THREADS + threadIdx.x) * WIDE, first = blockIdx.y * HIGH;
  if (c >= width) return;
  float weight[SIDE * SIDE];
  for (int i = 0; i < SIDE * SIDE; ++i) weight[i] = weights[i];
  float sum[HIGH][WIDE] = {};
#pragma unroll
  for (int r = -REACH; r < HIGH + REACH; ++r) {
    if (first + r < 0 || first + r >= height) continue;
    float taken[TAKEN];
    read_row(x + static_cast<size_t>(first + r) * width, c, width, taken);
#pragma unroll
    for (int o = 0; o < HIGH; ++o)  // the rows of results that row r is part of
      if (r - o >= -REACH && r - o <= REACH)
        for (int j = 0; j < WIDE; ++j)
          for (int k = 0; k < SIDE; ++k) sum[o][j] += weight[(r - o + REACH) * SIDE + k] * taken[j + k];
  }
#pragma unroll
  for (int o = 0; o < HIGH; ++o) {
    if (first + o >= height) return;
    float *const to = y + static_cast<size_t>(first + o) * width + c;
    if (width % WIDE == 0)
      *reinterpret_cast<float4 *>(to) = make_float4(sum[o][0], sum[o][1], sum[o][2], sum[o][3]);
    else
      for (int j = 0; j < WIDE; ++j)
        if (c + j < width) to[j] = sum[o][j];
  }
}

}  // namespace

void registers(int height, int width, const float *x, const float *weights, float *y) {
  constexpr int OF_BLOCK = THREADS * WIDE;
  const dim3 blocks((width + OF_BLOCK - 1) / OF_BLOCK, (height + HIGH - 1) / HIGH);
  filter_in_registers<<<blocks, THREADS>>>(height, width, x, weights, y);
}
