// Step 2, shared tiles: the four warps of a block bring tiles of A and B to shared memory and all use them.
//
// In step 1 each tile comes from global memory once for every warp that needs it. Here a block needs it once.
// A warp computes 32 x 32 elements of C in 2 x 2 fragments, so that each fragment it loads is used twice.
#include <mma.h>

#include "hgemm.h"

constexpr int BM = 64, BN = 64, BK = 32;  // the block's tile of C, and its stride along K
constexpr int WM = 32, WN = 32;           // the part of this tile that one warp computes
constexpr int TILE = 16;                  // rows and columns of a fragment
constexpr int THREADS = (BM / WM) * (BN / WN) * 32;
static_assert(WM % TILE == 0 && WN % TILE == 0 && BK % TILE == 0, "whole fragments");
static_assert(BM * BK / 8 % THREADS == 0 && BK * BN / 8 % THREADS == 0, "threads share the copying evenly");

__global__ void __launch_bounds__(THREADS) multiply_shared(int M, int N, int K, float alpha, const __half *A,
                                                           const __half *B, float beta, float *C) {
  // TODO(1): in each stride along K, copy BM x BK elements of A and BK x BN of B to shared memory, 8 elements
  // (16 bytes) at a time. M, N and K are multiples of 8, so such a group of 8 is entirely inside its matrix
  // or entirely outside; outside counts as zero. Then let each warp multiply its fragments.

  // TODO(2): which lane holds which element of a fragment is not specified, so a warp cannot leave out the
  // elements beyond the edge of C. Store the sums to shared memory; from there, write those inside to C.
}

void step2(int M, int N, int K, float alpha, const __half *A, const __half *B, float beta, float *C) {
  // TODO(3): launch multiply_shared with THREADS threads per block and one block per tile of C.
}
