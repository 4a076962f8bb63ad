// Step split_k: each device holds some columns of A and the same rows of B. Their product has the size of C,
// but each element of it is only a part of the sum. So the parts of all devices are added up.
//
// Each device adds up its own rows of C only. Its kernel reads these rows from the memory of all devices:
// nothing travels that is not needed. It may begin when all devices have finished their parts, which events
// tell.
#include <algorithm>

#include "multi.h"

[[maybe_unused]] constexpr int TILE = 16, THREADS = 256, MOST_BLOCKS = 512;

// C = A B on one device; all zeros if k is 0.
__global__ void multiply(int m, int n, int k, const float *A, const float *B, float *C) {
  __shared__ float a_tile[TILE][TILE], b_tile[TILE][TILE];
  const int x = threadIdx.x, y = threadIdx.y;
  const int row = blockIdx.y * TILE + y, column = blockIdx.x * TILE + x;
  float sum = 0.0f;
  for (int first = 0; first < k; first += TILE) {
    a_tile[y][x] = row < m && first + x < k ? A[row * k + first + x] : 0.0f;
    b_tile[y][x] = first + y < k && column < n ? B[(first + y) * n + column] : 0.0f;
    __syncthreads();
    for (int i = 0; i < TILE; ++i) sum += a_tile[y][i] * b_tile[i][x];
    __syncthreads();
  }
  if (row < m && column < n) C[row * n + column] = sum;
}

// A kernel cannot read the host's arrays, so it gets the pointers by value.
struct Parts {
  const float *of[MOST_DEVICES];
};

__global__ void add_parts(int devices, int count, Parts parts, float *sums) {
  // TODO(1): sums[i] is the sum of all parts[d][i], for 0 <= i < count.
  // BEGIN SOLUTION
  for (int i = blockIdx.x * THREADS + threadIdx.x; i < count; i += gridDim.x * THREADS) {
    float sum = 0.0f;
    // With a constant for d, the pointers stay in registers.
#pragma unroll
    for (int d = 0; d < MOST_DEVICES; ++d)
      if (d < devices) sum += parts.of[d][i];
    sums[i] = sum;
  }
  // END SOLUTION
}

void split_k(int devices, int m, int n, int k, const float *const *A, const float *const *B,
             float *const *C) {
  // TODO(2): for each device: let it access the memory of the others, allocate memory for its part, create
  // its event.
  // BEGIN SOLUTION
  float *part[MOST_DEVICES] = {};
  cudaEvent_t done[MOST_DEVICES] = {};
  for (int d = 0; d < devices; ++d) {
    cudaSetDevice(d);
    for (int e = 0; e < devices; ++e)
      if (e != d) cudaDeviceEnablePeerAccess(e, 0);
    cudaMalloc(&part[d], sizeof(float) * m * n);
    cudaEventCreateWithFlags(&done[d], cudaEventDisableTiming);
  }
  // END SOLUTION

  // TODO(3): for each device: compute its part, and record its event. A device without columns of A has a
  // part too.
  // BEGIN SOLUTION
  for (int d = 0; d < devices; ++d) {
    cudaSetDevice(d);
    const dim3 tiles(ceil_div(n, TILE), ceil_div(m, TILE));
    multiply<<<tiles, dim3(TILE, TILE)>>>(m, n, size_of(k, d, devices), A[d], B[d], part[d]);
    cudaEventRecord(done[d]);
  }
  // END SOLUTION

  // TODO(4): for each device: wait for all parts, and add up the device's rows of C.
  // BEGIN SOLUTION
  for (int d = 0; d < devices; ++d) {
    const int count = size_of(m, d, devices) * n;
    if (count == 0) continue;
    cudaSetDevice(d);
    Parts rows = {};
    // Each device begins with its own part, so that not all of them read from device 0 first.
    for (int i = 0; i < devices; ++i) {
      const int from = (d + i) % devices;
      cudaStreamWaitEvent(nullptr, done[from], 0);
      rows.of[i] = part[from] + first_of(m, d, devices) * n;
    }
    add_parts<<<std::min(ceil_div(count, THREADS), MOST_BLOCKS), THREADS>>>(devices, count, rows, C[d]);
  }
  // END SOLUTION

  // TODO(5): free the memory when nobody needs it any more.
  // BEGIN SOLUTION
  // Other devices read a part too, so all of them must be done before any is freed.
  for (int d = 0; d < devices; ++d) {
    cudaSetDevice(d);
    cudaDeviceSynchronize();
  }
  for (int d = 0; d < devices; ++d) {
    cudaSetDevice(d);
    cudaFree(part[d]);
    cudaEventDestroy(done[d]);
  }
  // END SOLUTION
}
