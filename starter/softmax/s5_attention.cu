// Step attention: the scores of a query are used as soon as they are computed, and never stored.
//
// A thread has a query and its result in registers. A block brings keys and values to shared memory tile by
// tile, and all of its threads use them. As in step online, the result so far is multiplied by
// e^(old largest - new largest) when a larger score appears.
#include <cfloat>

#include "softmax.h"

[[maybe_unused]] constexpr int THREADS = 64, TILE = 32;

__global__ void attend(int queries, int keys, const float *Q, const float *K, const float *V, float *O) {
  [[maybe_unused]] __shared__ float k_tile[TILE][WIDTH], v_tile[TILE][WIDTH];
  // TODO(1): bring this thread's query to registers. A thread without one still helps with the tiles.
  // TODO(2): for each tile of keys and values: bring it to shared memory, and use all of its rows.
  // TODO(3): write the result, divided by the sum of the weights.
}

void attention(int queries, int keys, const float *Q, const float *K, const float *V, float *O) {
  // TODO(4): a thread for each query.
}
