// Kernel k1, plain: a thread computes one element of a. Grid n/32 x m, block 32 x 1: the threads of a block
// are along a column.
//
// Neighbouring threads read neighbouring elements of b (coalesced), and all read the same element of c.
#include "mmkernel.h"

extern "C" __global__ void mmkernel(float *a, float *b, float *c, int pitch_a, int pitch_b, int pitch_c, int,
                                    int, int p) {
  // TODO(1): find the thread's i and j, add up p products, store the sum.
}
