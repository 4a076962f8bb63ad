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
  // STUB: return {};
  // BEGIN SOLUTION
  Slab slab;
  slab.planes = size_of(nz, d, devices);
  if (slab.planes == 0) return slab;
  cudaSetDevice(d);
  for (const int side : {0, 1}) {
    const int away = 2 * side - 1;
    int e = d + away;
    while (e >= 0 && e < devices && size_of(nz, e, devices) == 0) e += away;
    if (e >= 0 && e < devices) slab.neighbour[side] = e, cudaDeviceEnablePeerAccess(e, 0);
    cudaMalloc(&slab.halo[side], sizeof(float) * 2 * plane);
  }
  cudaMalloc(&slab.scratch, sizeof(float) * slab.planes * plane);
  for (cudaStream_t *stream : {&slab.edge, &slab.inner})
    cudaStreamCreateWithFlags(stream, cudaStreamNonBlocking);
  for (cudaEvent_t *event : {&slab.edges_done, &slab.sent, &slab.inner_done})
    cudaEventCreateWithFlags(event, cudaEventDisableTiming);
  return slab;
  // END SOLUTION
}

void halo_overlap(int devices, int nx, int ny, int nz, int steps, float centre, float side,
                  const float *const *in, float *const *out) {
  // TODO(2): the halo of the first step, and the steps.
  // BEGIN SOLUTION
  const int plane = nx * ny;
  const dim3 threads(WIDE, HIGH), blocks(ceil_div(nx, WIDE), ceil_div(ny, HIGH));
  Slab slabs[MOST_DEVICES];
  const float *now[MOST_DEVICES] = {};
  for (int d = 0; d < devices; ++d) slabs[d] = make_slab(d, plane, nz, devices), now[d] = in[d];

  // Sends the first and the last plane of device d to its neighbours, for this step.
  const auto send = [&](int d, int step) {
    for (const int to : {0, 1}) {
      const int other = slabs[d].neighbour[to];
      if (other < 0) continue;
      float *const there =
          slabs[other].halo[step % 2] + (1 - to) * plane;  // below it is above for the neighbour
      cudaMemcpyPeerAsync(there, other, now[d] + (to == 0 ? 0 : slabs[d].planes - 1) * plane, d,
                          sizeof(float) * plane, slabs[d].edge);
    }
    cudaEventRecord(slabs[d].sent, slabs[d].edge);
  };
  for (int d = 0; d < devices; ++d)
    if (slabs[d].planes > 0) cudaSetDevice(d), send(d, 0);

  for (int step = 0; step < steps; ++step) {
    for (int d = 0; d < devices; ++d) {
      Slab &slab = slabs[d];
      if (slab.planes == 0) continue;
      cudaSetDevice(d);
      for (const int other : slab.neighbour)
        if (other >= 0) cudaStreamWaitEvent(slab.edge, slabs[other].sent, 0);
      if (step > 0) cudaStreamWaitEvent(slab.edge, slab.inner_done, 0);
      if (step > 0) cudaStreamWaitEvent(slab.inner, slab.edges_done, 0);
    }
    for (int d = 0; d < devices; ++d) {
      Slab &slab = slabs[d];
      const int planes = slab.planes;
      if (planes == 0) continue;
      cudaSetDevice(d);
      float *const to = (steps - step) % 2 == 1 ? out[d] : slab.scratch, *const halo = slab.halo[step % 2];
      const float *const below = slab.neighbour[0] < 0 ? nullptr : halo;
      const float *const above = slab.neighbour[1] < 0 ? nullptr : halo + plane;
      const dim3 edges(blocks.x, blocks.y, planes > 1 ? 2 : 1), inner(blocks.x, blocks.y, planes - 2);
      relax<<<edges, threads, 0, slab.edge>>>(nx, ny, planes, centre, side, below, now[d], above, to, 0,
                                              planes - 1);
      cudaEventRecord(slab.edges_done, slab.edge);
      if (planes > 2)
        relax<<<inner, threads, 0, slab.inner>>>(nx, ny, planes, centre, side, nullptr, now[d], nullptr, to,
                                                 1, 1);
      cudaEventRecord(slab.inner_done, slab.inner);
      now[d] = to;
      if (step + 1 < steps) send(d, step + 1);
    }
  }
  // END SOLUTION

  // TODO(3): free everything when nobody needs it any more.
  // BEGIN SOLUTION
  for (int d = 0; d < devices; ++d) cudaSetDevice(d), cudaDeviceSynchronize();
  for (int d = 0; d < devices; ++d) {
    if (slabs[d].planes == 0) continue;
    cudaSetDevice(d);
    for (float *memory : {slabs[d].scratch, slabs[d].halo[0], slabs[d].halo[1]}) cudaFree(memory);
    for (cudaStream_t stream : {slabs[d].edge, slabs[d].inner}) cudaStreamDestroy(stream);
    for (cudaEvent_t event : {slabs[d].edges_done, slabs[d].sent, slabs[d].inner_done})
      cudaEventDestroy(event);
  }
  // END SOLUTION
}
