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
  // TODO(2): write the result, divided by the sum of the weights.
}

void step1(int batch, int heads, int length, int width, int causal, const Number *Q, const Number *K,
           const Number *V, float *O) {
  // TODO(3): launch attend_online<64> or attend_online<128>: a block for QUERIES queries of a head.
}
