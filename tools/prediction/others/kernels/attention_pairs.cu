// Four threads share a query, each with a quarter of its numbers.
#include <cfloat>

#include "softmax.h"

[[maybe_unused]] constexpr int THREADS = 128, SHARE = 4, QUARTER = WIDTH / SHARE, TILE = 32;

__global__ void attend_in_quarters(int queries, int keys, const float *Q, const float *K, const float *V,
                                   float *O) {
  __shared__ float4 k_tile[TILE][WIDTH / 4], v_tile[TILE][WIDTH / 4];
  const int query = (blockIdx.x * THREADS + threadIdx.x) / SHARE, quarter = threadIdx.x % SHARE;
  float4 q[QUARTER / 4], result[QUARTER / 4];
#pragma unroll
  for (int d = 0; d < QUARTER / 4; ++d) {
    q[d] = query < queries ? reinterpret_cast<const float4 *>(Q)[query * (WIDTH / 4) + d * SHARE + quarter]
                           : float4{};
    result[d] = float4{};
  }
  float largest = -FLT_MAX, sum = 0.0f;
  for (int first = 0; first < keys; first += TILE) {
    const int here = min(TILE, keys - first);
    __syncthreads();
    for (int i = threadIdx.x; i < here * WIDTH / 4; i += THREADS) {
      (&k_tile[0][0])[i] = reinterpret_cast<const float4 *>(K)[first * (WIDTH / 4) + i];
      (&v_tile[0][0])[i] = reinterpret_cast<const float4 *>(V)[first * (WIDTH / 4) + i];
    }
    __syncthreads();
    for (int j = 0; j < here; ++j) {
      float score = 0.0f;
#pragma unroll
      for (int d = 0; d < QUARTER / 4; ++d) {
        const float4 k = k_tile[j][d * SHARE + quarter];
        score += q[d].x * k.x + q[d].y * k.y + q[d].z * k.z + q[d].w * k.w;
      }
      score += __shfl_xor_sync(0xffffffff, score, 1);
      score += __shfl_xor_sync(0xffffffff, score, 2);
      score *= 0.125f;
      const float before = largest;
      largest = fmaxf(largest, score);
      const float shrink = __expf(before - largest), weight = __expf(score - largest);
      sum = sum * shrink + weight;
#pragma unroll
      for (int d = 0; d < QUARTER / 4; ++d) {
        const float4 v = v_tile[j][d * SHARE + quarter];
        result[d].x = result[d].x * shrink + weight * v.x;
        result[d].y = result[d].y * shrink + weight * v.y;
        result[d].z = result[d].z * shrink + weight * v.z;
        result[d].w = result[d].w * shrink + weight * v.w;
      }
    }
  }
  if (query >= queries) return;
  const float factor = 1.0f / sum;
#pragma unroll
  for (int d = 0; d < QUARTER / 4; ++d)
    reinterpret_cast<float4 *>(O)[query * (WIDTH / 4) + d * SHARE + quarter] =
        make_float4(result[d].x * factor, result[d].y * factor, result[d].z * factor, result[d].w * factor);
}

void attention(int queries, int keys, const float *Q, const float *K, const float *V, float *O) {
  constexpr int OF_BLOCK = THREADS / SHARE;
  if (queries > 0)
    attend_in_quarters<<<(queries + OF_BLOCK - 1) / OF_BLOCK, THREADS>>>(queries, keys, Q, K, V, O);
}
