// What every version is compared with: a thread for each element of C, which reads a row of A and a column of
// B from global memory.
#include "pa2.h"

__global__ void naive_product(int M, int N, int K, float alpha, const float *A, const float *B, float beta,
                              float *C) {
  // TODO(1): compute the element in your row and column, if there is one.
}

void naive(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
  // TODO(2): launch it with blocks of 16 x 16 threads.
}
