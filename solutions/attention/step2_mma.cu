// Step 2, tensor cores: both products by mma, and the weights between them never leave the registers.
//
// A warp has 16 queries. What it receives from the first product, 16 x 64 scores, is spread over its lanes in
// exactly the way in which the second product takes its left factor: two neighbouring results of a lane,
// rounded and packed, are one register of a fragment. So the softmax works in place. A row is shared by the
// four lanes of the same t = lane / 4, which find its largest score together.
#include <cfloat>

#include "attention.h"
#include "tensor.h"

[[maybe_unused]] constexpr int WARPS = 4, BM = WARPS * 16, BN = 64;  // queries of a block, keys of a tile
constexpr int THREADS = WARPS * 32;
[[maybe_unused]] constexpr int CHUNK = 8;  // numbers in 16 bytes
[[maybe_unused]] constexpr unsigned ALL = 0xffffffff;

/// Where a chunk of a row of a tile is stored, counted in chunks. Any 8 consecutive rows must be in different
/// banks for each chunk.
template <int WIDTH>
inline __device__ int place(int row, int chunk) {
  // TODO(1): a row has WIDTH / CHUNK chunks, 8 or 16; the 32 banks hold 8.
  // STUB: return row * (WIDTH / CHUNK) + chunk;
  // BEGIN SOLUTION
  return row * (WIDTH / CHUNK) + (chunk ^ (row % 8));
  // END SOLUTION
}

template <int WIDTH>
__global__ void __launch_bounds__(THREADS)
    attend_in_registers(int length, int causal, const Number *Q, const Number *K, const Number *V, float *O) {
  // TODO(2): load the fragments of the warp's 16 queries. For each tile: bring keys and values to shared
  // memory; multiply queries by keys with load_matrices; hide keys beyond the end and, if causal, after the
  // query; make weights of the scores; multiply them by values with load_matrices_transposed.
  // BEGIN SOLUTION
  __shared__ uint4 k_tile[BN * WIDTH / CHUNK], v_tile[BN * WIDTH / CHUNK];
  const int thread = threadIdx.x, lane = thread % 32;
  const std::int64_t head = std::int64_t{blockIdx.y} * length;
  const int query = blockIdx.x * BM + thread / 32 * 16 + lane / 4;  // and query + 8

  unsigned q[WIDTH / 16][4];
#pragma unroll
  for (int i = 0; i < WIDTH / 16 * 4; ++i) {
    const int row = query + i % 2 * 8, column = i / 4 * 16 + i / 2 % 2 * 8 + lane % 4 * 2;
    const Number *from = Q + (head + row) * WIDTH + column;
    q[i / 4][i % 4] = row < length ? *reinterpret_cast<const unsigned *>(from) : 0;
  }
  float result[WIDTH / 8][4] = {}, largest[2] = {-FLT_MAX, -FLT_MAX}, sum[2] = {};
  for (int first = 0; first < length; first += BN) {
    for (int i = thread; i < BN * WIDTH / CHUNK; i += THREADS) {
      const int row = i / (WIDTH / CHUNK), chunk = i % (WIDTH / CHUNK);
      const std::int64_t from = (head + first) * WIDTH / CHUNK + i;
      const bool inside = first + row < length;
      const uint4 zeros = make_uint4(0, 0, 0, 0);
      k_tile[place<WIDTH>(row, chunk)] = inside ? reinterpret_cast<const uint4 *>(K)[from] : zeros;
      v_tile[place<WIDTH>(row, chunk)] = inside ? reinterpret_cast<const uint4 *>(V)[from] : zeros;
    }
    __syncthreads();

    float score[BN / 8][4] = {};
#pragma unroll
    for (int c = 0; c < WIDTH / 16; ++c)
#pragma unroll
      for (int j = 0; j < BN / 16; ++j) {
        unsigned k[4];
        load_matrices(k, &k_tile[place<WIDTH>(j * 16 + lane / 16 * 8 + lane % 8, c * 2 + lane / 8 % 2)]);
        multiply_add(score[2 * j], q[c], k[0], k[1]);
        multiply_add(score[2 * j + 1], q[c], k[2], k[3]);
      }
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const int last = causal ? min(query + half * 8, length - 1) : length - 1;  // key that this query sees
      float most = largest[half];
#pragma unroll
      for (int i = 0; i < BN / 4; ++i) {
        float &one = score[i / 2][half * 2 + i % 2];
        const bool seen = first + i / 2 * 8 + lane % 4 * 2 + i % 2 <= last;
        one = seen ? one * (scale_of(WIDTH) * LOG2_E) : -INFINITY;
        most = fmaxf(most, one);
      }
      most = fmaxf(most, __shfl_xor_sync(ALL, most, 1));
      most = fmaxf(most, __shfl_xor_sync(ALL, most, 2));
      const float shrink = power_of_two(largest[half] - most);
      largest[half] = most;
      sum[half] *= shrink;
#pragma unroll
      for (int i = 0; i < BN / 4; ++i) {
        float &one = score[i / 2][half * 2 + i % 2];
        one = power_of_two(one - most);
        sum[half] += one;  // of this lane's keys
      }
#pragma unroll
      for (int i = 0; i < WIDTH / 4; ++i) result[i / 2][half * 2 + i % 2] *= shrink;
    }
#pragma unroll
    for (int j = 0; j < BN / 16; ++j) {
      const float *left = score[2 * j], *right = score[2 * j + 1];
      const unsigned weight[4] = {packed(left[0], left[1]), packed(left[2], left[3]),
                                  packed(right[0], right[1]), packed(right[2], right[3])};
#pragma unroll
      for (int c = 0; c < WIDTH / 16; ++c) {
        unsigned v[4];
        load_matrices_transposed(v, &v_tile[place<WIDTH>(j * 16 + lane % 16, c * 2 + lane / 16)]);
        multiply_add(result[2 * c], weight, v[0], v[1]);
        multiply_add(result[2 * c + 1], weight, v[2], v[3]);
      }
    }
    __syncthreads();
  }
  // END SOLUTION

  // TODO(3): add up the sums of the four lanes of a row, and write the results inside of O, divided by them.
  // BEGIN SOLUTION
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    sum[half] += __shfl_xor_sync(ALL, sum[half], 1);
    sum[half] += __shfl_xor_sync(ALL, sum[half], 2);
    const int row = query + half * 8;
    if (row >= length) continue;
    float2 *to = reinterpret_cast<float2 *>(O + (head + row) * WIDTH + lane % 4 * 2);
#pragma unroll
    for (int c = 0; c < WIDTH / 8; ++c)
      to[c * 4] = make_float2(result[c][half * 2] / sum[half], result[c][half * 2 + 1] / sum[half]);
  }
  // END SOLUTION
}

void step2(int batch, int heads, int length, int width, int causal, const Number *Q, const Number *K,
           const Number *V, float *O) {
  // TODO(4): launch the kernel for this width: a block for BM queries of a head.
  // BEGIN SOLUTION
  const auto kernel = width == 64 ? attend_in_registers<64> : attend_in_registers<128>;
  kernel<<<dim3(ceil_div(length, BM), batch * heads), THREADS>>>(length, causal, Q, K, V, O);
  // END SOLUTION
}
