// Step in_registers: a row stays in the registers of a warp. It is read once and written once, four elements
// at a time, and no block has to wait at a barrier.
//
// Step online reads a row twice, and the second time only the caches make that cheap. Rows that are too long
// for the registers, or do not begin at a multiple of 16 bytes, are read twice here too.
#include "softmax.h"

void in_registers(int rows, int columns, const float *x, float *y);

namespace {

constexpr int WARP = 32, WARPS = 8, VECTORS = 8, LONGEST = 4 * WARP * VECTORS;
constexpr unsigned ALL = 0xffffffff;

__device__ float largest_of_warp(float value) {
  for (int distance = WARP / 2; distance > 0; distance /= 2)
    value = fmaxf(value, __shfl_xor_sync(ALL, value, distance));
  return value;
}

__device__ float sum_of_warp(float value) {
  for (int distance = WARP / 2; distance > 0; distance /= 2) value += __shfl_xor_sync(ALL, value, distance);
  return value;
}

__global__ void softmax_in_registers(int rows, int columns, const float *x, float *y) {
  const int row = blockIdx.x * WARPS + threadIdx.x / WARP, lane = threadIdx.x % WARP;
  if (row >= rows) return;
  const float4 *const from = reinterpret_cast<const float4 *>(x + static_cast<size_t>(row) * columns);
  float4 *const to = reinterpret_cast<float4 *>(y + static_cast<size_t>(row) * columns);
  const int vectors = columns / 4;
  float4 v[VECTORS];
  float most = -INFINITY;
#pragma unroll
  for (int k = 0; k < VECTORS; ++k) {
    const int at = lane + k * WARP;
    v[k] = at < vectors ? from[at] : make_float4(-INFINITY, -INFINITY, -INFINITY, -INFINITY);
    most = fmaxf(most, fmaxf(fmaxf(v[k].x, v[k].y), fmaxf(v[k].z, v[k].w)));
  }
  most = largest_of_warp(most);
  float sum = 0;
#pragma unroll
  for (int k = 0; k < VECTORS; ++k) {
    v[k] = make_float4(expf(v[k].x - most), expf(v[k].y - most), expf(v[k].z - most), expf(v[k].w - most));
    sum += (v[k].x + v[k].y) + (v[k].z + v[k].w);
  }
  const float factor = 1 / sum_of_warp(sum);
#pragma unroll
  for (int k = 0; k < VECTORS; ++k)
    if (const int at = lane + k * WARP; at < vectors)
      to[at] = make_float4(v[k].x * factor, v[k].y * factor, v[k].z * factor, v[k].w * factor);
}

// A block for each row, in three passes.
__global__ void softmax_of_long_rows(int columns, const float *x, float *y) {
  __shared__ float part[WARPS];
  const float *const from = x + static_cast<size_t>(blockIdx.x) * columns;
  float *const to = y + static_cast<size_t>(blockIdx.x) * columns;
  const int t = threadIdx.x, lane = t % WARP;
  float most = -INFINITY;
  for (int c = t; c < columns; c += WARPS * WARP) most = fmaxf(most, from[c]);
  most = largest_of_warp(most);
  if (lane == 0) part[t / WARP] = most;
  __syncthreads();
  most = largest_of_warp(lane < WARPS ? part[lane] : -INFINITY);
  __syncthreads();
  float sum = 0;
  for (int c = t; c < columns; c += WARPS * WARP) sum += expf(from[c] - most);
  sum = sum_of_warp(sum);
  if (lane == 0) part[t / WARP] = sum;
  __syncthreads();
  const float factor = 1 / sum_of_warp(lane < WARPS ? part[lane] : 0.0f);
  for (int c = t; c < columns; c += WARPS * WARP) to[c] = expf(from[c] - most) * factor;
}

}  // namespace

void in_registers(int rows, int columns, const float *x, float *y) {
  if (rows == 0) return;
  if (columns <= LONGEST && columns % 4 == 0)
    softmax_in_registers<<<(rows + WARPS - 1) / WARPS, WARPS * WARP>>>(rows, columns, x, y);
  else
    softmax_of_long_rows<<<rows, WARPS * WARP>>>(columns, x, y);
}
