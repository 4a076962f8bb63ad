// Step corner_turning: N column after column again, and no load of it uncoalesced. A block brings tiles to
// shared memory, where the order does not matter; on the way rows and columns of a tile of N change places.
#include "layouts.h"

[[maybe_unused]] constexpr int TILE = 32;

__global__ void multiply_turned(int n, const float *M, const float *N, float *P) {
  // TODO(1): declare the two tiles. In which of them does a warp write down a column, and what does that do
  // to the banks unless its rows are one element longer?
  // TODO(2): walk along k tile by tile. Let threadIdx.x count along memory in every load, of M as of N. What
  // lies outside of a matrix counts as zero.
}

void corner_turning(int n, const float *M, const float *N, float *P) {
  // TODO(3): one block of TILE x TILE threads for each tile of P.
}
