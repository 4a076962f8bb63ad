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
  // BEGIN SOLUTION
  const int t = (threadIdx.z * HIGH + threadIdx.y) * WIDE + threadIdx.x;
  for (int i = t; i < BOX; i += THREADS) {
    const int z = static_cast<int>(blockIdx.z * DEEP) + i / PLANE - 1,
              r = static_cast<int>(blockIdx.y * HIGH) + i % PLANE / ROW - 1,
              c = static_cast<int>(blockIdx.x * WIDE) + i % ROW - 1;
    const bool inside = z >= 0 && z < depth && r >= 0 && r < height && c >= 0 && c < width;
    box[i] = inside ? x[(z * height + r) * width + c] : 0.0f;
  }
  __syncthreads();
  // END SOLUTION
  // TODO(2): the element itself and its six neighbours, from the box.
  // BEGIN SOLUTION
  const int z = blockIdx.z * DEEP + threadIdx.z, r = blockIdx.y * HIGH + threadIdx.y,
            c = blockIdx.x * WIDE + threadIdx.x;
  if (z >= depth || r >= height || c >= width) return;
  const float *const here = &box[(threadIdx.z + 1) * PLANE + (threadIdx.y + 1) * ROW + threadIdx.x + 1];
  const float neighbours = here[-PLANE] + here[PLANE] + here[-ROW] + here[ROW] + here[-1] + here[1];
  y[(z * height + r) * width + c] = a * *here + b * neighbours;
  // END SOLUTION
}

void boxed(int depth, int height, int width, float a, float b, const float *x, float *y) {
  // TODO(3): a thread for each element, in blocks of WIDE x HIGH x DEEP.
  // BEGIN SOLUTION
  if (depth == 0 || height == 0 || width == 0) return;
  const dim3 blocks((width + WIDE - 1) / WIDE, (height + HIGH - 1) / HIGH, (depth + DEEP - 1) / DEEP);
  relax_boxes<<<blocks, dim3(WIDE, HIGH, DEEP)>>>(depth, height, width, a, b, x, y);
  // END SOLUTION
}
