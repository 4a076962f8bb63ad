// Step 2, shared memory: a block computes one 32 x 32 tile of C and walks along K in strides of 32.
//
// In each stride the block copies a 32 x 32 tile of A and one of B to shared memory; 32 threads then use each
// number that it loaded. Global memory is read 32 times less often than in step 1.
#include "gemm.h"

constexpr int TILE = 32;
static_assert(TILE * TILE <= 1024, "a block has at most 1024 threads");

__global__ void gemm_shared(int M, int N, int K, float alpha, const float *A, const float *B, float beta,
                            float *C) {
  // TODO(1): for each stride along K: let each thread copy one element of A and one of B to shared memory,
  // wait for the block, add TILE products to the thread's sum, wait again. Elements outside A or B must count
  // as zero.
}

void step2(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
  // TODO(2): launch gemm_shared with one block of TILE x TILE threads per tile of C.
}
