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
  // STUB: return -1;
  // BEGIN SOLUTION
  for (int e = d + direction; e >= 0 && e < devices; e += direction)
    if (size_of(nz, e, devices) > 0) return e;
  return -1;
  // END SOLUTION
}

void halo_copies(int devices, int nx, int ny, int nz, int steps, float centre, float side,
                 const float *const *in, float *const *out) {
  // TODO(2): the planes of a device are read from one array and written to another, which then change places.
  // The first is in[d], the last must be out[d]. Which memory do you need besides, and which streams and
  // events?
  // BEGIN SOLUTION
  const int plane = nx * ny;
  float *scratch[MOST_DEVICES] = {},
        *halo[MOST_DEVICES] = {};  // halo[d]: the plane below and the plane above
  const float *now[MOST_DEVICES] = {};
  cudaStream_t stream[MOST_DEVICES] = {};
  cudaEvent_t done[MOST_DEVICES] = {};
  for (int d = 0; d < devices; ++d) {
    if (size_of(nz, d, devices) == 0) continue;
    cudaSetDevice(d);
    for (int e = 0; e < devices; ++e)
      if (e != d) cudaDeviceEnablePeerAccess(e, 0);
    cudaMalloc(&scratch[d], sizeof(float) * size_of(nz, d, devices) * plane);
    cudaMalloc(&halo[d], sizeof(float) * 2 * plane);
    cudaStreamCreateWithFlags(&stream[d], cudaStreamNonBlocking);
    cudaEventCreateWithFlags(&done[d], cudaEventDisableTiming);
    now[d] = in[d];
  }
  // END SOLUTION

  // TODO(3): the steps. Who waits for whom?
  // BEGIN SOLUTION
  for (int step = 0; step < steps; ++step) {
    // All devices wait before any records its event again: otherwise a device would wait for the present step
    // of its neighbour, and the devices would work one after the other.
    for (int d = 0; d < devices; ++d)
      for (const int direction : {-1, 1}) {
        const int from = neighbour(d, direction, nz, devices);
        if (size_of(nz, d, devices) == 0 || from < 0) continue;
        cudaSetDevice(d);
        if (step > 0) cudaStreamWaitEvent(stream[d], done[from], 0);
        const int edge = direction < 0 ? size_of(nz, from, devices) - 1 : 0;
        cudaMemcpyPeerAsync(halo[d] + (direction < 0 ? 0 : plane), d, now[from] + edge * plane, from,
                            sizeof(float) * plane, stream[d]);
      }
    for (int d = 0; d < devices; ++d) {
      const int planes = size_of(nz, d, devices);
      if (planes == 0) continue;
      cudaSetDevice(d);
      float *const to = (steps - step) % 2 == 1 ? out[d] : scratch[d];
      const float *const below = neighbour(d, -1, nz, devices) < 0 ? nullptr : halo[d];
      const float *const above = neighbour(d, 1, nz, devices) < 0 ? nullptr : halo[d] + plane;
      relax<<<dim3(ceil_div(nx, WIDE), ceil_div(ny, HIGH), planes), dim3(WIDE, HIGH), 0, stream[d]>>>(
          nx, ny, planes, centre, side, below, now[d], above, to);
      cudaEventRecord(done[d], stream[d]);
      now[d] = to;
    }
  }
  // END SOLUTION

  // TODO(4): free everything when nobody needs it any more.
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
    cudaStreamDestroy(stream[d]);
    cudaEventDestroy(done[d]);
  }
  // END SOLUTION
}
