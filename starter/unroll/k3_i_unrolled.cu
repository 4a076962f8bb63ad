// Kernel k3, unrolled along i: a thread computes two elements of a column, 32 apart. Grid n/64 x m, block 32
// x 1.
//
// The strip of c serves twice as many products; each product still needs its own element of b.
#include "mmkernel.h"

[[maybe_unused]] constexpr int STRIP = 32;

extern "C" __global__ void mmkernel(float *a, float *b, float *c, int pitch_a, int pitch_b, int pitch_c, int,
                                    int, int p) {
  // TODO(1): as k2, with two sums in two registers: one for i, one for i + 32.
}
