// Kernel k6, the challenge: a and c are transposed, so if i is the lane, the lanes of a warp write to
// addresses far apart. Grid m/64 x n/8, block 32 x 4.
//
// Let the lanes of a warp run along j instead: then they read and write neighbouring elements of c and a, and
// the element of b is the same for the whole warp.
#include "mmkernel.h"

[[maybe_unused]] constexpr int ACROSS = 64;  // elements of a block along j
[[maybe_unused]] constexpr int DOWN = 8;     // along i
[[maybe_unused]] constexpr int DEEP = 32;    // along k at a time

extern "C" __global__ void mmkernel(float *a, float *b, float *c, int pitch_a, int pitch_b, int pitch_c, int,
                                    int, int p) {
  // TODO(1): write a so that a warp writes 32 neighbouring elements. How many should a thread compute?
}
