// A block copies a row of A to C and turns each run of 64 numbers around. The handout of hw6 shows recordings of this
// kernel, with and without its first barrier; it solves no step.
#include "gemm.h"

constexpr int RUN = 64;

__global__ void mirror(int n, const float *in, float *out) {
  __shared__ float run[RUN];
  int t = threadIdx.x;
  for (int first = 0; first < n; first += RUN) {
    run[t] = in[first + t];
    __syncthreads();  // the whole run is in shared memory
    out[first + t] = run[RUN - 1 - t];
    __syncthreads();  // nobody reads it any more
  }
}

void step0(int, int, int K, float, const float *A, const float *, float, float *C) {
  mirror<<<1, RUN>>>(K, A, C);
}
