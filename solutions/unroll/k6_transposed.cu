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
  // BEGIN SOLUTION
  __shared__ float b_part[DEEP][DOWN];
  const int x = threadIdx.x, y = threadIdx.y;
  const int j = blockIdx.x * ACROSS + x;
  const int i = blockIdx.y * DOWN;
  // Two elements along j, and two along i: rows y and y + 4 of the block.
  float near0 = 0.0f, near1 = 0.0f, far0 = 0.0f, far1 = 0.0f;
  for (int first = 0; first < p; first += DEEP) {
    // 8 neighbours of b are in a sector: 128 threads fetch 8 x 32 elements, two each.
    const int thread = y * 32 + x;
    for (int e = thread; e < DEEP * DOWN; e += 128)
      b_part[e / DOWN][e % DOWN] = b[i + e % DOWN + pitch_b * (first + e / DOWN)];
    __syncthreads();
    for (int k = 0; k < DEEP; ++k) {
      const float *row = c + pitch_c * (first + k);
      const float near = row[j], far = row[j + 32];
      near0 += near * b_part[k][y];
      near1 += near * b_part[k][y + 4];
      far0 += far * b_part[k][y];
      far1 += far * b_part[k][y + 4];
    }
    __syncthreads();
  }
  a[j + pitch_a * (i + y)] = near0;
  a[j + pitch_a * (i + y + 4)] = near1;
  a[j + 32 + pitch_a * (i + y)] = far0;
  a[j + 32 + pitch_a * (i + y + 4)] = far1;
  // END SOLUTION
}
