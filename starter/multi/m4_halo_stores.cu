// Step halo_stores: as before, but nothing is copied. The kernel that computes a plane at the edge stores it
// twice: where it belongs, and into the halo of the neighbour, in the neighbour's memory.
//
// A device must not overwrite a halo that its neighbour still reads. With two halos, one for even and one for
// odd steps, a device that has waited for the last step of its neighbours may store: they read the other one
// now.
#include "multi.h"

[[maybe_unused]] constexpr int WIDE = 32, HIGH = 4;

// The planes of a device before and after a step, and what is next to them; null where the box ends.
struct Slab {
  int planes;
  const float *below, *from, *above;
  float *to, *neighbour_below, *neighbour_above;  // the last two: halos of the neighbours, to store into
};

__global__ void relax(int nx, int ny, float centre, float side, Slab slab) {
  const int x = blockIdx.x * WIDE + threadIdx.x, y = blockIdx.y * HIGH + threadIdx.y, z = blockIdx.z;
  if (x >= nx || y >= ny) return;
  const int plane = nx * ny, at = y * nx + x;
  const float *const here = slab.from + z * plane + at;
  float sum = 0.0f;
  if (x > 0) sum += here[-1];
  if (x + 1 < nx) sum += here[1];
  if (y > 0) sum += here[-nx];
  if (y + 1 < ny) sum += here[nx];
  if (z > 0)
    sum += here[-plane];
  else if (slab.below != nullptr)
    sum += slab.below[at];
  if (z + 1 < slab.planes)
    sum += here[plane];
  else if (slab.above != nullptr)
    sum += slab.above[at];
  const float result = centre * *here + side * sum;
  slab.to[z * plane + at] = result;
  // TODO(1): store the results of the first and the last plane into the halos of the neighbours too.
}

// The nearest device in this direction (-1: below, 1: above) that has planes, or -1 if there is none.
[[maybe_unused]] static int neighbour(int d, int direction, int nz, int devices) {
  // TODO(2): as in step halo_copies.
  return -1;
}

void halo_stores(int devices, int nx, int ny, int nz, int steps, float centre, float side,
                 const float *const *in, float *const *out) {
  // TODO(3): memory for each device: as before, with two halos. Whose memory must a device have access to?

  // TODO(4): the steps. Where does the first of them find its halo?

  // TODO(5): free the memory when nobody needs it any more.
}
