// Step sliding: a stencil in three dimensions. A thread computes a column of DEEP elements, plane by plane.
//
// What was the plane below is the plane itself one step later, and then the plane above. A thread keeps these
// three elements in registers and reads only the one that is new, besides its four neighbours in the plane.
#include "convolution.h"

[[maybe_unused]] constexpr int WIDE = 32, HIGH = 8, DEEP = 16;

__global__ void relax(int depth, int height, int width, float a, float b, const float *x, float *y) {
  // TODO(1): walk through the planes, with the elements above, here and below in registers.
}

void sliding(int depth, int height, int width, float a, float b, const float *x, float *y) {
  // TODO(2): a thread for each column of elements.
}
