// Step halo_overlap: the planes at the edges first. While they travel to the neighbours, the device computes
// all others, which need no halo.
//
// A device has two streams. `edge` computes the first and the last plane and sends them; `inner` computes
// what is between. Both wait for each other's last step, since each reads planes that the other wrote.
#include "multi.h"

[[maybe_unused]] constexpr int WIDE = 32, HIGH = 4;

// One step for the planes first, first + stride, ... of a device, one for each block along z.
__global__ void relax(int nx, int ny, int planes, float centre, float side, const float *below,
                      const float *from, const float *above, float *to, int first, int stride) {
  const int x = blockIdx.x * WIDE + threadIdx.x, y = blockIdx.y * HIGH + threadIdx.y;
  const int z = first + blockIdx.z * stride;
  if (x >= nx || y >= ny) return;
  const int plane = nx * ny, at = y * nx + x;
  const float *const here = from + z * plane + at;
  float sum = 0.0f;
  if (x > 0) sum += here[-1];
  if (x + 1 < nx) sum += here[1];
  if (y > 0) sum += here[-nx];
  if (y + 1 < ny) sum += here[nx];
  if (z > 0)
    sum += here[-plane];
  else if (below != nullptr)
    sum += below[at];
  if (z + 1 < planes)
    sum += here[plane];
  else if (above != nullptr)
    sum += above[at];
  to[z * plane + at] = centre * *here + side * sum;
}

// What a device needs for its planes.
struct Slab {
  int planes = 0, neighbour[2] = {-1, -1};  // below and above; -1: none
  float *scratch = nullptr, *halo[2] = {};  // halo[step % 2]: the plane below and the plane above
  cudaStream_t edge = nullptr, inner = nullptr;
  cudaEvent_t edges_done = nullptr, sent = nullptr, inner_done = nullptr;
};

[[maybe_unused]] static Slab make_slab(int d, int plane, int nz, int devices) {
  // TODO(1): all of it, for a device that has planes.
  return {};
}

void halo_overlap(int devices, int nx, int ny, int nz, int steps, float centre, float side,
                  const float *const *in, float *const *out) {
  // TODO(2): the halo of the first step, and the steps.

  // TODO(3): free everything when nobody needs it any more.
}
