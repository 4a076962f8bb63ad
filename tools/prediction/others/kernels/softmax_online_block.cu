// A block for each row: threads keep the largest element and the sum so far, in two elements at a time.
#include <cfloat>

#include "softmax.h"

[[maybe_unused]] constexpr int THREADS = 256, WARP = 32;

__device__ void join(float &largest, float &sum, float other, float its_sum) {
  const float both = fmaxf(largest, other);
  sum = sum * __expf(largest - both) + its_sum * __expf(other - both);
  largest = both;
}

__global__ void softmax_online_block(int columns, const float *x, float *y) {
  __shared__ float of_warp[THREADS / WARP], sums[THREADS / WARP];
  const float *const in = x + static_cast<size_t>(blockIdx.x) * columns;
  float *const out = y + static_cast<size_t>(blockIdx.x) * columns;
  float largest = -FLT_MAX, sum = 0.0f;
  for (int c = 2 * threadIdx.x; c + 1 < columns; c += 2 * THREADS) {
    const float2 v = *reinterpret_cast<const float2 *>(in + c);
    const float both = fmaxf(largest, fmaxf(v.x, v.y));
    sum = sum * __expf(largest - both) + __expf(v.x - both) + __expf(v.y - both);
    largest = both;
  }
  for (int bit = WARP / 2; bit > 0; bit /= 2)
    join(largest, sum, __shfl_xor_sync(0xffffffff, largest, bit), __shfl_xor_sync(0xffffffff, sum, bit));
  if (threadIdx.x % WARP == 0) of_warp[threadIdx.x / WARP] = largest, sums[threadIdx.x / WARP] = sum;
  __syncthreads();
  largest = of_warp[0], sum = sums[0];
  for (int w = 1; w < THREADS / WARP; ++w) join(largest, sum, of_warp[w], sums[w]);
  const float factor = 1.0f / sum;
  for (int c = 2 * threadIdx.x; c + 1 < columns; c += 2 * THREADS) {
    const float2 v = *reinterpret_cast<const float2 *>(in + c);
    *reinterpret_cast<float2 *>(out + c) =
        make_float2(__expf(v.x - largest) * factor, __expf(v.y - largest) * factor);
  }
}

void online(int rows, int columns, const float *x, float *y) {
  if (rows > 0) softmax_online_block<<<rows, THREADS>>>(columns, x, y);
}
