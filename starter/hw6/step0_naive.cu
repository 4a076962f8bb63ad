// Step 0, naive: one thread computes one element of C, and threadIdx.x counts rows.
//
// The 32 threads of a warp then work on 32 rows of one column. Each of their loads of A touches 32 places
// that are K floats apart, and so does each store to C. This is slow on purpose; step 1 repairs it.
#include "gemm.h"

__global__ void gemm_naive(int M, int N, int K, float alpha, const float *A, const float *B, float beta,
                           float *C) {
  // TODO(1): compute the row from the x coordinates of block and thread, the column from their y coordinates,
  // and this one element of C. The last blocks extend past the edges of C: threads outside C must not access
  // memory.
}

void step0(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
  // TODO(2): launch gemm_naive with blocks of 32 x 8 threads and as many blocks as it takes to cover C.
}
