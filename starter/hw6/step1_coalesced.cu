// Step 1, coalesced: as step 0, but threadIdx.x counts columns. No shared memory yet.
//
// The threads of a warp now read 32 neighbouring elements of B and write 32 of C, which the hardware combines
// into a few wide transactions. All of them read the same element of A, which costs one transaction for the
// whole warp.
#include "gemm.h"

__global__ void gemm_coalesced(int M, int N, int K, float alpha, const float *A, const float *B, float beta,
                               float *C) {
  // TODO(1): write the kernel of step 0 again, with rows and columns assigned so that a warp runs along a row
  // of C.
}

void step1(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
  // TODO(2): launch gemm_coalesced. Which dimension of C must the x dimension of the grid cover now?
}
