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
}

/// Each of `rows` rows of `length` scores becomes its softmax: a thread for each row.
__global__ void make_weights(std::int64_t rows, int length, float *scores) {
  // TODO(2): the softmax of a row. Subtract the largest score first.
}

/// O[head][i][c] for all heads, i and c: a thread for each.
__global__ void average_values(int length, int width, const float *weights, const Number *V, float *O) {
  // TODO(3): the sum of weight times value over all keys.
}

void step0(int batch, int heads, int length, int width, int causal, const Number *Q, const Number *K,
           const Number *V, float *O) {
  // TODO(4): allocate the scores, launch the three kernels, and free the scores.
}
