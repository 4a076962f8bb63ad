// Step stride: the same with a fixed number of threads, whatever n is. A thread walks over the array in
// strides as long as the whole grid, and computes several elements.
//
// Such a kernel fits any n, starts fewer blocks, and can keep what is the same for all of its elements in
// registers. In each stride, neighbouring threads still take neighbouring elements.
#include "warmup.h"

[[maybe_unused]] constexpr int THREADS = 256, MOST_BLOCKS = 16;

__global__ void scale_and_add_strided(int n, float a, const float *x, float *y) {
  // TODO(1): this thread's first element, and how far it is to its next one.
}

void stride(int n, float a, const float *x, float *y) {
  // TODO(2): launch at most MOST_BLOCKS blocks, and no more than n needs.
}
