// Step corner_turning: N is column-major again, but all of its loads are coalesced. A block copies tiles to
// shared memory, where the order does not matter, and exchanges rows and columns of a tile of N on the way.
#include "layouts.h"

[[maybe_unused]] constexpr int TILE = 32;

__global__ void multiply_turned(int n, const float *M, const float *N, float *P) {
  // TODO(1): declare the two tiles. In which of them does a warp write down a column, and what bank conflicts
  // does that cause unless its rows are one element longer?
  // TODO(2): walk along k tile by tile. Let threadIdx.x count along memory in every load, both of M and of N.
  // Elements outside a matrix count as zero.
}

void corner_turning(int n, const float *M, const float *N, float *P) {
  // TODO(3): one block of TILE x TILE threads for each tile of P.
}
