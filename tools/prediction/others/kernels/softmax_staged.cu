// A block for each row, which it reads once, in vectors, into shared memory.
#include "softmax.h"

[[maybe_unused]] constexpr int THREADS = 128, WARP = 32, LONGEST = 4096;

template <bool SUM>
__device__ float of_block(float mine, float *part) {
  for (int bit = WARP / 2; bit > 0; bit /= 2) {
    const float other = __shfl_xor_sync(0xffffffff, mine, bit);
    mine = SUM ? mine + other : fmaxf(mine, other);
  }
  if (threadIdx.x % WARP == 0) part[threadIdx.x / WARP] = mine;
  __syncthreads();
  mine = part[0];
  for (int w = 1; w < THREADS / WARP; ++w) mine = SUM ? mine + part[w] : fmaxf(mine, part[w]);
  __syncthreads();
  return mine;
}

__global__ void softmax_staged(int columns, const float *x, float *y) {
  __shared__ float row[LONGEST], part[THREADS / WARP];
  const float *const in = x + static_cast<size_t>(blockIdx.x) * columns;
  float *const out = y + static_cast<size_t>(blockIdx.x) * columns;
  float largest = -INFINITY;
  for (int c = 4 * threadIdx.x; c < columns; c += 4 * THREADS) {
    const float4 v = *reinterpret_cast<const float4 *>(in + c);
    *reinterpret_cast<float4 *>(row + c) = v;
    largest = fmaxf(largest, fmaxf(fmaxf(v.x, v.y), fmaxf(v.z, v.w)));
  }
  largest = of_block<false>(largest, part);
  float sum = 0.0f;
  for (int c = threadIdx.x; c < columns; c += THREADS) sum += row[c] = expf(row[c] - largest);
  sum = of_block<true>(sum, part);
  const float factor = 1.0f / sum;
  for (int c = 4 * threadIdx.x; c < columns; c += 4 * THREADS) {
    const float4 v = *reinterpret_cast<const float4 *>(row + c);
    *reinterpret_cast<float4 *>(out + c) =
        make_float4(v.x * factor, v.y * factor, v.z * factor, v.w * factor);
  }
}

void shared(int rows, int columns, const float *x, float *y) {
  if (rows > 0) softmax_staged<<<rows, THREADS>>>(columns, x, y);
}
