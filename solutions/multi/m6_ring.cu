// Step ring_allreduce: every device gets the sum of the arrays of all devices. The devices form a ring: each
// receives from the one before it, its left neighbour. Arrays are cut into as many chunks as there are
// devices.
//
// Reduce-scatter: sums of chunks travel around the ring, and each device adds its own elements to the sum
// that arrives. After devices - 1 rounds, device d has all of the sum of chunk d + 1. All-gather: the
// finished chunks travel around once more. In each round each device receives one chunk, so all links are
// busy all the time.
#include <algorithm>

#include "multi.h"

[[maybe_unused]] constexpr int THREADS = 256, MOST_BLOCKS = 1024;

// sum[i] = mine[i] + received[i]. received is in the memory of the left neighbour.
__global__ void add(int count, const float *__restrict__ mine, const float *__restrict__ received,
                    float *__restrict__ sum) {
  // TODO(1): for any number of blocks.
  // BEGIN SOLUTION
  // Several loads are on their way at a time: a link is slow to answer.
#pragma unroll 4
  for (int i = blockIdx.x * THREADS + threadIdx.x; i < count; i += gridDim.x * THREADS)
    sum[i] = mine[i] + received[i];
  // END SOLUTION
}

void ring_allreduce(int devices, int n, const float *const *in, float *const *out) {
  // TODO(2): for each device: let it access the memory of its left neighbour, and create a stream and an
  // event.
  // BEGIN SOLUTION
  cudaStream_t stream[MOST_DEVICES] = {};
  cudaEvent_t done[MOST_DEVICES] = {};
  for (int d = 0; d < devices; ++d) {
    cudaSetDevice(d);
    if (devices > 1) cudaDeviceEnablePeerAccess((d + devices - 1) % devices, 0);
    cudaStreamCreateWithFlags(&stream[d], cudaStreamNonBlocking);
    cudaEventCreateWithFlags(&done[d], cudaEventDisableTiming);
  }
  // A ring of one has no rounds.
  if (devices == 1) cudaMemcpyAsync(out[0], in[0], sizeof(float) * n, cudaMemcpyDeviceToDevice, stream[0]);
  // END SOLUTION

  // TODO(3): the rounds: first those of the reduce-scatter, then those of the all-gather. Which chunk does
  // device d receive in each? For whom must it wait?
  // BEGIN SOLUTION
  for (int round = 0; round < 2 * (devices - 1); ++round) {
    // Everyone waits before anyone records its event again: see step halo_copies. It is enough to wait for the
    // left neighbour: a sum that the right neighbour has read is overwritten only when it has gone around the
    // ring.
    for (int d = 0; d < devices && round > 0; ++d) {
      cudaSetDevice(d);
      cudaStreamWaitEvent(stream[d], done[(d + devices - 1) % devices], 0);
    }
    for (int d = 0; d < devices; ++d) {
      cudaSetDevice(d);
      const int left = (d + devices - 1) % devices;
      const int chunk = (d + 2 * devices - 1 - round) % devices;
      const int first = first_of(n, chunk, devices), count = size_of(n, chunk, devices);
      if (count > 0 && round < devices - 1)
        add<<<std::min(ceil_div(count, THREADS), MOST_BLOCKS), THREADS, 0, stream[d]>>>(
            count, in[d] + first, (round == 0 ? in : out)[left] + first, out[d] + first);
      else if (count > 0)
        cudaMemcpyPeerAsync(out[d] + first, d, out[left] + first, left, sizeof(float) * count, stream[d]);
      cudaEventRecord(done[d], stream[d]);
    }
  }
  // END SOLUTION

  // TODO(4): destroy streams and events.
  // BEGIN SOLUTION
  for (int d = 0; d < devices; ++d) {
    cudaSetDevice(d);
    cudaStreamDestroy(stream[d]);
    cudaEventDestroy(done[d]);
  }
  // END SOLUTION
}
