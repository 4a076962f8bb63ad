// Step 0, two products and a softmax: three kernels, and all scores in global memory.
//
// The scores of a head are a matrix of length x length floats. It is written once, read and written by the
// softmax, and read again by the second product: far more bytes than Q, K, V and O together.
#include <cfloat>

#include "attention.h"

[[maybe_unused]] constexpr int TILE = 16, ROWS = 64;  // threads of a block: TILE x TILE, or one per row

/// scores[head][i][j] for all heads, i and j: a thread for each. A key that a query does not see gets -FLT_MAX.
__global__ void multiply_queries(int length, int width, int causal, const Number *Q, const Number *K,
                                 float *scores) {
  // TODO(1): the product of query i and key j of the block's head, divided by the root of the width.
  // BEGIN SOLUTION
  const int j = blockIdx.x * TILE + threadIdx.x, i = blockIdx.y * TILE + threadIdx.y;
  if (i >= length || j >= length) return;
  const std::int64_t head = blockIdx.z;
  const Number *q = Q + (head * length + i) * width, *k = K + (head * length + j) * width;
  float sum = 0.0f;
  for (int c = 0; c < width; ++c) sum += __bfloat162float(q[c]) * __bfloat162float(k[c]);
  scores[(head * length + i) * length + j] = causal && j > i ? -FLT_MAX : sum * scale_of(width);
  // END SOLUTION
}

/// Each of `rows` rows of `length` scores becomes its softmax: a thread for each row.
__global__ void make_weights(std::int64_t rows, int length, float *scores) {
  // TODO(2): the softmax of a row. Subtract the largest score first.
  // BEGIN SOLUTION
  const std::int64_t row = blockIdx.x * std::int64_t{ROWS} + threadIdx.x;
  if (row >= rows) return;
  float *score = scores + row * length, largest = -FLT_MAX, sum = 0.0f;
  for (int j = 0; j < length; ++j) largest = fmaxf(largest, score[j]);
  for (int j = 0; j < length; ++j) {
    score[j] = expf(score[j] - largest);
    sum += score[j];
  }
  for (int j = 0; j < length; ++j) score[j] /= sum;
  // END SOLUTION
}

/// O[head][i][c] for all heads, i and c: a thread for each.
__global__ void average_values(int length, int width, const float *weights, const Number *V, float *O) {
  // TODO(3): the sum of weight times value over all keys.
  // BEGIN SOLUTION
  const int c = blockIdx.x * TILE + threadIdx.x, i = blockIdx.y * TILE + threadIdx.y;
  if (i >= length || c >= width) return;
  const std::int64_t head = blockIdx.z;
  const float *weight = weights + (head * length + i) * length;
  const Number *v = V + head * length * width + c;
  float sum = 0.0f;
  for (int j = 0; j < length; ++j) sum += weight[j] * __bfloat162float(v[j * width]);
  O[(head * length + i) * width + c] = sum;
  // END SOLUTION
}

void step0(int batch, int heads, int length, int width, int causal, const Number *Q, const Number *K,
           const Number *V, float *O) {
  // TODO(4): allocate the scores, launch the three kernels, and free the scores.
  // BEGIN SOLUTION
  const int all = batch * heads, across = ceil_div(length, TILE);
  const std::int64_t rows = std::int64_t{all} * length;
  float *scores = nullptr;
  cudaMalloc(&scores, sizeof(float) * rows * length);
  const dim3 block(TILE, TILE);
  multiply_queries<<<dim3(across, across, all), block>>>(length, width, causal, Q, K, scores);
  make_weights<<<(rows + ROWS - 1) / ROWS, ROWS>>>(rows, length, scores);
  average_values<<<dim3(width / TILE, across, all), block>>>(length, width, scores, V, O);
  cudaFree(scores);
  // END SOLUTION
}
