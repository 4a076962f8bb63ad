// Step 1, one warp and one tile: a warp computes 16 x 16 elements of C on the tensor cores.
//
// The lanes of a warp hold a tile together, in registers: a fragment. Which lane holds which element is not
// specified, but fragments of the same kind hold the same element at the same place.
#include <mma.h>

#include "hgemm.h"

[[maybe_unused]] constexpr int TILE = 16;  // rows and columns of each fragment

__global__ void multiply_tile(int M, int N, int K, float alpha, const __half *A, const __half *B, float beta,
                              float *C) {
  // TODO(1): declare fragments for a tile of A, a tile of B and the sums. Walk along K in strides of TILE:
  // load a tile of A and one of B, and add their product to the sums. At the end, turn the sums into elements
  // of C and store them. All sizes are multiples of TILE.
}

void step1(int M, int N, int K, float alpha, const __half *A, const __half *B, float beta, float *C) {
  // TODO(2): launch multiply_tile with one warp per block and one block per tile of C.
}
