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
  // BEGIN SOLUTION
  if (z == 0 && slab.neighbour_below != nullptr) slab.neighbour_below[at] = result;
  if (z + 1 == slab.planes && slab.neighbour_above != nullptr) slab.neighbour_above[at] = result;
  // END SOLUTION
}

// The nearest device in this direction (-1: below, 1: above) that has planes, or -1 if there is none.
[[maybe_unused]] static int neighbour(int d, int direction, int nz, int devices) {
  // TODO(2): as in step halo_copies.
  // STUB: return -1;
  // BEGIN SOLUTION
  for (int e = d + direction; e >= 0 && e < devices; e += direction)
    if (size_of(nz, e, devices) > 0) return e;
  return -1;
  // END SOLUTION
}

void halo_stores(int devices, int nx, int ny, int nz, int steps, float centre, float side,
                 const float *const *in, float *const *out) {
  // TODO(3): memory for each device: as before, with two halos. Whose memory must a device have access to?
  // BEGIN SOLUTION
  const int plane = nx * ny;
  float *scratch[MOST_DEVICES] = {},
        *halo[MOST_DEVICES] = {};  // halo[d]: below, above; and again, for odd steps
  const float *now[MOST_DEVICES] = {};
  cudaEvent_t done[MOST_DEVICES] = {};
  for (int d = 0; d < devices; ++d) {
    if (size_of(nz, d, devices) == 0) continue;
    cudaSetDevice(d);
    for (const int direction : {-1, 1})
      if (neighbour(d, direction, nz, devices) >= 0)
        cudaDeviceEnablePeerAccess(neighbour(d, direction, nz, devices), 0);
    cudaMalloc(&scratch[d], sizeof(float) * size_of(nz, d, devices) * plane);
    cudaMalloc(&halo[d], sizeof(float) * 4 * plane);
    cudaEventCreateWithFlags(&done[d], cudaEventDisableTiming);
    now[d] = in[d];
  }
  // END SOLUTION

  // TODO(4): the steps. Where does the first of them find its halo?
  // BEGIN SOLUTION
  for (int step = 0; step < steps; ++step) {
    for (int d = 0; d < devices; ++d)
      for (const int direction : {-1, 1}) {
        const int other = neighbour(d, direction, nz, devices);
        if (size_of(nz, d, devices) == 0 || other < 0 || step == 0) continue;
        cudaSetDevice(d);
        cudaStreamWaitEvent(nullptr, done[other], 0);
      }
    const int read = step % 2 * 2 * plane,
              write = 2 * plane - read;  // where the halos of the two steps begin
    for (int d = 0; d < devices; ++d) {
      const int below = neighbour(d, -1, nz, devices), above = neighbour(d, 1, nz, devices);
      Slab slab = {};
      slab.planes = size_of(nz, d, devices);
      if (slab.planes == 0) continue;
      slab.from = now[d];
      slab.to = (steps - step) % 2 == 1 ? out[d] : scratch[d];
      // Nobody has stored anything before the first step: it reads the neighbour's input itself.
      if (below >= 0)
        slab.below = step == 0 ? in[below] + (size_of(nz, below, devices) - 1) * plane : halo[d] + read;
      if (above >= 0) slab.above = step == 0 ? in[above] : halo[d] + read + plane;
      // And nobody needs a halo after the last one.
      if (below >= 0 && step + 1 < steps) slab.neighbour_below = halo[below] + write + plane;
      if (above >= 0 && step + 1 < steps) slab.neighbour_above = halo[above] + write;
      cudaSetDevice(d);
      relax<<<dim3(ceil_div(nx, WIDE), ceil_div(ny, HIGH), slab.planes), dim3(WIDE, HIGH)>>>(nx, ny, centre,
                                                                                             side, slab);
      cudaEventRecord(done[d]);
      now[d] = slab.to;
    }
  }
  // END SOLUTION

  // TODO(5): free the memory when nobody needs it any more.
  // BEGIN SOLUTION
  for (int d = 0; d < devices; ++d) {
    cudaSetDevice(d);
    cudaDeviceSynchronize();
  }
  for (int d = 0; d < devices; ++d) {
    if (size_of(nz, d, devices) == 0) continue;
    cudaSetDevice(d);
    cudaFree(scratch[d]);
    cudaFree(halo[d]);
    cudaEventDestroy(done[d]);
  }
  // END SOLUTION
}
