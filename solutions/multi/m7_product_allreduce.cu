// Step product_allreduce: the product of step split_k, with all of C on every device. C is computed in pieces
// of some rows: while the parts of one piece are added up and sent to all devices, the next piece is
// multiplied.
//
// Each device adds up its share of a piece: its kernel reads it from all devices, and stores the sum to all
// of them. So each byte takes one step where a ring takes many, and no more bytes travel.
#include <algorithm>

#include "multi.h"

[[maybe_unused]] constexpr int TILE = 16, THREADS = 256, MOST_BLOCKS = 64, PIECES = 8;

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

// Where a share is on each device: its parts, and its place in C.
struct Share {
  const float *part[MOST_DEVICES];
  float *sum[MOST_DEVICES];
};

__global__ void add_and_send(int devices, int count, Share share) {
  // TODO(1): the sum of part[d][i] over all d becomes sum[d][i] for all d, for 0 <= i < count.
  // BEGIN SOLUTION
  for (int i = blockIdx.x * THREADS + threadIdx.x; i < count; i += gridDim.x * THREADS) {
    float sum = 0.0f;
#pragma unroll  // as in step split_k
    for (int d = 0; d < MOST_DEVICES; ++d)
      if (d < devices) sum += share.part[d][i];
#pragma unroll
    for (int d = 0; d < MOST_DEVICES; ++d)
      if (d < devices) share.sum[d][i] = sum;
  }
  // END SOLUTION
}

void product_allreduce(int devices, int m, int n, int k, const float *const *A, const float *const *B,
                       float *const *C) {
  // TODO(2): for each device: access to the others, memory, two streams and an event.
  // BEGIN SOLUTION
  float *part[MOST_DEVICES] = {};
  cudaStream_t compute[MOST_DEVICES] = {}, send[MOST_DEVICES] = {};
  cudaEvent_t multiplied[MOST_DEVICES] = {};
  for (int d = 0; d < devices; ++d) {
    cudaSetDevice(d);
    for (int e = 0; e < devices; ++e)
      if (e != d) cudaDeviceEnablePeerAccess(e, 0);
    cudaMalloc(&part[d], sizeof(float) * m * n);
    for (cudaStream_t *stream : {&compute[d], &send[d]})
      cudaStreamCreateWithFlags(stream, cudaStreamNonBlocking);
    cudaEventCreateWithFlags(&multiplied[d], cudaEventDisableTiming);
  }
  // END SOLUTION

  // TODO(3): for each piece: all devices multiply it; then each of them waits for all, adds up its share and
  // sends it.
  // BEGIN SOLUTION
  for (int piece = 0; piece < PIECES; ++piece) {
    const int row = first_of(m, piece, PIECES), rows = size_of(m, piece, PIECES);
    if (rows == 0) continue;
    for (int d = 0; d < devices; ++d) {
      cudaSetDevice(d);
      const int mine = size_of(k, d, devices);
      const dim3 tiles(ceil_div(n, TILE), ceil_div(rows, TILE));
      multiply<<<tiles, dim3(TILE, TILE), 0, compute[d]>>>(rows, n, mine, A[d] + row * mine, B[d],
                                                           part[d] + row * n);
      cudaEventRecord(multiplied[d], compute[d]);
    }
    for (int d = 0; d < devices; ++d) {
      const int first = row * n + first_of(rows * n, d, devices), count = size_of(rows * n, d, devices);
      if (count == 0) continue;
      cudaSetDevice(d);
      Share share = {};
      for (int i = 0; i < devices; ++i) {
        const int other = (d + i) % devices;
        cudaStreamWaitEvent(send[d], multiplied[other], 0);
        share.part[i] = part[other] + first;
        share.sum[i] = C[other] + first;
      }
      add_and_send<<<std::min(ceil_div(count, THREADS), MOST_BLOCKS), THREADS, 0, send[d]>>>(devices, count,
                                                                                             share);
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
    cudaSetDevice(d);
    cudaFree(part[d]);
    for (cudaStream_t stream : {compute[d], send[d]}) cudaStreamDestroy(stream);
    cudaEventDestroy(multiplied[d]);
  }
  // END SOLUTION
}
