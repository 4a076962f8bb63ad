// Step tiles: attention with tiles in registers, and the keys divided among groups. A block has 32 queries.
// Its four groups of 64 threads walk through the keys in turn, 32 at a time, each with sums of its own, and
// put them together in the end. A thread computes 4 x 4 scores, and then 4 x 8 elements of the output.
//
// Step attention reads two numbers from shared memory for each product. Here, 16 products need 8 numbers,
// which come four at a time. Rows of queries, keys and weights are 4 numbers apart from a multiple of 32, so
// that neighbouring rows begin in different banks. Without groups, 4096 queries would fill four warps of each
// multiprocessor of a large GPU, which is too little to hide latencies.
#include "softmax.h"

void tiles(int queries, int keys, const float *Q, const float *K, const float *V, float *O);

namespace {

constexpr int WIDTH = 64, QUERIES = 32, KEYS = 32, GROUPS = 4, LANES = 8;  // eight lanes share four queries
constexpr int GROUP = QUERIES / 4 * LANES, THREADS = GROUPS * GROUP;
constexpr int WIDE_ROW = WIDTH + 4, KEY_ROW = KEYS + 4;
constexpr int OF_GROUP =
    KEYS * WIDE_ROW + KEYS * WIDTH + QUERIES * KEY_ROW;  // numbers: keys, values, weights
constexpr int SHARED_BYTES = 4 * (QUERIES * WIDE_ROW + GROUPS * OF_GROUP);
constexpr unsigned ALL = 0xffffffff;
static_assert(KEYS == 4 * LANES && WIDTH == 8 * LANES && THREADS * 8 == QUERIES * WIDTH);
static_assert(SHARED_BYTES >= 4 * GROUPS * QUERIES * (WIDTH + 2), "the groups' results take the same place");

__device__ float4 &vector_at(float *p) {
  return *reinterpret_cast<float4 *>(p);
}

__device__ float4 row_of(const float *from, int row, int end, int d) {
  if (row >= end) return make_float4(0, 0, 0, 0);
  return *reinterpret_cast<const float4 *>(from + static_cast<size_t>(row) * WIDTH + d);
}

__device__ void add(float4 &sum, float factor, float4 v) {
  sum.x += factor * v.x;
  sum.y += factor * v.y;
  sum.z += factor * v.z;
  sum.w += factor * v.w;
}

// scores[i][j] = query `mine + i` times key `lane + 8 j`.
__device__ void multiply(float (&scores)[4][4], float *q, float *k) {
#pragma unroll 4
  for (int d = 0; d < WIDTH; d += 4) {
    float4 a[4], b[4];
    for (int i = 0; i < 4; ++i) a[i] = vector_at(q + i * WIDE_ROW + d);
    for (int j = 0; j < 4; ++j) b[j] = vector_at(k + LANES * j * WIDE_ROW + d);
    for (int i = 0; i < 4; ++i)
      for (int j = 0; j < 4; ++j) {
        scores[i][j] += a[i].x * b[j].x;
        scores[i][j] += a[i].y * b[j].y;
        scores[i][j] += a[i].z * b[j].z;
        scores[i][j] += a[i].w * b[j].w;
      }
  }
}

// out[i] += weights of query `mine + i` times the values, elements 4 lane and 32 + 4 lane, four of each.
__device__ void multiply(float4 (&out)[4][2], float *weights, float *v) {
#pragma unroll 4
  for (int key = 0; key < KEYS; key += 4) {
    float4 a[4];
    for (int i = 0; i < 4; ++i) a[i] = vector_at(weights + i * KEY_ROW + key);
    for (int half = 0; half < 2; ++half)
      for (int j = 0; j < 4; ++j) {
        const float4 value = vector_at(v + (key + j) * WIDTH + half * 4 * LANES);
        for (int i = 0; i < 4; ++i)
          add(out[i][half], j == 0 ? a[i].x : j == 1 ? a[i].y : j == 2 ? a[i].z : a[i].w, value);
      }
  }
}

__global__ void __launch_bounds__(THREADS)
    attend(int queries, int keys, const float *Q, const float *K, const float *V, float *O) {
  extern __shared__ __align__(16) float shared[];
  const int group = threadIdx.x / GROUP, t = threadIdx.x % GROUP, lane = t % LANES, mine = t / LANES * 4;
  float *const q = shared, *const k = q + QUERIES * WIDE_ROW + group * OF_GROUP,
               *const v = k + KEYS * WIDE_ROW, *const weights = v + KEYS * WIDTH + mine * KEY_ROW;
  const int first = blockIdx.x * QUERIES;
  for (int i = threadIdx.x; i < QUERIES * WIDTH / 4; i += THREADS) {
    const int row = i / (WIDTH / 4), d = i % (WIDTH / 4) * 4;
    const float4 from = row_of(Q, first + row, queries, d);
    float4 scaled = make_float4(0, 0, 0, 0);
    add(scaled, 0.125f, from);  // divided by the root of the width
    vector_at(q + row * WIDE_ROW + d) = scaled;
  }
  float4 out[4][2];
  float most[4], sum[4];
  for (int i = 0; i < 4; ++i) {
    out[i][0] = out[i][1] = make_float4(0, 0, 0, 0);
    most[i] = -INFINITY;
    sum[i] = 0;
  }
  for (int base = 0; base < keys; base += GROUPS * KEYS) {
    const int at = base + group * KEYS;
    __syncthreads();
#pragma unroll
    for (int i = t; i < KEYS * WIDTH / 4; i += GROUP) {
      const int row = i / (WIDTH / 4), d = i % (WIDTH / 4) * 4;
      vector_at(k + row * WIDE_ROW + d) = row_of(K, at + row, keys, d);
      vector_at(v + row * WIDTH + d) = row_of(V, at + row, keys, d);
    }
    __syncthreads();
    if (at >= keys) continue;  // the whole group
    float scores[4][4] = {};
    multiply(scores, q + mine * WIDE_ROW, k + lane * WIDE_ROW);
    for (int i = 0; i < 4; ++i) {
      float largest = most[i];
      for (int j = 0; j < 4; ++j) {
        if (at + lane + LANES * j >= keys) scores[i][j] = -INFINITY;
        largest = fmaxf(largest, scores[i][j]);
      }
      for (int distance = LANES / 2; distance > 0; distance /= 2)
        largest = fmaxf(largest, __shfl_xor_sync(ALL, largest, distance));
      const float factor = expf(most[i] - largest);
      most[i] = largest;
      sum[i] *= factor;
      for (float4 &o : out[i]) o = make_float4(o.x * factor, o.y * factor, o.z * factor, o.w * factor);
      for (int j = 0; j < 4; ++j) {
        const float weight = expf(scores[i][j] - largest);
        sum[i] += weight;
        weights[i * KEY_ROW + lane + LANES * j] = weight;
      }
    }
    __syncwarp();  // the eight lanes that share queries are in one warp
    multiply(out, weights, v + 4 * lane);
    __syncwarp();
  }

  // Put the groups' results together: sums that refer to different largest scores.
  __syncthreads();
  float *const parts = shared, *const mosts = parts + GROUPS * QUERIES * WIDTH,
               *const sums = mosts + GROUPS * QUERIES;
  for (int i = 0; i < 4; ++i) {
    for (int distance = LANES / 2; distance > 0; distance /= 2)
      sum[i] += __shfl_xor_sync(ALL, sum[i], distance);
    const int row = group * QUERIES + mine + i;
    for (int half = 0; half < 2; ++half)
      vector_at(parts + row * WIDTH + half * 4 * LANES + 4 * lane) = out[i][half];
    if (lane == 0) {
      mosts[row] = most[i];
      sums[row] = sum[i];
    }
  }
  __syncthreads();
  for (int i = threadIdx.x; i < QUERIES * WIDTH / 4; i += THREADS) {
    const int row = i / (WIDTH / 4), d = i % (WIDTH / 4) * 4;
    if (first + row >= queries) continue;
    float largest = -INFINITY, total = 0;
    for (int g = 0; g < GROUPS; ++g) largest = fmaxf(largest, mosts[g * QUERIES + row]);
    float4 o = make_float4(0, 0, 0, 0);
    for (int g = 0; g < GROUPS; ++g) {
      const float factor = expf(mosts[g * QUERIES + row] - largest);
      total += factor * sums[g * QUERIES + row];
      add(o, factor, vector_at(parts + (g * QUERIES + row) * WIDTH + d));
    }
    *reinterpret_cast<float4 *>(O + static_cast<size_t>(first + row) * WIDTH + d) =
        make_float4(o.x / total, o.y / total, o.z / total, o.w / total);
  }
}

}  // namespace

void tiles(int queries, int keys, const float *Q, const float *K, const float *V, float *O) {
  if (queries == 0) return;
  cudaFuncSetAttribute(attend, cudaFuncAttributeMaxDynamicSharedMemorySize, SHARED_BYTES);
  attend<<<(queries + QUERIES - 1) / QUERIES, THREADS, SHARED_BYTES>>>(queries, keys, Q, K, V, O);
}
