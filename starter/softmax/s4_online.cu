// Step online: the largest element and the sum in one walk through the row.
//
// A sum is of use only with the largest element that its terms were computed for. Where a larger one appears,
// the sum so far is multiplied by e^(old largest - new largest). Two such pairs are joined in the same way,
// so lanes can join theirs by shuffles.
#include <cfloat>

#include "softmax.h"

[[maybe_unused]] constexpr int WARP = 32, WARPS = 8;
[[maybe_unused]] constexpr unsigned ALL = 0xffffffff;  // the lanes that take part

struct Pair {
  float largest, sum;  // the sum of e^(x - largest)
};

// What two parts of a row have together.
__device__ __forceinline__ Pair joined(Pair a, Pair b) {
  // TODO(1): the larger of the two, and both sums relative to it.
  return a;
}

__global__ void softmax_online(int rows, int columns, const float *x, float *y) {
  // TODO(2): join the elements of a lane, then the lanes. Then a second walk writes the results.
}

void online(int rows, int columns, const float *x, float *y) {
  // TODO(3): blocks of WARPS warps, for all rows.
}
