// Step row_major: one thread for each element of P. All three matrices are row-major.
//
// Which index of P must threadIdx.x count so that the lanes of a warp read neighbouring elements?
#include "layouts.h"

[[maybe_unused]] constexpr int WIDTH = 32, HEIGHT = 8;  // of a block

__global__ void multiply_rows(int n, const float *M, const float *N, float *P) {
  // TODO(1): compute one element of P. Blocks extend past the edges of P; threads outside must do nothing.
}

void row_major(int n, const float *M, const float *N, float *P) {
  // TODO(2): launch it with as many blocks of WIDTH x HEIGHT threads as P needs.
}
