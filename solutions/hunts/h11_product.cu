// Hunt h11: P = M N for n x n matrices. A block computes two neighbouring tiles of P: a thread computes two
// elements from one row of M.
//
// TODO(1): find the fault, fix it below, and write here where it was and what it was.
// STUB: // answer line:
// STUB: // answer cause:
// BEGIN SOLUTION
// answer line: 11
// answer cause: occupancy
// END SOLUTION
#include "hunts.h"

constexpr int EDGE = 16;
// The floats from one row of a tile of N to the next.
// BEGIN FIX
// FAULT: constexpr int PITCH = 720;
constexpr int PITCH = 2 * EDGE;
// END FIX

__global__ void multiply_pairs(int n, const float *M, const float *N, float *P) {
  __shared__ float left[EDGE][EDGE], right[EDGE][PITCH];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int r = blockIdx.y * EDGE + ty, c = blockIdx.x * 2 * EDGE + tx;
  float near = 0.0f, far = 0.0f;
  for (int step = 0; step < n; step += EDGE) {
    left[ty][tx] = r < n && step + tx < n ? M[r * n + step + tx] : 0.0f;
    right[ty][tx] = step + ty < n && c < n ? N[(step + ty) * n + c] : 0.0f;
    right[ty][tx + EDGE] = step + ty < n && c + EDGE < n ? N[(step + ty) * n + c + EDGE] : 0.0f;
    __syncthreads();
    for (int k = 0; k < EDGE; ++k) {
      near += left[ty][k] * right[k][tx];
      far += left[ty][k] * right[k][tx + EDGE];
    }
    __syncthreads();
  }
  if (r < n && c < n) P[r * n + c] = near;
  if (r < n && c + EDGE < n) P[r * n + c + EDGE] = far;
}

void product_pair(int n, const float *M, const float *N, float *P) {
  const dim3 grid((n + 2 * EDGE - 1) / (2 * EDGE), (n + EDGE - 1) / EDGE);
  multiply_pairs<<<grid, dim3(EDGE, EDGE)>>>(n, M, N, P);
}
