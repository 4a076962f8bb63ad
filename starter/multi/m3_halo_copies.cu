// Step halo_copies: each device computes its planes of the box. For the first and the last of them, it needs
// a plane of each neighbour, the halo, and copies it before each step.
//
// A copy must wait until the neighbour has computed the plane; and the neighbour must not overwrite it before
// the copy is done. One event for each device is enough for both: it says that a step, which begins with the
// copies, is over.
#include "multi.h"

[[maybe_unused]] constexpr int WIDE = 32, HIGH = 4;

// One step for `planes` planes. below, above: the planes next to them; null where the box ends.
__global__ void relax(int nx, int ny, int planes, float centre, float side, const float *below,
                      const float *from, const float *above, float *to) {
  const int x = blockIdx.x * WIDE + threadIdx.x, y = blockIdx.y * HIGH + threadIdx.y, z = blockIdx.z;
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

// The nearest device in this direction (-1: below, 1: above) that has planes, or -1 if there is none.
[[maybe_unused]] static int neighbour(int d, int direction, int nz, int devices) {
  // TODO(1): with more devices than planes, the device next to this one may have none.
  return -1;
}

void halo_copies(int devices, int nx, int ny, int nz, int steps, float centre, float side,
                 const float *const *in, float *const *out) {
  // TODO(2): the planes of a device are read from one array and written to another, which then change places.
  // The first is in[d], the last must be out[d]. Which memory do you need besides, and which streams and
  // events?

  // TODO(3): the steps. Who waits for whom?

  // TODO(4): free everything when nobody needs it any more.
}
