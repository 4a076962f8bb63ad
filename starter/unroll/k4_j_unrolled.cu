// Kernel k4, unrolled along j: a thread computes two neighbours in a row. Grid n/32 x m/2, block 32 x 1.
//
// Now the element of b serves two products: half as many reads of global memory for the same amount of
// arithmetic.
#include "mmkernel.h"

[[maybe_unused]] constexpr int STRIP = 32;

extern "C" __global__ void mmkernel(float *a, float *b, float *c, int pitch_a, int pitch_b, int pitch_c, int,
                                    int, int p) {
  // TODO(1): as k2, with the strips of two columns of c, and two sums that share each element of b.
}
