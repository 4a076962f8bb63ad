// Step 1, one kernel: a score is used as soon as it is computed, and never stored.
//
// Four neighbouring lanes share a query: each has a quarter of it, and of its result, in registers. A block
// brings tiles of keys and values to shared memory. When a larger score appears, the sum of the weights and
// the result so far are multiplied by e^(old largest - new largest).
#include <cfloat>

#include "attention.h"

[[maybe_unused]] constexpr int LANES = 4, QUERIES = 32, KEYS = 32, THREADS = QUERIES * LANES;
[[maybe_unused]] constexpr unsigned ALL = 0xffffffff;

template <int WIDTH>
__global__ void __launch_bounds__(THREADS)
    attend_online(int length, int causal, const Number *Q, const Number *K, const Number *V, float *O) {
  [[maybe_unused]] constexpr int PAIRS = WIDTH / 2 / LANES;  // of neighbouring elements that a lane has
  // TODO(1): for each tile of keys and values: bring it to shared memory, and use all of its rows. Lane l of
  // a query has the pairs l, l + LANES, l + 2 LANES... of its row; shuffles add the four parts of a score.
  // BEGIN SOLUTION
  __shared__ __nv_bfloat162 k_tile[KEYS][WIDTH / 2], v_tile[KEYS][WIDTH / 2];
  const int query = blockIdx.x * QUERIES + threadIdx.x / LANES, lane = threadIdx.x % LANES;
  const std::int64_t head = std::int64_t{blockIdx.y} * length;
  const auto row_of = [&](const Number *from, int row) {
    return reinterpret_cast<const __nv_bfloat162 *>(from + (head + row) * WIDTH);
  };
  float2 q[PAIRS], result[PAIRS];
#pragma unroll
  for (int p = 0; p < PAIRS; ++p) {
    q[p] = query < length ? __bfloat1622float2(row_of(Q, query)[p * LANES + lane]) : make_float2(0, 0);
    result[p] = make_float2(0, 0);
  }
  float largest = -FLT_MAX, sum = 0.0f;
  for (int first = 0; first < length; first += KEYS) {
    const int here = min(KEYS, length - first);
    for (int i = threadIdx.x; i < here * WIDTH / 2; i += THREADS) {
      k_tile[i / (WIDTH / 2)][i % (WIDTH / 2)] = row_of(K, first)[i];
      v_tile[i / (WIDTH / 2)][i % (WIDTH / 2)] = row_of(V, first)[i];
    }
    __syncthreads();
    for (int j = 0; j < here; ++j) {
      float score = 0.0f;
#pragma unroll
      for (int p = 0; p < PAIRS; ++p) {
        const float2 k = __bfloat1622float2(k_tile[j][p * LANES + lane]);
        score += q[p].x * k.x + q[p].y * k.y;
      }
      score += __shfl_xor_sync(ALL, score, 1);
      score += __shfl_xor_sync(ALL, score, 2);
      if (causal && first + j > query) continue;
      score *= scale_of(WIDTH);
      const float before = largest;
      largest = fmaxf(largest, score);
      const float shrink = expf(before - largest), weight = expf(score - largest);
      sum = sum * shrink + weight;
#pragma unroll
      for (int p = 0; p < PAIRS; ++p) {
        const float2 v = __bfloat1622float2(v_tile[j][p * LANES + lane]);
        result[p] = make_float2(result[p].x * shrink + weight * v.x, result[p].y * shrink + weight * v.y);
      }
    }
    __syncthreads();
  }
  // END SOLUTION
  // TODO(2): write the result, divided by the sum of the weights.
  // BEGIN SOLUTION
  if (query >= length) return;
#pragma unroll
  for (int p = 0; p < PAIRS; ++p)
    reinterpret_cast<float2 *>(O + (head + query) * WIDTH)[p * LANES + lane] =
        make_float2(result[p].x / sum, result[p].y / sum);
  // END SOLUTION
}

void step1(int batch, int heads, int length, int width, int causal, const Number *Q, const Number *K,
           const Number *V, float *O) {
  // TODO(3): launch attend_online<64> or attend_online<128>: a block for QUERIES queries of a head.
  // BEGIN SOLUTION
  const auto kernel = width == 64 ? attend_online<64> : attend_online<128>;
  kernel<<<dim3(ceil_div(length, QUERIES), batch * heads), THREADS>>>(length, causal, Q, K, V, O);
  // END SOLUTION
}
