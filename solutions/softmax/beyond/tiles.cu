// Step tiles: attention with tiles in registers. A block of 128 threads has 32 queries and walks through
// the keys, 64 at a time; a thread computes 4 x 4 scores, and then 4 x 4 elements of the output.
//
// Step attention reads two numbers from shared memory for each product. Here, 16 products need 8 numbers,
// which come in two reads. For this, queries, keys and weights are stored in shared memory element by
// element: the same element of neighbouring queries or keys is side by side.
#include "softmax.h"

void tiles(int queries, int keys, const float *Q, const float *K, const float *V, float *O);

namespace {

constexpr int WIDTH = 64, QUERIES = 32, KEYS = 64, THREADS = 128, LANES = 16;  // that share four queries
constexpr unsigned ALL = 0xffffffff;
static_assert(QUERIES / 4 * LANES == THREADS && KEYS == 4 * LANES && WIDTH == 4 * LANES);

// `rows` rows of 64 elements, from `first` on, element by element; zeros beyond the end.
__device__ void copy_transposed(float *to, const float *from, int first, int rows, int end, float factor) {
  for (int i = threadIdx.x; i < rows * (WIDTH / 4); i += THREADS) {
    const int row = i % rows, d = i / rows * 4;
    float4 v = make_float4(0, 0, 0, 0);
    if (first + row < end)
      v = *reinterpret_cast<const float4 *>(from + static_cast<size_t>(first + row) * WIDTH + d);
    to[d * rows + row] = v.x * factor;
    to[(d + 1) * rows + row] = v.y * factor;
    to[(d + 2) * rows + row] = v.z * factor;
    to[(d + 3) * rows + row] = v.w * factor;
  }
}

__device__ void copy_rows(float *to, const float *from, int first, int end) {
  for (int i = threadIdx.x; i < KEYS * (WIDTH / 4); i += THREADS) {
    const int row = i / (WIDTH / 4), d = i % (WIDTH / 4) * 4;
    float4 v = make_float4(0, 0, 0, 0);
    if (first + row < end)
      v = *reinterpret_cast<const float4 *>(from + static_cast<size_t>(first + row) * WIDTH + d);
    *reinterpret_cast<float4 *>(to + row * WIDTH + d) = v;
  }
}

// sums[i][j] += left[4 i ...] * right[4 j ...] over 64 numbers of each, `left_step` and 64 apart.
__device__ void multiply(float (&sums)[4][4], const float *left, int left_step, const float *right) {
#pragma unroll 8
  for (int k = 0; k < 64; ++k) {
    const float4 a = *reinterpret_cast<const float4 *>(left + k * left_step),
                 b = *reinterpret_cast<const float4 *>(right + k * 64);
    const float x[4] = {a.x, a.y, a.z, a.w}, y[4] = {b.x, b.y, b.z, b.w};
    for (int i = 0; i < 4; ++i)
      for (int j = 0; j < 4; ++j) sums[i][j] += x[i] * y[j];
  }
}

__global__ void __launch_bounds__(THREADS)
    attend(int queries, int keys, const float *Q, const float *K, const float *V, float *O) {
  __shared__ __align__(16) float q[WIDTH * QUERIES], k[WIDTH * KEYS], v[KEYS * WIDTH];
  float *const weights = k;  // the keys are no longer needed when there are weights
  const int first = blockIdx.x * QUERIES, mine = threadIdx.x / LANES * 4, lane = threadIdx.x % LANES;
  copy_transposed(q, Q, first, QUERIES, queries, 0.125f);  // divided by the root of the width
  float out[4][4] = {}, most[4], sum[4] = {};
  for (float &m : most) m = -INFINITY;
  for (int at = 0; at < keys; at += KEYS) {
    __syncthreads();
    copy_transposed(k, K, at, KEYS, keys, 1.0f);
    copy_rows(v, V, at, keys);
    __syncthreads();
    float scores[4][4] = {};
    multiply(scores, q + mine, QUERIES, k + 4 * lane);
    for (int i = 0; i < 4; ++i) {
      float largest = most[i];
      for (int j = 0; j < 4; ++j) {
        if (at + 4 * lane + j >= keys) scores[i][j] = -INFINITY;
        largest = fmaxf(largest, scores[i][j]);
      }
      for (int distance = LANES / 2; distance > 0; distance /= 2)
        largest = fmaxf(largest, __shfl_xor_sync(ALL, largest, distance));
      const float factor = expf(most[i] - largest);
      most[i] = largest;
      sum[i] *= factor;
      for (int j = 0; j < 4; ++j) {
        out[i][j] *= factor;
        scores[i][j] = expf(scores[i][j] - largest);
        sum[i] += scores[i][j];
      }
    }
    __syncthreads();
    for (int j = 0; j < 4; ++j)
      *reinterpret_cast<float4 *>(weights + (4 * lane + j) * QUERIES + mine) =
          make_float4(scores[0][j], scores[1][j], scores[2][j], scores[3][j]);
    __syncthreads();
    multiply(out, weights + mine, QUERIES, v + 4 * lane);
  }
  for (int i = 0; i < 4; ++i) {
    for (int distance = LANES / 2; distance > 0; distance /= 2)
      sum[i] += __shfl_xor_sync(ALL, sum[i], distance);
    if (first + mine + i < queries)
      *reinterpret_cast<float4 *>(O + static_cast<size_t>(first + mine + i) * WIDTH + 4 * lane) =
          make_float4(out[i][0] / sum[i], out[i][1] / sum[i], out[i][2] / sum[i], out[i][3] / sum[i]);
  }
}

}  // namespace

void tiles(int queries, int keys, const float *Q, const float *K, const float *V, float *O) {
  attend<<<(queries + QUERIES - 1) / QUERIES, THREADS>>>(queries, keys, Q, K, V, O);
}
