// Step 3, copies in stages: while a block works on one tile of keys and values, the next one is on its way;
// and tiles that a causal mask hides entirely are not even fetched.
//
// A warp has 32 queries, so that each fragment of keys or values that it loads serves two products. That
// leaves no registers for the queries, which stay in shared memory. While a fragment is multiplied, the next
// one is loaded. Only tiles at the diagonal or at the end compare keys with queries, and results are
// multiplied only when a larger score has appeared. Under a causal mask, blocks with many tiles start first.
#include <cuda_pipeline.h>

#include <cfloat>

#include "attention.h"
#include "tensor.h"

constexpr int WARPS = 4, ROWS = 32, BM = WARPS * ROWS, BN = 64;  // queries of a block, keys of a tile
constexpr int THREADS = WARPS * 32, STAGES = 2;                  // tiles of keys and values in shared memory
[[maybe_unused]] constexpr int CHUNK = 8;                        // numbers in 16 bytes
[[maybe_unused]] constexpr unsigned ALL = 0xffffffff;
/// Bytes of the shared memory of a block: its queries, and tiles of keys and values.
constexpr int shared_bytes(int width) {
  return (BM + STAGES * 2 * BN) * width * static_cast<int>(sizeof(Number));
}

template <int WIDTH>
__global__ void __launch_bounds__(THREADS, 2)
    attend_in_stages(int length, int causal, const Number *Q, const Number *K, const Number *V, float *O) {
  // TODO(1): start the copies of the queries and of the first tile with copy_async. For each tile that a query
  // of the block sees: wait until it has arrived, let all threads meet, start the copies of the next tile, and
  // work as in step 2. Hide keys in a branch that most tiles skip.
  // BEGIN SOLUTION
  extern __shared__ __align__(256) uint4 shared[];
  constexpr int CHUNKS = WIDTH / CHUNK, TILE = BN * CHUNKS, ROW = WIDTH * 2;  // of a row, of a tile; bytes
  const int thread = threadIdx.x, lane = thread % 32, mine = thread / 32 * ROWS;
  const int row0 = (causal ? gridDim.x - 1 - blockIdx.x : blockIdx.x) * BM, query = row0 + mine + lane / 4;
  const std::int64_t head = std::int64_t{blockIdx.y} * length;
  const auto place = [](int row, int chunk) { return row * CHUNKS + (chunk ^ (row % 8)); };
  const auto fetch = [&](uint4 *to, const Number *from, int first, int rows) {
#pragma unroll
    for (int i = 0; i < rows * CHUNKS / THREADS; ++i) {
      const int row = i * (THREADS / CHUNKS) + thread / CHUNKS, chunk = thread % CHUNKS;
      const bool inside = first + row < length;
      copy_async(&to[place(row, chunk)], from + (head + (inside ? first + row : 0)) * WIDTH + chunk * CHUNK,
                 inside);
    }
  };
  const auto tile_at = [&](int tile) { return shared + BM * CHUNKS + tile % STAGES * 2 * TILE; };
  const auto fetch_tile = [&](int tile) {
    fetch(tile_at(tile), K, tile * BN, BN), fetch(tile_at(tile) + TILE, V, tile * BN, BN);
    __pipeline_commit();
  };
  fetch(shared, Q, row0, BM);
  fetch_tile(0);

  // Of the rows query + 8 i. Chunk c of a row whose first chunk is at x is at x ^ 16 c: tiles are aligned.
  float result[2][WIDTH / 8][4] = {}, largest[4] = {-FLT_MAX, -FLT_MAX, -FLT_MAX, -FLT_MAX}, sum[4] = {};
  const int tiles = ceil_div(causal ? min(row0 + BM, length) : length, BN);
  for (int tile = 0; tile < tiles; ++tile) {
    __pipeline_wait_prior(0);
    __syncthreads();  // what all have fetched is there, and nobody reads the tile before this one
    if (tile + 1 < tiles) fetch_tile(tile + 1);
    const unsigned q_at = shared_address(&shared[place(mine + lane % 16, lane / 16)]);
    const unsigned k_at = shared_address(&tile_at(tile)[place(lane / 16 * 8 + lane % 8, lane / 8 % 2)]);
    const unsigned v_at = shared_address(&tile_at(tile)[TILE + place(lane % 16, lane / 16)]);

    float score[2][BN / 8][4] = {};
    unsigned q[2][2][4], k[2][4];  // two sets: one is multiplied, one is loaded
    for (int m = 0; m < 2; ++m) load_matrices(q[0][m], q_at + m * 16 * ROW);
    load_matrices(k[0], k_at);
#pragma unroll
    for (int i = 0; i < WIDTH / 16 * (BN / 16); ++i) {
      const int c = i / (BN / 16), j = i % (BN / 16), next_c = (i + 1) / (BN / 16),
                next_j = (i + 1) % (BN / 16);
      if (next_c < WIDTH / 16) {
        for (int m = 0; m < 2 && next_j == 0; ++m)
          load_matrices(q[next_c % 2][m], (q_at ^ 32 * next_c) + m * 16 * ROW);
        load_matrices(k[(i + 1) % 2], (k_at ^ 32 * next_c) + next_j * 16 * ROW);
      }
      for (int m = 0; m < 2; ++m) {
        multiply_add(score[m][2 * j], q[c % 2][m], k[i % 2][0], k[i % 2][1]);
        multiply_add(score[m][2 * j + 1], q[c % 2][m], k[i % 2][2], k[i % 2][3]);
      }
    }
    if ((tile + 1) * BN > (causal ? min(row0 + mine + 1, length) : length))
#pragma unroll
      for (int i = 0; i < BN; ++i) {
        const int m = i % 2, j = i / 8, e = i / 2 % 4, row = query + m * 16 + e / 2 * 8;
        if (tile * BN + j * 8 + lane % 4 * 2 + e % 2 > (causal ? min(row, length - 1) : length - 1))
          score[m][j][e] = -INFINITY;
      }
    constexpr float scale = scale_of(WIDTH) * LOG2_E;
#pragma unroll
    for (int r = 0; r < 4; ++r) {
      float most = largest[r];
#pragma unroll
      for (int i = 0; i < BN / 4; ++i) most = fmaxf(most, score[r / 2][i / 2][r % 2 * 2 + i % 2]);
      most = fmaxf(most, __shfl_xor_sync(ALL, most, 1));
      most = fmaxf(most, __shfl_xor_sync(ALL, most, 2));
      const float shrink = power_of_two((largest[r] - most) * scale);
      largest[r] = most;
      sum[r] *= shrink;
#pragma unroll
      for (int i = 0; i < BN / 4; ++i) {
        float &one = score[r / 2][i / 2][r % 2 * 2 + i % 2];
        one = power_of_two(one * scale - most * scale);
        sum[r] += one;
      }
      if (__any_sync(ALL, shrink != 1.0f))
#pragma unroll
        for (int i = 0; i < WIDTH / 4; ++i) result[r / 2][i / 2][r % 2 * 2 + i % 2] *= shrink;
    }
    unsigned weight[BN / 16][2][4], v[2][4];
#pragma unroll
    for (int i = 0; i < BN / 16 * 8; ++i) {
      const float *from = &score[i / 4 % 2][i / 8 * 2 + i / 2 % 2][i % 2 * 2];
      weight[i / 8][i / 4 % 2][i % 4] = packed(from[0], from[1]);
    }
    load_matrices_transposed(v[0], v_at);
#pragma unroll
    for (int i = 0; i < WIDTH / 16 * (BN / 16); ++i) {
      const int j = i / (WIDTH / 16), c = i % (WIDTH / 16), next_j = (i + 1) / (WIDTH / 16),
                next_c = (i + 1) % (WIDTH / 16);
      if (next_j < BN / 16)
        load_matrices_transposed(v[(i + 1) % 2], (v_at ^ 32 * next_c) + next_j * 16 * ROW);
      for (int m = 0; m < 2; ++m) {
        multiply_add(result[m][2 * c], weight[j][m], v[i % 2][0], v[i % 2][1]);
        multiply_add(result[m][2 * c + 1], weight[j][m], v[i % 2][2], v[i % 2][3]);
      }
    }
  }
  // END SOLUTION

  // TODO(2): the results, as in step 2.
  // BEGIN SOLUTION
#pragma unroll
  for (int r = 0; r < 4; ++r) {
    sum[r] += __shfl_xor_sync(ALL, sum[r], 1);
    sum[r] += __shfl_xor_sync(ALL, sum[r], 2);
    const int row = query + r * 8;
    const float by = 1.0f / sum[r];
    if (row >= length) continue;
    float2 *to = reinterpret_cast<float2 *>(O + (head + row) * WIDTH + lane % 4 * 2);
#pragma unroll
    for (int c = 0; c < WIDTH / 8; ++c)
      to[c * 4] = make_float2(result[r / 2][c][r % 2 * 2] * by, result[r / 2][c][r % 2 * 2 + 1] * by);
  }
  // END SOLUTION
}

void step3(int batch, int heads, int length, int width, int causal, const Number *Q, const Number *K,
           const Number *V, float *O) {
  // TODO(3): allow the kernel its shared memory (shared_bytes), and launch it.
  // BEGIN SOLUTION
  const auto kernel = width == 64 ? attend_in_stages<64> : attend_in_stages<128>;
  const int bytes = shared_bytes(width);
  cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
  kernel<<<dim3(ceil_div(length, BM), batch * heads), THREADS, bytes>>>(length, causal, Q, K, V, O);
  // END SOLUTION
}
