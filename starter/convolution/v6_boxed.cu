// Step boxed: a stencil in three dimensions. A block brings a box of elements to shared memory, with one
// element more on every side.
//
// Each element is needed by seven threads. The box is WIDE elements wide and only a few high and deep, so
// that the lanes of a warp load neighbours. More than half of what is loaded belongs to the halo.
#include "convolution.h"

[[maybe_unused]] constexpr int WIDE = 32, HIGH = 4, DEEP = 4, THREADS = WIDE * HIGH * DEEP;
[[maybe_unused]] constexpr int ROW = WIDE + 2, PLANE = (HIGH + 2) * ROW, BOX = (DEEP + 2) * PLANE;

__global__ void relax_boxes(int depth, int height, int width, float a, float b, const float *x, float *y) {
  [[maybe_unused]] __shared__ float box[BOX];
  // TODO(1): bring BOX elements with THREADS threads. What lies beyond the edges is 0.
  // TODO(2): the element itself and its six neighbours, from the box.
}

void boxed(int depth, int height, int width, float a, float b, const float *x, float *y) {
  // TODO(3): a thread for each element, in blocks of WIDE x HIGH x DEEP.
}
